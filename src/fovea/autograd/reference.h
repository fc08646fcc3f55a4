// Array<T>: the plain counterpart of Tensor for any number type, to write an op down as its formula
// says. double gives the truth, std::complex<double> its exact derivatives (complex step), float
// the error to expect.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::reference {

template <class T>
struct Array {
  Shape shape;
  std::vector<T> data;

  explicit Array(const Shape& s) : shape(s), data(static_cast<std::size_t>(s.size())) {}
  explicit Array(const Tensor& tensor) : Array(tensor.shape()) {
    const std::vector<float> values = tensor.values();
    std::transform(values.begin(), values.end(), data.begin(), [](float x) { return T(x); });
  }

  Index size() const { return static_cast<Index>(data.size()); }
  T& operator[](Index i) { return data[static_cast<std::size_t>(i)]; }
  const T& operator[](Index i) const { return data[static_cast<std::size_t>(i)]; }

  // Element at as many indices as there are axes.
  template <class... Indices>
  T& at(Indices... indices) {
    return (*this)[offset({static_cast<Index>(indices)...})];
  }
  template <class... Indices>
  const T& at(Indices... indices) const {
    return (*this)[offset({static_cast<Index>(indices)...})];
  }

 private:
  Index offset(std::initializer_list<Index> indices) const {
    Index position = 0;
    int axis = 0;
    for (const Index i : indices) position = position * shape[axis++] + i;
    return position;
  }
};

// Comparisons decide by the real part: the imaginary part only carries a derivative.
template <class T>
double real(const T& x) {
  return static_cast<double>(std::real(x));
}

// A constant of the formula, as exact as T allows.
template <class T, class Value>
T number(Value value) {
  return T(static_cast<decltype(std::real(T()))>(value));
}

template <class T>
T erf(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::erf(x);
  } else {  // to first order in the imaginary part, which is all the complex step needs
    using R = typename T::value_type;
    const R a = x.real();
    return T(std::erf(a), x.imag() * R(2 * std::numbers::inv_sqrtpi) * std::exp(-a * a));
  }
}

template <class T>
T gelu(const T& x) {
  return x * number<T>(0.5) * (T(1) + erf(x * number<T>(std::numbers::sqrt2 / 2)));
}

// y[..., j] for each row of the last axis: calls row(const T* x, T* y, Index count).
template <class T, class Row>
Array<T> by_row(const Array<T>& x, const Row& row) {
  Array<T> y(x.shape);
  const Index count = x.shape[-1];
  for (Index i = 0; i < x.size(); i += count) row(&x[i], &y[i], count);
  return y;
}

template <class T, class Function>
Array<T> map(const Array<T>& x, const Function& function) {
  Array<T> y(x.shape);
  for (Index i = 0; i < x.size(); ++i) y[i] = function(x[i]);
  return y;
}

}  // namespace fovea::reference
