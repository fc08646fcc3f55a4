// Parallel loops whose split depends on the work alone, so that any number of threads gives the
// same bytes.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "fovea/base/index.h"

namespace fovea {

// How many threads parallel loops use. Starts as OpenMP's choice (OMP_NUM_THREADS or the cores).
int threads();
void set_threads(int count);

// Denormal numbers are zero while this lives; the caller's setting comes back afterwards.
// Denormals cost 65 times a normal multiplication (docs/performance.md).
class FlushToZero {
 public:
  FlushToZero();
  ~FlushToZero();
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  unsigned long long saved_;
};

namespace detail {
void run_chunks(Index count, void (*body)(const void* context, Index chunk), const void* context);
}

// Calls body(begin, end) on ranges of `grain` items (the last may be shorter) that cover [0,
// count). Every range runs exactly once, with denormals flushed; an exception of a body reaches the
// caller.
template <class Body>
void parallel_for(Index count, Index grain, const Body& body) {
  if (count <= 0) return;
  if (count <= grain) {
    const FlushToZero guard;
    body(Index{0}, count);
    return;
  }
  auto range = [&](Index chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); };
  detail::run_chunks(
      ceil_div(count, grain),
      [](const void* context, Index chunk) {
        (*static_cast<decltype(range)*>(const_cast<void*>(context)))(chunk);
      },
      std::addressof(range));
}

}  // namespace fovea
