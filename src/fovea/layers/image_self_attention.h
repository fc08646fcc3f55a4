// Self-attention over the locations of an image, on top of a convolution (SAGAN: Zhang et al. 2018,
// 3): y = gamma o + x, with gamma 0 at the start, so that near things are learned before far ones.
#pragma once

#include "fovea/attention/attend.h"
#include "fovea/layers/linear.h"

namespace fovea {

// Convolutions of 1x1 are products at each location: they are Linear here, over [batch, region,
// channel].
struct ImageSelfAttention {
  Linear key, query;  // f and g: channel -> channel / 8, at least 1
  Linear value;       // h: channel -> channel / 2, at least 1
  Linear output;      // back to channel
  Var gamma;          // [1]

  ImageSelfAttention() = default;
  ImageSelfAttention(Index channels, Random& random);

  // x [batch, channel, height, width], any height and width. Weights [batch, 1, region, region]:
  // where each location (a query) looks; not scaled by the number of channels, as in the paper.
  Attended attended(const Var& x) const;
  // y, shaped like x.
  Var project(const Attended& attended, const Var& x) const;
  Var operator()(const Var& x) const { return project(attended(x), x); }

  void visit(auto&& member) {
    member("key", key);
    member("query", query);
    member("value", value);
    member("output", output);
    member("gamma", gamma);
  }
};

}  // namespace fovea
