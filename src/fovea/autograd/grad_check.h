// grad_check: is an op right, forward and backward? Compares it with its formula, written once for
// any number type.
//
//   const GradCheck check = grad_check(
//       [](std::span<const Var> in) { return tanh(in[0]); },
//       [](const auto& in) { return reference::map(in[0], [](auto x) { return std::tanh(x); }); },
//       {Tensor::uniform({3, 7}, -2, 2, random)});
//   EXPECT_TRUE(check.ok) << check.message;
//
// The truth is the formula in double and, for gradients, its complex step derivative: exact to
// double precision, with no step size to choose. What is allowed is twice the error that the same
// formula makes in float, and a trifle.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/autograd/reference.h"
#include "fovea/autograd/var.h"
#include "fovea/base/error.h"

namespace fovea {

struct GradCheck {
  bool ok = true;
  std::string message;        // what differs most, and by how much
  double value_error = 0;     // largest difference of the value from the truth
  double gradient_error = 0;  // largest difference of a gradient from the truth
};

namespace detail {

struct Difference {
  double error = 0, allowed = 0;
  Index at = 0;
  double got = 0, truth = 0;
};
Difference compare(std::span<const float> got, std::span<const double> truth,
                   std::span<const double> in_float);
void judge(GradCheck& check, const std::string& what, const Difference& difference);
Tensor seed_for(const Shape& shape);

template <class T>
std::vector<reference::Array<T>> arrays(const std::vector<Tensor>& tensors) {
  std::vector<reference::Array<T>> result;
  for (const Tensor& tensor : tensors) result.emplace_back(tensor);
  return result;
}

// d sum(seed * reference(inputs)) / d inputs[which], by one evaluation per number.
template <class Real, class Reference>
std::vector<double> complex_step(const Reference& formula, const std::vector<Tensor>& inputs,
                                 std::size_t which, const Tensor& seed) {
  const Real step = Real(1e-20);  // its square vanishes against 1, so the derivative is exact
  auto in = arrays<std::complex<Real>>(inputs);
  std::vector<double> gradient;
  for (Index i = 0; i < in[which].size(); ++i) {
    auto& number = in[which][i];
    number = {number.real(), step};
    const auto out = formula(in);
    number = {number.real(), Real(0)};
    double sum = 0;
    for (Index j = 0; j < out.size(); ++j) {
      sum += static_cast<double>(seed.data()[j]) * static_cast<double>(out[j].imag());
    }
    gradient.push_back(sum / static_cast<double>(step));
  }
  return gradient;
}

}  // namespace detail

template <class Op, class Reference>
GradCheck grad_check(const Op& op, const Reference& formula, const std::vector<Tensor>& inputs) {
  GradCheck check;
  std::vector<Var> in;
  for (const Tensor& input : inputs) in.push_back(Var::parameter(input));
  const Var out = op(std::span<const Var>(in));

  const auto truth = formula(detail::arrays<double>(inputs));
  const auto in_float = formula(detail::arrays<float>(inputs));
  if (!(truth.shape == out.shape())) {
    return {false, fmt::format("shape {} instead of {}", out.shape().text(), truth.shape.text())};
  }
  const std::vector<double> float_values(in_float.data.begin(), in_float.data.end());
  detail::judge(check, "value", detail::compare(out.value().values(), truth.data, float_values));

  const Tensor seed = detail::seed_for(out.shape());
  const std::vector<Tensor> gradient = gradients(out, in, seed);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    detail::judge(check, fmt::format("gradient of input {}", i),
                  detail::compare(gradient[i].values(),
                                  detail::complex_step<double>(formula, inputs, i, seed),
                                  detail::complex_step<float>(formula, inputs, i, seed)));
  }
  return check;
}

}  // namespace fovea
