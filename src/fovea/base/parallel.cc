#include "fovea/base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>

#include "fovea/base/error.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fovea {
namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{omp_get_max_threads()};
  return count;
}

#if defined(__x86_64__)
constexpr unsigned kFlushBits = 0x8040;  // flush results to zero, read denormals as zero
unsigned long long read_control() { return _mm_getcsr(); }
void write_control(unsigned long long bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
constexpr unsigned long long kFlushBits = 1ull << 24;
unsigned long long read_control() {
  unsigned long long bits;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
void write_control(unsigned long long bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
constexpr unsigned long long kFlushBits = 0;
unsigned long long read_control() { return 0; }
void write_control(unsigned long long) {}
#endif

}  // namespace

int threads() { return thread_count().load(std::memory_order_relaxed); }

void set_threads(int count) {
  if (count < 1) fail("set_threads: {} threads were asked for; at least 1 is needed", count);
  thread_count().store(count, std::memory_order_relaxed);
}

FlushToZero::FlushToZero() : saved_(read_control()) {
  if ((saved_ & kFlushBits) != kFlushBits) write_control(saved_ | kFlushBits);
}

FlushToZero::~FlushToZero() {
  if ((saved_ & kFlushBits) != kFlushBits) write_control(saved_);
}

namespace detail {

void run_chunks(Index count, void (*body)(const void*, Index), const void* context) {
  const int team = threads();
  if (team == 1 || count == 1 || omp_in_parallel()) {
    const FlushToZero guard;
    for (Index i = 0; i < count; ++i) body(context, i);
    return;
  }
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  // Always the whole team: libgomp ends the threads that a smaller team leaves out.
#pragma omp parallel num_threads(team) default(none) shared(next, failed, error) \
    firstprivate(count, body, context)
  {
    const FlushToZero guard;
    try {
      for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(context, i);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace detail
}  // namespace fovea
