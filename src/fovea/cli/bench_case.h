// What `fovea bench` measures: a name, how much work it is, and the work itself.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/tensor/ids.h"
#include "fovea/tensor/tensor.h"

namespace fovea::cli {

struct BenchCase {
  std::string name;
  double flops;  // arithmetic operations of a call; a fused multiply-add is two
  double bytes;  // read and written at least, each number once; 0 where arithmetic takes longer
  // Makes the data, checks the result, and returns what is to be timed.
  std::function<std::function<void()>()> prepare;
  bool slow = false;  // takes a minute: only on demand
};

std::vector<BenchCase> attention_cases();  // bench_attention.cc
std::vector<BenchCase> kernel_cases();     // bench_kernels.cc
std::vector<BenchCase> training_cases();   // bench_training.cc

// Fails, with the name, when |actual - expected| > tolerance. NaN is never near.
void expect_near(const std::string& name, double actual, double expected, double tolerance);
// The same for all numbers of two tensors; the tolerance is a share of the largest expected one.
void expect_near(const std::string& name, const Tensor& actual, const Tensor& expected,
                 double share);

// Normal numbers, the same ones for the same shape in every run.
Tensor some_numbers(const Shape& shape, float deviation = 1.0f);
Ids some_labels(Index count, Index classes);

}  // namespace fovea::cli
