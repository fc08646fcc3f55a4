#include "fovea/training/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea {
namespace {

// How far step is between the end of the warm-up (0) and the last step (1).
double progress(Index step, Index warmup, Index steps) {
  if (steps <= warmup) return 1;
  return std::clamp(static_cast<double>(step - warmup) / static_cast<double>(steps - warmup), 0.0,
                    1.0);
}

double after_warmup(const ConstantRate& s, Index) { return static_cast<double>(s.rate); }

double after_warmup(const InverseSquareRoot& s, Index step) {
  return s.rate *
         std::sqrt(static_cast<double>(std::max<Index>(1, s.warmup)) / static_cast<double>(step));
}

double after_warmup(const Cosine& s, Index step) {
  const double part = 0.5 * (1 + std::cos(std::numbers::pi * progress(step, s.warmup, s.steps)));
  return s.last + (s.rate - s.last) * part;
}

double after_warmup(const LinearDecay& s, Index step) {
  return s.rate + (s.last - s.rate) * progress(step, s.warmup, s.steps);
}

std::string described(const ConstantRate& s) {
  return fmt::format("constant rate {} warmup {}", s.rate, s.warmup);
}
std::string described(const InverseSquareRoot& s) {
  return fmt::format("inverse_square_root rate {} warmup {}", s.rate, s.warmup);
}
std::string described(const Cosine& s) {
  return fmt::format("cosine rate {} steps {} warmup {} last {}", s.rate, s.steps, s.warmup,
                     s.last);
}
std::string described(const LinearDecay& s) {
  return fmt::format("linear rate {} steps {} warmup {} last {}", s.rate, s.steps, s.warmup,
                     s.last);
}

}  // namespace

std::string text(const Schedule& schedule) {
  return std::visit([](const auto& s) { return described(s); }, schedule);
}

float rate_at(const Schedule& schedule, Index step) {
  return std::visit(
      [&](const auto& s) {
        const Index now = std::max<Index>(1, step);
        if (now < s.warmup) {
          return static_cast<float>(static_cast<double>(s.rate) * static_cast<double>(now) /
                                    static_cast<double>(s.warmup));
        }
        return static_cast<float>(after_warmup(s, now));
      },
      schedule);
}

}  // namespace fovea
