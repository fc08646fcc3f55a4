// The log of a training run: what was measured when, one JSON object a line.
//
//   {"step":100,"seconds":3.2,"loss":4.1,"rate":0.001,"per_second":9021.5,"gradient_norm":0.8}
//   {"step":100,"seconds":3.9,"metric":"BLEU","score":12.25,"text":"12.3"}
//
// What a task measures beside its loss stands in "figures": {"reward":0.97,"spread":0.31}.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

// How good a model is. Larger is better.
struct Grade {
  double value = 0;
  std::string name{};  // "BLEU"
  std::string text{};  // the value as a person reads it: "38.5"
  // Between equal values, such as a BLEU of 0, which all translations have that share no four words
  // with the truth.
  double second = 0;
};

// What a task measures while it learns, beside its loss: by name, in the order they are shown.
using Figures = std::vector<std::pair<std::string, double>>;

// to = keep * to + from, name by name; a new name comes last.
void add_figures(Figures& to, const Figures& from, double keep = 1);
Figures divided(Figures figures, double by);

// A validation if there is a score; else a report of the steps since the report before it.
struct LogEntry {
  Index step = 0;
  double seconds = 0;  // of training, over all runs
  double loss = 0;     // mean; not a number if no step counted
  double rate = 0;
  double per_second = 0;     // of what the loss counts: words, images
  double gradient_norm = 0;  // of the last step
  Figures figures{};         // means
  std::optional<Grade> score{};
};

std::string log_line(const LogEntry& entry);  // without the newline

// A file that grows by a line for each entry.
class LogFile {
 public:
  // Begins the file with `entries`, whatever stood there. Without a path nothing is written.
  void open(const std::string& path, const std::vector<LogEntry>& entries);
  void add(const LogEntry& entry);

 private:
  std::string path_;
  std::ofstream file_;
};

std::string log_text(const std::vector<LogEntry>& entries);

// Lines as log_line writes them. `name` (a file) stands at the start of the message of an error.
std::vector<LogEntry> parse_log(std::string_view text, const std::string& name);

}  // namespace fovea
