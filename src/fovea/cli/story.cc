#include "fovea/cli/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fovea/cli/text.h"
#include "fovea/models/trace_alignment.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kBar = 20;        // columns of a weight's bar; a score's is half as long
constexpr Index kContextNumbers = 6;    // of a context vector that are shown
constexpr float kWorthShowing = 0.01f;  // weights below are summed up

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, width(text)), ' ');
}

// A piece without the marks of how it joins its neighbours.
std::string shown(std::string piece) {
  for (const std::string_view mark : {"\u2581", "\uFFED"}) {
    for (std::size_t at; piece != mark && (at = piece.find(mark)) != std::string::npos;) {
      piece.erase(at, mark.size());
    }
  }
  return printable(piece);
}

std::string context_text(const Tensor& context) {
  const Tensor c = context.packed();
  double squares = 0;
  std::string first;
  for (Index i = 0; i < c.size(); ++i) {
    squares += static_cast<double>(c.data()[i]) * static_cast<double>(c.data()[i]);
    if (i < kContextNumbers) first += fmt::format(" {:+.2f}", c.data()[i]);
  }
  return fmt::format("{} numbers, length {:.2f}:{}{}", c.size(), std::sqrt(squares), first,
                     c.size() > kContextNumbers ? " ..." : "");
}

class Story {
 public:
  Story(const Trace& trace, const LookChoice& choice, const TerminalStyle& style)
      : trace_(trace),
        outputs_(trace.labels("target")),
        style_(style),
        weights_(weights_of(trace, choice)) {
    const auto heads = heads_of(trace, choice);
    if (heads.size() == 1 && heads[0].scores) {
      scores_ = heads[0].scores.packed();  // a mean of scores says nothing
    }
    for (const Trace::Label& key : trace.labels(heads.empty() ? "source" : heads[0].keys)) {
      names_.push_back(shown(key.text));
      widest_ = std::max(widest_, width(names_.back()));
    }
  }

  std::string text() const {
    std::string text = fmt::format("{}\n{}\n", printable(trace_.input), printable(trace_.output));
    for (std::size_t step = 0; step < trace_.steps.size(); ++step) {
      const std::string before = step == 0 ? "<s>" : shown(outputs_[step - 1].text);
      text += fmt::format("\nstep {}, after {}\n", step + 1, before);
      if (weights_) text += looks(static_cast<Index>(step));
      if (trace_.steps[step].context) {
        text += "  read   " + context_text(trace_.steps[step].context) + "\n";
      }
      text += "  next   " + choices(trace_.steps[step]) + "\n";
      text += "  said   " + shown(outputs_[step].text) + "\n";
    }
    return text;
  }

 private:
  // The words worth showing, in the order of the sentence.
  std::string looks(Index step) const {
    const auto keys = static_cast<Index>(names_.size());
    const float* weight = weights_.data() + step * keys;
    const float* score = scores_ ? scores_.data() + step * keys : nullptr;
    const float most = *std::max_element(weight, weight + keys);
    double rest = 0;
    Index left_out = 0;
    std::string text;
    for (Index k = 0; k < keys; ++k) {
      if (weight[k] < std::min(kWorthShowing, most)) {
        rest += weight[k];
        ++left_out;
        continue;
      }
      text += fmt::format("  {}   {}", text.empty() ? "look" : "    ",
                          padded(names_[static_cast<std::size_t>(k)], widest_));
      if (score != nullptr) text += "  score " + score_bar(score, keys, k);
      text += fmt::format("  weight {:.2f} {}\n", weight[k], bar(weight[k], kBar, style_));
    }
    if (rest >= kWorthShowing / 2) {
      text +=
          fmt::format("         and {} with {:.2f} together\n", counted(left_out, "other"), rest);
    }
    return text;
  }

  // From the lowest score of the step to the highest.
  std::string score_bar(const float* score, Index keys, Index k) const {
    float low = 0, high = 0;
    bool first = true;
    for (Index i = 0; i < keys; ++i) {
      if (!std::isfinite(score[i])) continue;
      low = first ? score[i] : std::min(low, score[i]);
      high = first ? score[i] : std::max(high, score[i]);
      first = false;
    }
    const double share = high > low ? (score[k] - low) / (high - low) : 1;
    return fmt::format("{:>6.2f} {}", score[k], padded(bar(share, kBar / 2, style_), kBar / 2));
  }

  static std::string choices(const Trace::Step& step) {
    std::string text;
    for (const Trace::Choice& choice : step.choices) {
      if (!text.empty() && choice.probability < kWorthShowing / 2) break;
      text += fmt::format("{}{} {:.2f}", text.empty() ? "" : "  ", shown(choice.text),
                          choice.probability);
    }
    return text;
  }

  const Trace& trace_;
  const std::vector<Trace::Label>& outputs_;
  TerminalStyle style_;
  Tensor weights_, scores_;  // [step, key]
  std::vector<std::string> names_;
  std::size_t widest_ = 0;
};

}  // namespace

std::string story_of(const Trace& trace, const LookChoice& choice, const TerminalStyle& style) {
  return Story(trace, choice, style).text();
}

}  // namespace fovea::cli
