// What every call into oneDNN needs.
#pragma once

#include <omp.h>

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

}  // namespace fovea::kernels
