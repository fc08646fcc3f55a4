#include "fovea/kernels/dropout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/dropout.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void DropoutGroup(const Dropout& w, Index first, Index count) {
  const D d;
  HWY_ALIGN float factor[kGroup];
  KeepFactors(w.random, (w.start + static_cast<std::uint64_t>(first)) / kGroup, w.probability,
              factor);
  const float* x = w.x + first;
  float* y = w.y + first;
  ForEachVector(count, [&](Index i, auto io) HWY_ATTR {
    const V kept = hn::LoadU(d, factor + i);
    const V scaled = hn::Mul(io.load(x + i), kept);
    io.store(hn::IfThenElseZero(hn::Gt(kept, hn::Zero(d)), scaled), y + i);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(DropoutGroup);
}

void dropout(const Dropout& work) {
  constexpr Index kGroup = 64;
  parallel_for(ceil_div(work.count, kGroup), 64, [&](Index begin, Index end) {
    for (Index group = begin; group < end; ++group) {
      HWY_DYNAMIC_DISPATCH(DropoutGroup)
      (work, group * kGroup, std::min(kGroup, work.count - group * kGroup));
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
