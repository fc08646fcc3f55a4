// What every call into oneDNN needs.
#pragma once

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

namespace fovea::kernels {

// While this lives, oneDNN uses the calling thread alone: slices and their threads are ours, so
// that the result does not depend on the number of threads.
class OneThread {
 public:
  OneThread() : saved_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(saved_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int saved_;
};

// Where it has these instructions, it is ahead of our tiles in some places, else hardly ever.
inline bool onednn_has_avx512() {
  static const bool has =
      (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return has;
}

}  // namespace fovea::kernels
