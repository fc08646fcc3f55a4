// Learning-rate schedules: values, and one function from step to rate.
#pragma once

#include <string>
#include <variant>

#include "fovea/base/index.h"

namespace fovea {

// All rise linearly from 0 over the first `warmup` steps. Steps count from 1.
struct ConstantRate {
  float rate = 1e-3f;
  Index warmup = 0;
};
// rate at the end of the warm-up, then rate * sqrt(warmup / step) (Vaswani et al. 2017).
struct InverseSquareRoot {
  float rate = 1e-3f;
  Index warmup = 4000;
};
// From rate to `last` along half a cosine (Loshchilov and Hutter 2017), reached at step `steps`.
struct Cosine {
  float rate = 1e-3f;
  Index steps = 1;
  Index warmup = 0;
  float last = 0;
};
// From rate to `last` along a line.
struct LinearDecay {
  float rate = 1e-3f;
  Index steps = 1;
  Index warmup = 0;
  float last = 0;
};

using Schedule = std::variant<ConstantRate, InverseSquareRoot, Cosine, LinearDecay>;

float rate_at(const Schedule& schedule, Index step);
std::string text(
    const Schedule& schedule);  // "cosine rate 0.001 ...": all that makes it what it is

}  // namespace fovea
