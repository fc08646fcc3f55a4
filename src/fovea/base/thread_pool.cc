#include "fovea/base/thread_pool.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/signals.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fovea::detail {
namespace {

// Some 100 us: longer than what lies between two loops of a training step, shorter than anyone else
// would notice.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

thread_local bool inside_chunk = false;

// The gate says in one word whether a loop is open, which one, and how many helpers are in it: a
// helper enters by adding itself to a gate it saw open, so that none can enter once the caller has
// closed it.
constexpr std::uint64_t kOpen = 1;
constexpr std::uint64_t kHelper = 2;
constexpr std::uint64_t kHelpers = 0xFFFFFFFFull & ~kOpen;
constexpr std::uint64_t kLoop = 1ull << 32;

class Pool {
 public:
  void run(int threads, Index count, ChunkBody body, const void* context) {
    std::unique_lock lock(callers_, std::defer_lock);
    if (inside_chunk || threads == 1 || count == 1 || !lock.try_lock()) {
      for (Index i = 0; i < count; ++i) body(context, i);
      return;
    }
    hire(threads - 1);
    body_ = body;
    context_ = context;
    invited_ = static_cast<int>(std::min<Index>(threads - 1, count - 1));
    sharers_ = std::min(invited_ + 1, kMostSharers);
    for (int i = 0; i < sharers_; ++i) {
      shares_[i].next.store(count * i / sharers_, std::memory_order_relaxed);
      shares_[i].end = count * (i + 1) / sharers_;
    }
    const std::uint64_t loop = (gate_.load(std::memory_order_relaxed) & ~(kLoop - 1)) + kLoop;
    gate_.store(loop | kOpen, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) gate_.notify_all();
    work(0);
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (int spins = 0; (gate_.load(std::memory_order_acquire) & kHelpers) != 0; ++spins) {
      if (spins < kSpins) {
        pause();
      } else {
        std::this_thread::yield();  // the helper may be waiting for this very core
      }
    }
  }

 private:
  // Threads are started when they are first needed and live as long as the process. Where the
  // system gives no more of them, those that are there do the work. Signals go to the
  // program's own threads.
  void hire(int helpers) {
    if (hired_ >= helpers) return;
    const HoldSignals guard;  // a thread starts with the mask of the one that starts it
    try {
      for (; hired_ < helpers; ++hired_)
        std::thread([this, number = hired_] { serve(number); }).detach();
    } catch (const std::system_error&) {
    }
  }

  // A thread starts with its own share, so that data stays near it from loop to loop, and goes on
  // with what others have left of theirs.
  void work(int sharer) {
    inside_chunk = true;
    for (int k = 0; k < sharers_; ++k) {
      Share& share = shares_[(sharer + k) % sharers_];
      for (Index i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) {
        body_(context_, i);
      }
    }
    inside_chunk = false;
  }

  void serve(int number) {
    const HoldSignals guard;
    omp_set_num_threads(1);  // what a chunk calls in oneDNN runs on this thread
    use_memory_lane(number + 1);
    std::uint64_t last = 0;  // the loop this helper has been in
    for (int spins = 0;; ++spins) {
      std::uint64_t gate = gate_.load(std::memory_order_acquire);
      const bool news = (gate & kOpen) != 0 && (gate & ~(kLoop - 1)) != last;
      if (news && gate_.compare_exchange_weak(gate, gate + kHelper, std::memory_order_acq_rel)) {
        last = gate & ~(kLoop - 1);
        if (number < invited_) work(number + 1);
        gate_.fetch_sub(kHelper, std::memory_order_release);
        spins = 0;
      } else if (spins < kSpins) {
        pause();
      } else if (!news) {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        gate_.wait(gate, std::memory_order_seq_cst);
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
        spins = 0;
      }
    }
  }

  std::mutex callers_;
  int hired_ = 0;
  ChunkBody body_ = nullptr;
  const void* context_ = nullptr;
  int invited_ = 0, sharers_ = 0;
  static constexpr int kMostSharers = 64;
  struct alignas(64) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };
  Share shares_[kMostSharers];
  alignas(64) std::atomic<std::uint64_t> gate_{0};
  alignas(64) std::atomic<int> sleepers_{0};
};

}  // namespace

void run_on_pool(int threads, Index count, ChunkBody body, const void* context) {
  static Pool* const pool = new Pool;  // never destroyed: helpers may outlive any static
  pool->run(threads, count, body, context);
}

}  // namespace fovea::detail
