// The program `fovea`: standard streams in order, then cli/program.h.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "fovea/cli/program.h"

namespace {

// Without this, the first file that is opened would stand where a closed standard stream was, and
// what is printed would end up in it. Opened the wrong way round, reading or writing it still
// fails.
void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {
      (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_DFL);  // `fovea info x | head` ends here in silence, as `cat` does
  std::cout.exceptions(std::ios::badbit);
  std::cerr.tie(nullptr);  // an error can be told while standard output is broken
  return fovea::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                         std::cout, std::cerr);
}
