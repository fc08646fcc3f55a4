#include "fovea/cli/machine.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <fstream>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

#include "fovea/base/buffer.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"  // applies FOVEA_ISA

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/cli/machine.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cli::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kChains = 12;  // 2 a cycle, 4 to 5 cycles until a result can be used: 10 at least

// Each chain is s = s / 2 + 1 / 2, which ends at 1 wherever it starts. Twelve variables, because
// an array of vectors may leave the registers; loaded, or the compiler sees that they are equal.
void FmaChains(float* state, Index rounds) {
  const hn::ScalableTag<float> d;
  const size_t n = hn::Lanes(d);
  const auto half = hn::Set(d, 0.5f);
  auto s0 = hn::LoadU(d, state), s1 = hn::LoadU(d, state + n);
  auto s2 = hn::LoadU(d, state + 2 * n), s3 = hn::LoadU(d, state + 3 * n);
  auto s4 = hn::LoadU(d, state + 4 * n), s5 = hn::LoadU(d, state + 5 * n);
  auto s6 = hn::LoadU(d, state + 6 * n), s7 = hn::LoadU(d, state + 7 * n);
  auto s8 = hn::LoadU(d, state + 8 * n), s9 = hn::LoadU(d, state + 9 * n);
  auto s10 = hn::LoadU(d, state + 10 * n), s11 = hn::LoadU(d, state + 11 * n);
  for (Index i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, half, half);
    s1 = hn::MulAdd(s1, half, half);
    s2 = hn::MulAdd(s2, half, half);
    s3 = hn::MulAdd(s3, half, half);
    s4 = hn::MulAdd(s4, half, half);
    s5 = hn::MulAdd(s5, half, half);
    s6 = hn::MulAdd(s6, half, half);
    s7 = hn::MulAdd(s7, half, half);
    s8 = hn::MulAdd(s8, half, half);
    s9 = hn::MulAdd(s9, half, half);
    s10 = hn::MulAdd(s10, half, half);
    s11 = hn::MulAdd(s11, half, half);
  }
  hn::StoreU(s0, d, state), hn::StoreU(s1, d, state + n);
  hn::StoreU(s2, d, state + 2 * n), hn::StoreU(s3, d, state + 3 * n);
  hn::StoreU(s4, d, state + 4 * n), hn::StoreU(s5, d, state + 5 * n);
  hn::StoreU(s6, d, state + 6 * n), hn::StoreU(s7, d, state + 7 * n);
  hn::StoreU(s8, d, state + 8 * n), hn::StoreU(s9, d, state + 9 * n);
  hn::StoreU(s10, d, state + 10 * n), hn::StoreU(s11, d, state + 11 * n);
}

Index FmaNumbers() { return kChains * static_cast<Index>(hn::Lanes(hn::ScalableTag<float>())); }

// `count` is a multiple of the longest vector.
void Triad(const float* b, const float* c, float* a, Index count) {
  const hn::ScalableTag<float> d;
  const auto s = hn::Set(d, 0.5f);
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += lanes) {
    hn::StoreU(hn::MulAdd(s, hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, a + i);
  }
}

}  // namespace fovea::cli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cli {
namespace {

HWY_EXPORT(FmaChains);
HWY_EXPORT(FmaNumbers);
HWY_EXPORT(Triad);

constexpr double kBatchSeconds = 1e-4;  // short, to fall between what others do

using Time = std::chrono::steady_clock::time_point;

double seconds_since(Time start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// From the first start to the last end.
double seconds_spanned(const std::vector<std::pair<Time, Time>>& ran) {
  Time first = ran[0].first, last = ran[0].second;
  for (const auto& [from, to] : ran) first = std::min(first, from), last = std::max(last, to);
  return std::chrono::duration<double>(last - first).count();
}

// Ties the calling thread to one of the processors it may use.
void stay_on_processor([[maybe_unused]] int number) {
#ifdef __linux__
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int cpu = 0, left = number % CPU_COUNT(&allowed); cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || left-- > 0) continue;
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
#endif
}

}  // namespace

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

