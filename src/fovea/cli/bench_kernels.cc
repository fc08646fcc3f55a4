// Cases of `fovea bench`: kernels, each checked against plain double arithmetic.
#include <algorithm>
#include <cmath>
#include <memory>

#include "fovea/base/error.h"
#include "fovea/cli/bench_case.h"
#include "fovea/kernels/convolution.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/matmul.h"
#include "fovea/kernels/norm.h"
#include "fovea/kernels/optimizer.h"
#include "fovea/kernels/softmax.h"

namespace fovea::cli {
namespace {

using Timed = std::function<void()>;

// Operations of one number, as kernels/math-inl.h computes it.
constexpr double kExpFlops = 18, kSigmoidFlops = 20, kTanhFlops = 27;

double product(std::initializer_list<Index> factors) {
  double result = 1;
  for (const Index factor : factors) result *= static_cast<double>(factor);
  return result;
}

BenchCase matmul_case(Index rows, Index columns, Index depth, bool a_down, bool b_down) {
  const std::string name = fmt::format("matmul {}x{}x{} {}{}", rows, columns, depth,
                                       a_down ? 'T' : 'N', b_down ? 'T' : 'N');
  const double numbers =
      product({rows, depth}) + product({depth, columns}) + product({rows, columns});
  return {name, 2 * product({rows, columns, depth}), 4 * numbers, [=]() -> Timed {
            const Tensor a = some_numbers({rows, depth}), b = some_numbers({depth, columns});
            const auto c = std::make_shared<Tensor>(Shape{rows, columns});
            const kernels::Matmul work{.rows = rows,
                                       .columns = columns,
                                       .depth = depth,
                                       .a = {a.data(), a_down ? 1 : depth, a_down ? rows : 1},
                                       .b = {b.data(), b_down ? 1 : columns, b_down ? depth : 1},
                                       .c = c->data(),
                                       .c_row = columns};
            kernels::matmul(work);
            constexpr Index kSamples = 50;
            for (Index k = 0; k < kSamples; ++k) {
              const Index i = k * 7919 % rows, j = k * 104729 % columns;
              double sum = 0, size = 0;
              for (Index p = 0; p < depth; ++p) {
                const double term =
                    static_cast<double>(work.a.data[i * work.a.row + p * work.a.column]) *
                    work.b.data[p * work.b.row + j * work.b.column];
                sum += term;
                size += std::abs(term);
              }
              expect_near(name, c->data()[i * columns + j], sum, 1e-5 * size);
            }
            return [a, b, c, work] { kernels::matmul(work); };
          }};
}

BenchCase map_case(const char* name, kernels::Unary op, double (*exact)(double), double flops) {
  constexpr Index kCount = 65536;
  const std::string full_name = fmt::format("{} of {} numbers", name, kCount);
  return {full_name, flops * kCount, 8.0 * kCount, [=]() -> Timed {
            const Tensor x = some_numbers({kCount}, 3.0f);
            Tensor y({kCount});
            kernels::map(op, x.data(), y.data(), kCount);
            for (Index i = 0; i < kCount; ++i) {
              const double expected = exact(static_cast<double>(x.data()[i]));
              expect_near(full_name, y.data()[i], expected, 1e-6 * std::abs(expected));
            }
            return [=]() mutable { kernels::map(op, x.data(), y.data(), kCount); };
          }};
}

BenchCase softmax_case(Index rows, Index columns) {
  const std::string name = fmt::format("softmax {}x{}", rows, columns);
  const double numbers = product({rows, columns});
  return {name, (kExpFlops + 4) * numbers, 8 * numbers, [=]() -> Timed {
            const Tensor x = some_numbers({rows, columns});
            Tensor y({rows, columns});
            kernels::softmax(x.data(), y.data(), {rows, columns});
            for (const Index r : {Index{0}, rows / 2, rows - 1}) {
              double sum = 0;
              for (Index j = 0; j < columns; ++j)
                sum += std::exp(double{x.data()[r * columns + j]});
              for (Index j = 0; j < columns; ++j) {
                const double expected = std::exp(double{x.data()[r * columns + j]}) / sum;
                expect_near(name, y.data()[r * columns + j], expected, 1e-5 * expected);
              }
            }
            return [=]() mutable { kernels::softmax(x.data(), y.data(), {rows, columns}); };
          }};
}

BenchCase cross_entropy_case(Index rows, Index vocab) {
  const std::string name = fmt::format("cross-entropy {}x{} with gradient", rows, vocab);
  const double numbers = product({rows, vocab});
  constexpr float kSmoothing = 0.1f;
  return {name, (kExpFlops + 6) * numbers, 8 * numbers, [=]() -> Timed {
            const Tensor x = some_numbers({rows, vocab});
            const Ids label = some_labels(rows, vocab);
            const auto loss = std::make_shared<Tensor>(Shape{rows});
            const auto d_x = std::make_shared<Tensor>(Shape{rows, vocab});
            const kernels::CrossEntropyRows work{.x = x.data(),
                                                 .label = label.values().data(),
                                                 .loss = loss->data(),
                                                 .d_x = d_x->data(),
                                                 .shape = {rows, vocab},
                                                 .smoothing = kSmoothing,
                                                 .weight = 1.0f,
                                                 .ignore = -1};
            kernels::cross_entropy(work);
            for (const Index r : {Index{0}, rows / 2, rows - 1}) {
              const float* row = x.data() + r * vocab;
              double sum = 0, mean = 0;
              for (Index j = 0; j < vocab; ++j) {
                sum += std::exp(double{row[j]});
                mean += row[j] / static_cast<double>(vocab);
              }
              const double at_label = row[label[r]], smoothing = kSmoothing;
              expect_near(name, loss->data()[r],
                          std::log(sum) - (1 - smoothing) * at_label - smoothing * mean, 1e-4);
              expect_near(name, d_x->data()[r * vocab + label[r]],
                          std::exp(at_label) / sum - (1 - smoothing) -
                              smoothing / static_cast<double>(vocab),
                          1e-5);
            }
            return
                [=] { kernels::cross_entropy(work), (void)x, (void)label, (void)loss, (void)d_x; };
          }};
}

// Layer norm and its backward pass. The gradients are checked by what they must be blind to: a
// constant added to a row, and the row's scale.
BenchCase layer_norm_case(Index rows, Index dim, bool backward) {
  const std::string name =
      fmt::format("layer norm {}x{} {}", rows, dim, backward ? "backward" : "forward");
  const double numbers = product({rows, dim});
  return {
      name, (backward ? 14 : 8) * numbers, (backward ? 12 : 8) * numbers, [=]() -> Timed {
        struct Data {
          Tensor x, gain, bias, y, mean, inverse, d_y, d_x, d_gain, d_bias;
        };
        const auto t = std::make_shared<Data>(Data{
            some_numbers({rows, dim}), Tensor::full({dim}, 1), Tensor::zeros({dim}),
            Tensor({rows, dim}), Tensor({rows}), Tensor({rows}), some_numbers({rows, dim}, 2.0f),
            Tensor({rows, dim}), Tensor({dim}), Tensor({dim})});
        const kernels::NormForward forward{.x = t->x.data(),
                                           .gain = t->gain.data(),
                                           .bias = t->bias.data(),
                                           .y = t->y.data(),
                                           .mean = t->mean.data(),
                                           .inverse = t->inverse.data(),
                                           .rows = rows,
                                           .dim = dim,
                                           .epsilon = 1e-5f,
                                           .with_mean = true};
        const kernels::NormBackward back{.x = t->x.data(),
                                         .gain = t->gain.data(),
                                         .mean = t->mean.data(),
                                         .inverse = t->inverse.data(),
                                         .d_y = t->d_y.data(),
                                         .d_x = t->d_x.data(),
                                         .d_gain = t->d_gain.data(),
                                         .d_bias = t->d_bias.data(),
                                         .rows = rows,
                                         .dim = dim};
        kernels::norm(forward);
        kernels::norm_backward(back);
        for (Index r = 0; r < rows; ++r) {
          double sum = 0, squares = 0, d_sum = 0, d_along = 0;
          for (Index j = r * dim; j < (r + 1) * dim; ++j) {
            const double y = t->y.data()[j], d_x = t->d_x.data()[j];
            sum += y, squares += y * y, d_sum += d_x, d_along += d_x * y;
          }
          const auto n = static_cast<double>(dim);
          expect_near(name, sum / n, 0, 1e-5);
          expect_near(name, squares / n, 1, 1e-3);
          expect_near(name, d_sum / n, 0, 1e-5);
          expect_near(name, d_along / n, 0, 1e-3);
        }
        if (backward) return [t, back] { kernels::norm_backward(back); };
        return [t, forward] { kernels::norm(forward); };
      }};
}

enum class ConvPass { kForward, kInput, kWeight };

// Checked through what all three passes share: sum(d_y conv(x, w)) is the same number as
// sum(x d_x) and sum(w d_w), and y is compared with its definition at some places.
BenchCase conv_case(const kernels::ConvShape& s, ConvPass pass) {
  constexpr std::array<const char*, 3> kPass = {"forward", "input gradient", "weight gradient"};
  const std::string name = fmt::format("conv {}x{} {}->{} {}x{} batch {} {}", s.kernel_height,
                                       s.kernel_width, s.channel_in, s.channel_out, s.height,
                                       s.width, s.batch, kPass.at(static_cast<std::size_t>(pass)));
  const double flops = 2 * kernels::conv_multiplications(s);
  const double numbers =
      product({s.batch, s.in_image()}) + product({s.batch, s.out_image()}) + product({s.weights()});
  return {
      name, flops, 4 * numbers, [=]() -> Timed {
        struct Data {
          Tensor x, w, y, d_y, d_x, d_w;
        };
        const Shape x_shape{s.batch, s.channel_in, s.height, s.width};
        const Shape y_shape{s.batch, s.channel_out, s.out_height(), s.out_width()};
        const Shape w_shape{s.channel_out, s.channel_in, s.kernel_height, s.kernel_width};
        const auto t = std::make_shared<Data>(Data{some_numbers(x_shape), some_numbers(w_shape),
                                                   Tensor(y_shape), some_numbers(y_shape, 0.1f),
                                                   Tensor(x_shape), Tensor(w_shape)});
        const kernels::ConvForward forward{
            .shape = s, .x = t->x.data(), .weight = t->w.data(), .bias = nullptr, .y = t->y.data()};
        const kernels::ConvBackwardInput input{
            .shape = s, .weight = t->w.data(), .d_y = t->d_y.data(), .d_x = t->d_x.data()};
        const kernels::ConvBackwardWeight weight{
            .shape = s, .x = t->x.data(), .d_y = t->d_y.data(), .d_weight = t->d_w.data()};
        kernels::conv_forward(forward);
        kernels::conv_backward_input(input);
        kernels::conv_backward_weight(weight);
        for (Index k = 0; k < 50; ++k) {
          const Index b = k % s.batch, o = k * 31 % s.channel_out;
          const Index i = k * 5 % s.out_height(), j = k * 11 % s.out_width();
          double sum = 0;
          for (Index c = 0; c < s.channel_in; ++c) {
            for (Index u = 0; u < s.kernel_height; ++u) {
              for (Index v = 0; v < s.kernel_width; ++v) {
                const Index h = i + u - s.padding, w = j + v - s.padding;
                if (h < 0 || w < 0 || h >= s.height || w >= s.width) continue;
                sum += double{t->x.data()[((b * s.channel_in + c) * s.height + h) * s.width + w]} *
                       t->w.data()[((o * s.channel_in + c) * s.kernel_height + u) * s.kernel_width +
                                   v];
              }
            }
          }
          expect_near(
              name, t->y.data()[((b * s.channel_out + o) * s.out_height() + i) * s.out_width() + j],
              sum, 1e-3);
        }
        const auto dot = [](const Tensor& a, const Tensor& b) {
          double sum = 0;
          for (Index i = 0; i < a.size(); ++i) sum += double{a.data()[i]} * b.data()[i];
          return sum;
        };
        const double shared = dot(t->y, t->d_y);
        const double allowed = 1e-6 * std::sqrt(dot(t->y, t->y) * dot(t->d_y, t->d_y));
        expect_near(name, dot(t->x, t->d_x), shared, allowed);
        expect_near(name, dot(t->w, t->d_w), shared, allowed);
        switch (pass) {
          case ConvPass::kForward:
            return [t, forward] { kernels::conv_forward(forward); };
          case ConvPass::kInput:
            return [t, input] { kernels::conv_backward_input(input); };
          case ConvPass::kWeight:
            return [t, weight] { kernels::conv_backward_weight(weight); };
        }
        return {};
      }};
}

BenchCase adam_case(Index count) {
  const std::string name = fmt::format("Adam of {} numbers", count);
  return {name, 12.0 * static_cast<double>(count), 28.0 * static_cast<double>(count),
          [=]() -> Timed {
            struct Data {
              Tensor value, gradient, m, v;
            };
            const auto t =
                std::make_shared<Data>(Data{some_numbers({count}), some_numbers({count}, 2.0f),
                                            Tensor::zeros({count}), Tensor::zeros({count})});
            const Tensor before = t->value.copy();
            kernels::AdamUpdate work{};
            work.value = t->value.data();
            work.gradient = t->gradient.data();
            work.count = count;
            work.rate = 1e-3f;
            work.gradient_scale = 1;
            work.m = t->m.data(), work.v = t->v.data();
            work.beta1 = 0.9f, work.beta2 = 0.999f, work.epsilon = 1e-8f;
            work.correction1 = 0.1f, work.correction2 = 0.001f;  // of the first step
            kernels::adam(work);
            for (Index i = 0; i < count; ++i) {  // the first step goes against the gradient's sign
              const double expected =
                  before.data()[i] - std::copysign(1e-3, double{t->gradient.data()[i]});
              expect_near(name, t->value.data()[i], expected, 1e-5);
            }
            return [t, work] { kernels::adam(work); };
          }};
}

}  // namespace

std::vector<BenchCase> kernel_cases() {
  std::vector<BenchCase> cases;
  struct Product {
    Index rows, columns, depth;
  };
  constexpr std::array<Product, 7> kProducts = {{
      {1024, 1024, 1024},  // a large layer
      {1024, 1024, 64},    // scores of one head
      {1024, 64, 1024},    // values of one head
      {64, 64, 64},
      {64, 256, 256},
      {64, 1536, 512},  // a step of a GRU
      {1, 1536, 512},   // the same while decoding
  }};
  for (const auto& [rows, columns, depth] : kProducts) {
    for (const bool a_down : {false, true}) {
      for (const bool b_down : {false, true}) {
        cases.push_back(matmul_case(rows, columns, depth, a_down, b_down));
      }
    }
  }
  using kernels::Unary;
  cases.push_back(map_case(
      "exp", Unary::kExp, [](double x) { return std::exp(x); }, kExpFlops));
  cases.push_back(map_case(
      "tanh", Unary::kTanh, [](double x) { return std::tanh(x); }, kTanhFlops));
  cases.push_back(map_case(
      "sigmoid", Unary::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, kSigmoidFlops));
  cases.push_back(softmax_case(128, 512));
  cases.push_back(softmax_case(6144, 512));
  cases.push_back(cross_entropy_case(512, 10'000));
  cases.push_back(layer_norm_case(512, 128, false));
  cases.push_back(layer_norm_case(512, 128, true));
  const kernels::ConvShape first{.batch = 64,
                                 .channel_in = 1,
                                 .height = 28,
                                 .width = 28,
                                 .channel_out = 32,
                                 .kernel_height = 3,
                                 .kernel_width = 3,
                                 .padding = 1};
  kernels::ConvShape second = first;
  second.channel_in = 32, second.channel_out = 64, second.height = second.width = 14;
  cases.push_back(conv_case(first, ConvPass::kForward));
  cases.push_back(conv_case(first, ConvPass::kWeight));
  for (const ConvPass pass : {ConvPass::kForward, ConvPass::kInput, ConvPass::kWeight}) {
    cases.push_back(conv_case(second, pass));
  }
  cases.push_back(adam_case(1 << 20));
  return cases;
}

}  // namespace fovea::cli
