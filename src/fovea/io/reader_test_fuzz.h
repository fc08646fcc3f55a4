// What every fuzz target of a reader does: hand it the bytes, and accept an Error of one line as an
// answer.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fovea/base/error.h"

namespace fovea {

template <class Parse>
int fuzz_reader(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  try {
    parse(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

}  // namespace fovea
