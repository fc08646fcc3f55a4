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

#include <atomic>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "fovea/base/error.h"

namespace fovea::kernels {
namespace {

HWY_EXPORT(Name);

constexpr char kAmx[] = "AMX";
constinit std::atomic<bool> amx_allowed = true;     // by UseIsa
constinit std::atomic<bool> amx_forbidden = false;  // by FOVEA_ISA

// Linux gives a process the unit's registers when it asks for them.
bool machine_has_amx() {
#if defined(__x86_64__) && defined(__linux__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kBf16) == 0 || (d & kTile) == 0) {
    return false;
  }
  constexpr long kAskForState = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
#else
  return false;
#endif
}

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

// That this process may use.
bool has_amx() {
  static const bool has = (HWY_TARGETS & HWY_AVX3) != 0 && machine_has_amx();
  return has && !amx_forbidden;
}

}  // namespace

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  if (has_amx()) names.emplace_back(kAmx);
  for (const std::int64_t target : available_targets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string current_isa() { return may_use_amx() ? kAmx : vector_isa(); }

std::string vector_isa() { return HWY_DYNAMIC_DISPATCH(Name)(); }

bool may_use_amx() { return amx_allowed && has_amx(); }

UseIsa::UseIsa(const std::string& name) {
  amx_allowed = name == kAmx;
  if (may_use_amx()) {
    choose(HWY_AVX3);
    return;
  }
  for (const std::int64_t target : available_targets()) {
    if (name == hwy::TargetName(target)) {
      choose(target);
      return;
    }
  }
  amx_allowed = true;
  fail("UseIsa: this machine or this build does not have '{}'", name);
}

UseIsa::~UseIsa() {
  choose(0);  // what the machine has
  amx_allowed = true;
}

namespace detail {

bool apply_isa_cap() {
  const char* wish = std::getenv("FOVEA_ISA");
  if (wish == nullptr) return false;
  const std::string_view cap = wish;
  amx_forbidden = cap == "sse4" || cap == "avx2" || cap == "avx512";
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
