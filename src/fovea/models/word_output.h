// WordOutput: a model's last layer, from readouts to logits of words: a Linear, or the table of
// words' vectors with a Linear's bias.
#pragma once

#include "fovea/layers/embedding.h"
#include "fovea/layers/linear.h"
#include "fovea/models/next_words.h"

namespace fovea {

struct WordOutput {
  const Linear& linear;
  const Embedding* tied;  // or none

  // readout [label, dim]
  Var logits(const Var& readout) const {
    return tied != nullptr ? linear_tied(readout, tied->table, linear.bias) : linear(readout);
  }
  Var loss(const Var& readout, const Ids& labels, const CrossEntropy& options) const {
    return tied != nullptr
               ? linear_tied_cross_entropy(readout, tied->table, linear.bias, labels, options)
               : linear_cross_entropy(readout, linear.weight, linear.bias, labels, options);
  }
  PreparedWeight prepared() const {  // for many calls of next()
    return PreparedWeight(tied != nullptr ? tied->table : linear.weight);
  }
  NextWords next(const Var& readout) const {
    return {readout.value(), linear.ready, tied != nullptr, linear.bias.value()};
  }
};

}  // namespace fovea
