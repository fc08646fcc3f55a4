// Error: what a caller handed us is wrong (a shape, a file, a flag). Broken invariants of our own
// are asserts.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace fovea {

// One line: operation, what is wrong, the values, the names, what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Error(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace fovea
