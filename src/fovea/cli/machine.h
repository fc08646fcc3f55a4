// What this machine can do at most: the limits that kernels are measured against.
#pragma once

#include <functional>
#include <string>

#include "fovea/base/index.h"

namespace fovea::cli {

std::string cpu_name();  // "unknown CPU" where the system does not say

// Seconds a call of `work` takes: the best of many short batches over about `budget` seconds,
// because whatever made the others slower was not the work.
double best_seconds(const std::function<void()>& work, double budget);

// Fused multiply-adds (a product and a sum where the instruction set has none) on registers alone,
// with as many threads as parallel loops use, on the instruction set that kernels use.
struct FmaRate {
  double seconds;  // of one measured call
  double flops;    // a second
};
FmaRate measure_fma(double budget);

// a[i] = b[i] + s c[i], three arrays of bytes / 3 each: bytes a second, not counting that a is
// read before it is written.
struct TriadRate {
  double seconds;
  double bytes;  // a second
};
TriadRate measure_triad(Index bytes, double budget);

// Bytes of a triad that no cache of this machine holds.
Index bytes_beyond_caches();

// Seconds of a parallel loop that does nothing.
double measure_empty_loop(double budget);

}  // namespace fovea::cli
