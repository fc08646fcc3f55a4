#include "fovea/kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/isa.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>
#include <string_view>

#include "fovea/base/error.h"

namespace fovea::kernels {
namespace {

HWY_EXPORT(Name);

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<std::int64_t> available_targets() {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  // As a side effect it chose the best of the machine, whatever is disabled.
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return targets;
}

}  // namespace

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const std::int64_t target : available_targets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string current_isa() { return HWY_DYNAMIC_DISPATCH(Name)(); }

UseIsa::UseIsa(const std::string& name) {
  for (const std::int64_t target : available_targets()) {
    if (name == hwy::TargetName(target)) {
      choose(target);
      return;
    }
  }
  fail("UseIsa: this machine or this build does not have '{}'", name);
}

UseIsa::~UseIsa() { choose(0); }  // 0: what the machine has

namespace detail {

bool apply_isa_cap() {
  const char* wish = std::getenv("FOVEA_ISA");
  if (wish == nullptr) return false;
  const std::string_view cap = wish;
  if (cap == "sse4") {
    hwy::DisableTargets(HWY_AVX3_DL | HWY_AVX3 | HWY_AVX2);
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
  } else if (cap == "avx2") {
    hwy::DisableTargets(HWY_AVX3_DL | HWY_AVX3);
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
  }
  return true;
}

}  // namespace detail
}  // namespace fovea::kernels
#endif  // HWY_ONCE
