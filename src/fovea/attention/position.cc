#include "fovea/attention/position.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// cos and sin of every position and pair: [time, dim / 2] each.
struct Turns {
  Tensor cosine, sine;
  Turns(Index time, Index dim, const Rotary& options)
      : cosine({time, dim / 2}), sine({time, dim / 2}) {
    for (Index p = 0; p < time; ++p) {
      for (Index i = 0; i < dim / 2; ++i) {
        const double angle = static_cast<double>(p + options.offset) *
                             std::pow(static_cast<double>(options.base),
                                      -2.0 * static_cast<double>(i) / static_cast<double>(dim));
        cosine.data()[p * (dim / 2) + i] = static_cast<float>(std::cos(angle));
        sine.data()[p * (dim / 2) + i] = static_cast<float>(std::sin(angle));
      }
    }
  }
};

// y = x turned; by the opposite angles where `back`, which is the gradient.
Tensor turned(const Tensor& x, const Turns& turns, bool interleaved, bool back) {
  const Index time = x.shape(2), dim = x.shape(3), half = dim / 2;
  const Tensor in = x.packed();
  Tensor y(x.shape());
  const Index step = interleaved ? 2 : 1, apart = interleaved ? 1 : half;
  parallel_for(x.shape(0) * x.shape(1) * time, 256, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const float* from = in.data() + row * dim;
      float* to = y.data() + row * dim;
      const float* cosine = turns.cosine.data() + row % time * half;
      const float* sine = turns.sine.data() + row % time * half;
      for (Index i = 0; i < half; ++i) {
        const float a = from[i * step], b = from[i * step + apart];
        const float s = back ? -sine[i] : sine[i];
        to[i * step] = a * cosine[i] - b * s;
        to[i * step + apart] = b * cosine[i] + a * s;
      }
    }
  });
  return y;
}

double alibi_slope(Index head, Index heads) {
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  if (head < power) {
    return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(power));
  }
  return std::exp2(-4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power));
}

}  // namespace

Tensor sinusoids(Index time, Index dim, Index offset) {
  Tensor result({time, dim});
  for (Index p = 0; p < time; ++p) {
    for (Index i = 0; i < dim; ++i) {
      const double angle =
          static_cast<double>(p + offset) *
          std::pow(10000.0, -static_cast<double>(i / 2 * 2) / static_cast<double>(dim));
      result.data()[p * dim + i] =
          static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return result;
}

Var rotate(const Var& x, const Rotary& options) {
  const Axes n("rotate", {{"x", x.shape(), "batch head time dim"}});
  if (n["dim"] % 2 != 0) fail("rotate: dim {} is odd; numbers turn in pairs", n["dim"]);
  const Turns turns(n["time"], n["dim"], options);
  const bool interleaved = options.interleaved;
  return record("rotate", turned(x.value(), turns, interleaved, false), {x},
                [=](const Tensor& d_y) { add_to_grad(x, turned(d_y, turns, interleaved, true)); });
}

Tensor alibi(Index heads, Index queries, Index keys, Index offset) {
  Tensor result({heads, queries + keys - 1});
  for (Index h = 0; h < heads; ++h) {
    for (Index r = 0; r < queries + keys - 1; ++r) {
      const Index distance = r - (queries - 1) - offset;
      result.data()[h * (queries + keys - 1) + r] =
          static_cast<float>(-alibi_slope(h, heads) * static_cast<double>(std::abs(distance)));
    }
  }
  return result;
}

Var relative_positions(const Var& table, Index queries, Index keys, Index offset) {
  const Axes n("relative_positions", {{"table", table.shape(), "head distance"}});
  if (n["distance"] % 2 != 1) {
    fail("relative_positions: {} distances; from -reach to reach they are an odd number",
         n["distance"]);
  }
  const Index reach = n["distance"] / 2;
  std::vector<std::int32_t> at;
  for (Index r = 0; r < queries + keys - 1; ++r) {
    const Index distance = r - (queries - 1) - offset;
    at.push_back(static_cast<std::int32_t>(std::clamp(distance, -reach, reach) + reach));
  }
  return gather(table, 1, Ids(std::move(at)));
}

}  // namespace fovea
