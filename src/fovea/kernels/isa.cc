#include "fovea/kernels/isa.h"

#include <hwy/highway.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>
#include <string_view>

#include "fovea/base/error.h"

namespace fovea::kernels {
namespace {

void choose(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::int64_t best_target() {
  const std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return targets & -targets;  // the lowest bit is the best one
}

}  // namespace

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string current_isa() { return hwy::TargetName(best_target()); }

UseIsa::UseIsa(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
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
