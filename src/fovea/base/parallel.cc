#include "fovea/base/parallel.h"

#include <omp.h>

#include <atomic>
#include <exception>

#include "fovea/base/error.h"
#include "fovea/base/thread_pool.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fovea {
namespace {

// OMP_NUM_THREADS, or the cores this process may run on.
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

void run_chunks(Index count, ChunkBody body, const void* context) {
  struct Loop {
    ChunkBody body;
    const void* context;
    std::atomic<bool> failed{false};
    std::exception_ptr error;
  } loop{.body = body, .context = context, .error = nullptr};
  run_on_pool(
      threads(), count,
      [](const void* all, Index chunk) {
        Loop& l = *static_cast<Loop*>(const_cast<void*>(all));
        const FlushToZero guard;
        try {
          l.body(l.context, chunk);
        } catch (...) {
          if (!l.failed.exchange(true)) l.error = std::current_exception();
        }
      },
      &loop);
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace detail
}  // namespace fovea
