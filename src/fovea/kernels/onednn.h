// What every call into oneDNN needs.
#pragma once

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "fovea/base/signals.h"

namespace fovea::kernels {

// While this lives, oneDNN uses the calling thread alone: slices and their threads are ours, so
// that the result does not depend on the number of threads. And signals wait: its products use the
// stack pointer as a register for numbers in the heap, where a handler would write its frame.
class CallsOneDnn {
 public:
  CallsOneDnn() : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~CallsOneDnn() { omp_set_num_threads(threads_); }
  CallsOneDnn(const CallsOneDnn&) = delete;
  CallsOneDnn& operator=(const CallsOneDnn&) = delete;

 private:
  HoldSignals signals_;
  int threads_;
};

// Where it has these instructions, it is ahead of our tiles in some places, else hardly ever.
inline bool onednn_has_avx512() {
  static const bool has =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return has;
}

}  // namespace fovea::kernels
