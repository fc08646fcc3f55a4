// Training as a person follows it: one bar on a terminal, or a line now and then in a file.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "fovea/training/trainer.h"

namespace fovea::cli {

struct ProgressStyle {
  bool terminal = false;            // redraws one line; else writes a new one now and then
  bool unicode = false;             // the terminal shows more than ASCII
  std::function<int()> width;       // of the terminal, now
  std::function<double()> seconds;  // a clock
};
ProgressStyle style_of_standard_error();

class TrainingProgress : public Observer {
 public:
  TrainingProgress(std::ostream& err, ProgressStyle style);
  ~TrainingProgress() override { clear(); }

  void clear();  // takes the bar away, for what else is to be written there

  void begun(const Task& task, Index step) override;
  void stepped(const Progress& progress) override;
  void validating(Index step) override;
  void validated(Index step, const Grade& score, bool best) override;
  void noted(const std::string& line) override;

 private:
  void draw(const std::string& doing);
  void write_line(const std::string& line);
  std::vector<std::string> facts() const;  // the most important first
  std::string bar(std::size_t columns) const;

  std::ostream& err_;
  ProgressStyle style_;
  std::string unit_;
  Progress last_{};
  std::optional<Grade> score_, best_;
  Index skipped_ = 0;

  // Of the last steps, those long ago counting little.
  struct Recent {
    double loss = 0, loss_count = 0, count = 0, seconds = 0;
    Figures figures{};
  } recent_;

  bool drawn_ = false;
  double drawn_at_ = 0;
};

}  // namespace fovea::cli
