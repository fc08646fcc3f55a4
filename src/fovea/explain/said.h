// A source and what a translator says of it, as functions that can be explained: for each piece y_t
// that is said, the last one </s>, log p(y_t | y_1 ... y_{t-1}, source).
#pragma once

#include "fovea/explain/explained.h"
#include "fovea/models/translator.h"

namespace fovea {

class Said {
 public:
  // Without </s>. The translator must outlive this.
  Said(const Translator& net, Words source, Words target);

  const Words& source() const { return source_; }
  const Words& target() const { return target_; }
  Index outputs() const { return static_cast<Index>(target_.size()) + 1; }
  Index units() const { return static_cast<Index>(source_.size()) + 1; }
  const Tensor& vectors() const { return vectors_; }  // [unit, dim]: of the source and its </s>

  // Of vectors in the place of the source's: log p(y_t | ...), and what the softmax makes it of.
  Explained log_probability() const;
  Explained activation() const;
  // log p of output which[r] of row r of x [row, unit, dim], with a look inside.
  Var log_probability(const Var& x, const Ids& which, Insight* insight) const;

  // log p of every output, had the source (here with its </s>) been another: [source, output].
  Tensor log_probabilities(std::span<const Words> sources) const;

  // Where the translator looked, of all outputs at once.
  Insight insight() const;

 private:
  struct Rows {
    Var logits;  // [row, vocab]
    Ids labels;
  };
  Rows rows(const Var& x, const Ids& which, Insight* insight) const;

  const Translator* net_;
  Words source_, target_;
  Tensor vectors_;
};

}  // namespace fovea
