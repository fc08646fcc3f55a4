// The program as a function: what main() calls, and what a test can call in its place.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace fovea::cli {

// Exit codes: done; the work failed, one line on `err` says what; wrong usage, one line says which.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kInterrupted = 130;

// Does what the arguments (without the program's name) ask for, and returns the exit code.
// When `out` throws on errors (std::ios::exceptions), a full disk behind it is reported too.
int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace fovea::cli