double best_seconds(const std::function<void()>& work, double budget) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = std::numeric_limits<double>::infinity();
  Index calls = 1;
  do {
    const auto start = Clock::now();
    for (Index i = 0; i < calls; ++i) work();
    const double seconds = seconds_since(start);
    best = std::min(best, seconds / static_cast<double>(calls));
    if (seconds < kBatchSeconds) {
      calls = std::max(calls + 1, static_cast<Index>(kBatchSeconds / std::max(best, 1e-9)));
    }
  } while (seconds_since(begin) < budget);
  return best;
}

// Threads of its own, which start together and must all be done: a parallel loop would go on
// without a helper that the system keeps waiting, and the machine would look slower than it is.
FmaRate measure_fma(double budget) {
  constexpr Index kRounds = 100'000;
  const Index numbers = HWY_DYNAMIC_DISPATCH(FmaNumbers)();
  const int team = threads();
  std::vector<std::pair<Time, Time>> ran(static_cast<std::size_t>(team));  // from, to
  std::atomic<bool> right{true}, enough{false};
  double best = std::numeric_limits<double>::infinity();
  const Time begin = std::chrono::steady_clock::now();
  std::barrier together(team);
  const auto work = [&](int self) {
    stay_on_processor(self);
    std::vector<float> state(static_cast<std::size_t>(numbers), 3.0f);
    while (!enough) {
      together.arrive_and_wait();
      auto& [from, to] = ran[static_cast<std::size_t>(self)];
      from = std::chrono::steady_clock::now();
      HWY_DYNAMIC_DISPATCH(FmaChains)(state.data(), kRounds);
      to = std::chrono::steady_clock::now();
      if (std::any_of(state.begin(), state.end(), [](float s) { return s != 1.0f; })) right = false;
      together.arrive_and_wait();
      if (self == 0) {
        best = std::min(best, seconds_spanned(ran));
        enough = seconds_since(begin) >= budget;
      }
      together.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (int self = 0; self < team; ++self) others.emplace_back(work, self);
  for (std::thread& other : others) other.join();
  if (!right) fail("bench: the FMA loop is wrong");
  return {best, static_cast<double>(2 * numbers * team * kRounds) / best};
}

TriadRate measure_triad(Index bytes, double budget) {
  constexpr Index kGrain = 4096;  // numbers: a page of each array and more
  const Index count = round_up(std::max<Index>(1, bytes / 3 / 4), 64);
  const Buffer a(count), b(count), c(count);
  parallel_for(count, kGrain, [&](Index begin, Index end) {
    std::fill(a.data() + begin, a.data() + end, 0.0f);
    std::fill(b.data() + begin, b.data() + end, 1.0f);
    std::fill(c.data() + begin, c.data() + end, 4.0f);
  });
  // Chunks of a cache-sized triad must be worth a thread's while, too.
  const Index grain = std::max(kGrain, round_up(ceil_div(count, 64), 64));
  const auto work = [&] {
    parallel_for(count, grain, [&](Index begin, Index end) {
      HWY_DYNAMIC_DISPATCH(Triad)
      (b.data() + begin, c.data() + begin, a.data() + begin, end - begin);
    });
  };
  work();
  if (!std::all_of(a.data(), a.data() + count, [](float x) { return x == 3.0f; })) {
    fail("bench: the triad is wrong");
  }
  const double seconds = best_seconds(work, budget);
  return {seconds, static_cast<double>(count * 12) / seconds};
}

Index bytes_beyond_caches() {
  constexpr Index kLeast = Index{192} << 20, kMost = Index{512} << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
  return std::clamp<Index>(4 * sysconf(_SC_LEVEL3_CACHE_SIZE), kLeast, kMost);
#else
  return kLeast;
#endif
}

double measure_empty_loop(double budget) {
  const Index team = threads();
  return best_seconds([&] { parallel_for(team, 1, [](Index, Index) {}); }, budget);
}

}  // namespace fovea::cli
#endif  // HWY_ONCE
