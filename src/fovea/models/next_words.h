// NextWords: what a model says of the next word of every row. All of its logits, or a few words: a
// search asks for the best ones, whose logits alone are kept.
#pragma once

#include <span>
#include <vector>

#include "fovea/autograd/prepared.h"
#include "fovea/kernels/largest.h"

namespace fovea {

// The likeliest words of each row: log p = value - total.
struct BestWords {
  Index count = 0;                        // of words in a row
  std::vector<kernels::Largest> words{};  // [row, count], the best first
  std::vector<float> total{};             // [row]

  std::span<const kernels::Largest> of(Index row) const {
    return std::span(words).subspan(static_cast<std::size_t>(row * count),
                                    static_cast<std::size_t>(count));
  }
};

class NextWords {
 public:
  NextWords() = default;
  explicit NextWords(Tensor logits) : logits_(std::move(logits)) {}  // [row, vocab]
  // logits = state weight + bias, or, with the table of words' vectors as weight, state weight' +
  // bias.
  NextWords(Tensor state, PreparedWeight weight, bool is_table, Tensor bias)
      : state_(std::move(state)),
        weight_(std::move(weight)),
        is_table_(is_table),
        bias_(std::move(bias)) {}

  Tensor logits() const;
  BestWords best(Index count) const;  // or all, if there are fewer

 private:
  Tensor logits_, state_;  // one of them
  PreparedWeight weight_;
  bool is_table_ = false;
  Tensor bias_;
};

}  // namespace fovea
