// What tests of verbs share: the program called in process, and as a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "fovea/cli/program.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea::cli {

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome fovea(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run(arguments, out, err);
  return {code, out.str(), err.str()};
}

// What a call said that had to end with this code and without output.
inline std::string refusal(const Outcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

// A shell command in which $FOVEA is the program. Standard error is kept, output is the shell's.
inline Outcome shell(const std::string& command) {
  const ScratchFolder folder;
  const char* const program = std::getenv("FOVEA_PROGRAM");
  if (program == nullptr) return {-1, "", "FOVEA_PROGRAM is not set; run through ctest or ./test"};
  ::setenv("FOVEA", program, 1);
  const std::string out = folder / "out", err = folder / "err";
  const int status = std::system(("(" + command + ") >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), folder.read("out"),
          folder.read("err")};
}

}  // namespace fovea::cli
