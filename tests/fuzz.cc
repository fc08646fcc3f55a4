// Short fuzz runs with any compiler: a target takes its seeds, and inputs made of them that are the
// same in every run. An input that ends the process is kept, and can be run alone.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "fovea/base/base_test_tools.h"
#include "fovea/base/files.h"
#include "fovea/base/random.h"
#include "fuzz_targets.h"  // kFuzzTargets, written by cmake/FoveaFuzz.cmake

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace fovea {
namespace {

std::string input, kept_at, kept_text;  // ready before a run: the process may end anywhere in it

void keep_input() {
  const int file = ::open(kept_at.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ::write(file, input.data(), input.size()) < 0) return;
  ::close(file);
  if (::write(STDERR_FILENO, kept_text.data(), kept_text.size()) < 0) return;
}
extern "C" void keep_input_on_signal(int number) {
  keep_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void keep_what_ends_the_process() {
  std::vector<int> signals = {SIGABRT, SIGALRM};
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(keep_input);  // after its report
#else
  signals.insert(signals.end(), {SIGSEGV, SIGBUS, SIGFPE, SIGILL});
  const rlimit memory{.rlim_cur = rlim_t{2} << 30, .rlim_max = RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  for (const int number : signals) std::signal(number, keep_input_on_signal);
}

void run(FuzzTarget target, const std::string& bytes) {
  input = bytes;
  const std::vector<std::uint8_t> exactly(input.begin(), input.end());  // without a string's '\0'
  ::alarm(10);
  target(exactly.data(), exactly.size());
  ::alarm(0);
}

// The words of libFuzzer's dictionaries: a quoted one a line, with \xAB, \\ and \".
std::vector<std::string> words_in(const std::string& path) {
  std::vector<std::string> words;
  if (!std::filesystem::exists(path)) return words;
  const std::string text = read_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string word;
    for (std::size_t i = begin + 1; text[begin] == '"' && i + 1 < end; ++i) {
      if (text[i] == '\\' && text[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        word += text[i] == '\\' ? text[++i] : text[i];
      }
    }
    if (!word.empty()) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

class Mutations {
 public:
  Mutations(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {}

  // One of the seeds, changed one to four times.
  std::string next() {
    std::string bytes = one_of(seeds_);
    for (std::size_t left = 1 + below(4); left > 0; --left) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t count) {
    return at(random_.below(static_cast<Index>(std::max<std::size_t>(count, 1))));
  }
  const std::string& one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }
  std::string piece_of(const std::string& bytes) {
    return bytes.substr(below(bytes.size()), 1 + below(16));
  }

  void change(std::string& bytes) {
    const std::size_t place = below(bytes.size());
    const std::string other = one_of(seeds_);
    switch (below(words_.empty() ? 8 : 10)) {
      case 0:
        if (!bytes.empty()) bytes[place] ^= static_cast<char>(1 << below(8));
        return;
      case 1:  // a byte, or the two or four of a number
        bytes.replace(place, std::size_t{1} << below(3), std::size_t{1} << below(3),
                      "\x00\xff\x7f\x80"[below(4)]);
        return;
      case 2:
        if (!bytes.empty()) bytes[place] = static_cast<char>(below(256));
        return;
      case 3:
        bytes.resize(place);
        return;
      case 4:
        bytes.erase(place, 1 + below(16));
        return;
      case 5:
        for (std::size_t left = 1 + below(4); left > 0; --left)
          bytes.insert(place, piece_of(bytes));
        return;
      case 6:
        bytes.insert(place, piece_of(other));
        return;
      case 7:
        bytes = bytes.substr(0, place) + other.substr(below(other.size()));
        return;
      case 8:
        bytes.insert(place, one_of(words_));
        return;
      default:
        const std::string word = one_of(words_);
        bytes.replace(place, word.size(), word);
    }
  }

  std::vector<std::string> seeds_, words_;
  Random random_{.seed = 1};
};

void fuzz(const std::string& name, FuzzTarget target, const std::string& corpus, Index executions) {
  std::vector<std::string> paths, seeds;
  for (const auto& entry : std::filesystem::directory_iterator(corpus + "/" + name)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) run(target, seeds.emplace_back(read_file(path)));
  Mutations mutations(seeds, words_in(corpus + "/" + name + ".dict"));
  for (; executions > 0; --executions) run(target, mutations.next());
}

}  // namespace
}  // namespace fovea

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments, arguments + count);
  for (const auto& [name, target] : fovea::kFuzzTargets) {
    if (count < 3 || given[1] != name) continue;
    fovea::kept_at = std::filesystem::absolute("failed-" + given[1]).string();
    fovea::kept_text = "the input is in " + fovea::kept_at + "; to run it alone: " + given[0] +
                       " " + given[1] + " " + fovea::kept_at + "\n";
    fovea::keep_what_ends_the_process();
    if (count == 3) {
      fovea::run(target, fovea::read_file(given[2]));
    } else {
      fovea::fuzz(given[1], target, given[2], std::stoi(given[3]));
    }
    return 0;
  }
  fmt::print(stderr, "usage: {0} NAME CORPUS EXECUTIONS\n       {0} NAME FILE\n", given[0]);
  return 2;
}
