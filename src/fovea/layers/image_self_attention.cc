#include "fovea/layers/image_self_attention.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/layers/one_head.h"

namespace fovea {

ImageSelfAttention::ImageSelfAttention(Index channels, Random& random) {
  if (channels < 1) fail("ImageSelfAttention: {} channels; at least 1 is needed", channels);
  const Index few = std::max<Index>(1, channels / 8), half = std::max<Index>(1, channels / 2);
  key = Linear(channels, few, random, false);
  query = Linear(channels, few, random, false);
  value = Linear(channels, half, random, false);
  output = Linear(half, channels, random, false);
  gamma = Var::parameter(Tensor::zeros({1}));
}

Attended ImageSelfAttention::attended(const Var& x) const {
  const Axes n("ImageSelfAttention", {{"x", x.shape(), "batch channel height width"},
                                      {"key.weight", key.weight.shape(), "channel dim"}});
  const Var locations = transpose(reshape(x, {n["batch"], n["channel"], -1}));
  return attend(one_head(query(locations)), one_head(key(locations)), one_head(value(locations)),
                {.score = dot()});
}

Var ImageSelfAttention::project(const Attended& attended, const Var& x) const {
  const Var o = output(squeeze(attended.output, 1));  // [batch, region, channel]
  return gamma * reshape(transpose(o), x.shape()) + x;
}

}  // namespace fovea
