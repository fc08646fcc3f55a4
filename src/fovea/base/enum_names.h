// Enums whose values people name, in model files and on the command line. Beside the enum, in its
// namespace, stands the list of their names in the order of the values:
//
//   enum class Cell { kGru, kLstm };
//   constexpr std::array<const char*, 2> names_of(Cell) { return {"gru", "lstm"}; }
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace fovea {

template <class Enum>
std::string name_of(Enum value) requires std::is_enum_v<Enum> {
  return names_of(value)[static_cast<std::size_t>(value)];
}

}  // namespace fovea
