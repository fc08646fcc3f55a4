#include "fovea/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <ostream>
#include <string_view>

#include "fovea/cli/terminal.h"
#include "fovea/cli/text.h"

namespace fovea::cli {
namespace {

constexpr double kSecondsBetweenDrawings = 0.1;
constexpr double kSecondsBetweenLines = 15;
constexpr std::size_t kLongestBar = 30, kBarUnit = 5;
constexpr double kKeep = 0.95;  // of the past, at each step: some 20 steps are told

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressStyle style_of_standard_error() {
  return {.terminal = ::isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb",
          .unicode = terminal_is_unicode(),
          .width = [] { return terminal_width(STDERR_FILENO); },
          .seconds = now};
}

TrainingProgress::TrainingProgress(std::ostream& err, ProgressStyle style)
    : err_(err), style_(std::move(style)) {}

void TrainingProgress::clear() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void TrainingProgress::write_line(const std::string& line) {
  clear();
  err_ << line << std::endl;
}

void TrainingProgress::begun(const Task& task, Index step) {
  unit_ = task.unit();
  drawn_at_ = style_.seconds() - (style_.terminal ? kSecondsBetweenDrawings : 0);
  if (step > 0) write_line(fmt::format("going on after step {}", with_commas(step)));
}

void TrainingProgress::stepped(const Progress& progress) {
  last_ = progress;
  skipped_ += progress.skipped ? 1 : 0;
  const auto add = [](double& total, double value) { total = kKeep * total + value; };
  add(recent_.count, progress.loss.count);
  add(recent_.seconds, progress.step_seconds);
  if (!progress.skipped) {
    add(recent_.loss, progress.loss.sum);
    add(recent_.loss_count, progress.loss.count);
    add_figures(recent_.figures, progress.loss.figures, kKeep);
  }
  const double since = style_.seconds() - drawn_at_;
  if (style_.terminal && since >= kSecondsBetweenDrawings) draw("");
  if (!style_.terminal && since >= kSecondsBetweenLines) {
    drawn_at_ = style_.seconds();
    write_line(fmt::format("{}", fmt::join(facts(), ", ")));
  }
}

void TrainingProgress::validating(Index) {
  if (style_.terminal) draw("validating");
}

void TrainingProgress::validated(Index step, const Grade& score, bool best) {
  score_ = score;
  if (best) best_ = score;
  if (style_.terminal) {
    draw("");
  } else {
    write_line(fmt::format("step {}: {} {}{}", with_commas(step), score.name, score.text,
                           best ? ", the best so far" : ""));
  }
}

void TrainingProgress::noted(const std::string& line) { write_line(printable(line)); }

std::vector<std::string> TrainingProgress::facts() const {
  std::vector<std::string> facts = {"step " + with_commas(last_.step)};
  if (recent_.loss_count > 0)
    facts.push_back(fmt::format("loss {:.3f}", recent_.loss / recent_.loss_count));
  if (score_) {
    const bool is_best = best_ && best_->value == score_->value;
    facts.push_back(fmt::format("{} {}{}", score_->name, score_->text,
                                is_best || !best_ ? "" : " (best " + best_->text + ")"));
  }
  if (std::isfinite(last_.seconds_left)) {
    facts.push_back(duration(last_.seconds_left) + " left");
  } else {
    facts.push_back(duration(last_.seconds));
  }
  if (recent_.loss_count > 0) {
    for (const auto& [name, value] : divided(recent_.figures, recent_.loss_count)) {
      facts.push_back(fmt::format("{} {:.2f}", name, value));
    }
  }
  if (recent_.seconds > 0) {
    facts.push_back(
        fmt::format("{} {}/s", with_commas(std::llround(recent_.count / recent_.seconds)), unit_));
  }
  if (skipped_ > 0) facts.push_back(counted(skipped_, "step") + " skipped");
  return facts;
}

std::string TrainingProgress::bar(std::size_t columns) const {
  const auto full = static_cast<std::size_t>(last_.share * static_cast<double>(columns));
  const char* const done = style_.unicode ? "█" : "#";
  const char* const left = style_.unicode ? "░" : ".";
  return fmt::format("{:3.0f}% {}{}", std::floor(100 * last_.share), repeated(done, full),
                     repeated(left, columns - full));
}

void TrainingProgress::draw(const std::string& doing) {
  std::vector<std::string> all = facts();
  if (!doing.empty()) all.insert(all.begin() + 1, doing);
  // The last column stays free: some terminals go to the next line when it is filled.
  const auto room = static_cast<std::size_t>(std::max(1, style_.width() - 1));
  const std::size_t percent = 5;
  std::string line;
  for (const std::string& fact : all) {
    const std::string longer = line + (line.empty() ? "" : "  ") + fact;
    if (width(longer) > room) break;
    line = longer;
  }
  const std::size_t used = width(line) + 2 + percent;
  // In units, so that it does not jump about as numbers grow and shrink.
  const std::size_t left = room > used ? (room - used) / kBarUnit * kBarUnit : 0;
  if (last_.share > 0 && left >= 2 * kBarUnit)
    line = bar(std::min(kLongestBar, left)) + "  " + line;
  err_ << "\r" + line + "\x1b[K" << std::flush;
  drawn_ = true;
  drawn_at_ = style_.seconds();
}

}  // namespace fovea::cli
