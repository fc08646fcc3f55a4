#include "fovea/kernels/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "fovea/kernels/kernels_test_tools.h"

namespace fovea::kernels {
namespace {

struct ConvProblem {
  explicit ConvProblem(const ConvShape& s)
      : shape(s),
        x(random_numbers(s.batch * s.in_image(), 1)),
        weight(random_numbers(s.weights(), 2)),
        bias(random_numbers(s.channel_out, 3)),
        d_y(random_numbers(s.batch * s.out_image(), 4)) {}
  ConvShape shape;
  Floats x, weight, bias, d_y;
};

template <class T>
struct ConvResult {
  explicit ConvResult(const ConvShape& s)
      : y(static_cast<std::size_t>(s.batch * s.out_image())),
        d_x(static_cast<std::size_t>(s.batch * s.in_image())),
        d_weight(static_cast<std::size_t>(s.weights())),
        d_bias(static_cast<std::size_t>(s.channel_out)) {}
  bool operator==(const ConvResult&) const = default;
  std::vector<T> y, d_x, d_weight, d_bias;
};

// Calls use(position in y, in x, in weight) for every product of the formula.
template <class Use>
void for_each_product(const ConvShape& s, const Use& use) {
  const Index in = s.channel_in / s.groups, out = s.channel_out / s.groups;
  std::size_t y = 0;
  for (Index b = 0; b < s.batch; ++b) {
    for (Index o = 0; o < s.channel_out; ++o) {
      for (Index i = 0; i < s.out_height(); ++i) {
        for (Index j = 0; j < s.out_width(); ++j, ++y) {
          for (Index c = 0; c < in; ++c) {
            for (Index u = 0; u < s.kernel_height; ++u) {
              for (Index v = 0; v < s.kernel_width; ++v) {
                const Index row = i * s.stride + u * s.dilation - s.padding;
                const Index column = j * s.stride + v * s.dilation - s.padding;
                if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
                const Index channel = b * s.channel_in + o / out * in + c;
                use(y, static_cast<std::size_t>((channel * s.height + row) * s.width + column),
                    static_cast<std::size_t>(((o * in + c) * s.kernel_height + u) * s.kernel_width +
                                             v));
              }
            }
          }
        }
      }
    }
  }
}

template <class T>
ConvResult<T> reference(const ConvProblem& p) {
  const ConvShape& s = p.shape;
  ConvResult<T> r(s);
  const auto region = static_cast<std::size_t>(s.out_height() * s.out_width());
  for (std::size_t i = 0; i < r.y.size(); ++i) {
    const std::size_t channel = i / region % r.d_bias.size();
    r.y[i] = p.bias[channel];
    r.d_bias[channel] += p.d_y[i];
  }
  for_each_product(s, [&](std::size_t y, std::size_t x, std::size_t w) {
    r.y[y] += T(p.weight[w]) * T(p.x[x]);
    r.d_x[x] += T(p.weight[w]) * T(p.d_y[y]);
    r.d_weight[w] += T(p.x[x]) * T(p.d_y[y]);
  });
  return r;
}

ConvResult<float> run(const ConvProblem& p, Engine engine) {
  const ConvShape& s = p.shape;
  ConvResult<float> r(s);
  conv_forward({s, p.x.data(), p.weight.data(), p.bias.data(), r.y.data(), false, engine});
  conv_backward_input({s, p.weight.data(), p.d_y.data(), r.d_x.data(), engine});
  conv_backward_weight({s, p.x.data(), p.d_y.data(), r.d_weight.data(), engine});
  conv_backward_bias(s, p.d_y.data(), r.d_bias.data());
  return r;
}

struct ConvCase {
  const char* name;
  ConvShape shape;
};

const ConvCase kConvCases[] = {
    {"one_number", {1, 1, 1, 1, 1, 1, 1}},
    {"one_channel", {3, 1, 28, 28, 32, 3, 3, 1, 1}},
    {"rows_in_several_blocks", {2, 3, 60, 70, 4, 5, 5, 1, 2}},
    {"slices_and_a_rest", {37, 3, 9, 9, 5, 3, 3, 1, 1}},
    {"slices_and_a_rest_blocked", {37, 16, 9, 9, 24, 3, 3, 1, 1}},
    // oneDNN may split this gradient by threads, if it has several.
    {"one_block_of_channels_in_slices", {64, 8, 16, 16, 8, 3, 3, 1, 1}},
    {"odd_channels", {2, 13, 11, 7, 17, 3, 3, 1, 1}},
    {"strided", {2, 8, 17, 15, 16, 3, 3, 2, 1}},
    {"strided_over_a_rest", {3, 4, 10, 11, 6, 3, 2, 4, 0}},
    {"dilated", {2, 8, 12, 13, 8, 3, 3, 1, 2, 2}},
    {"kernel_of_one", {3, 24, 7, 7, 40, 1, 1}},
    {"kernel_as_large_as_the_image", {3, 9, 6, 5, 7, 6, 5}},
    {"padding_beyond_the_kernel", {2, 2, 4, 4, 3, 2, 2, 1, 3}},
    {"groups", {2, 12, 9, 8, 18, 3, 3, 1, 1, 1, 3}},
    {"one_channel_a_group", {2, 17, 9, 10, 17, 3, 3, 1, 1, 1, 17}},
    // Transformed tiles: odd extents and channels, several images a band, several bands an image,
    // every padding.
    {"odd_tiles", {3, 17, 11, 9, 33, 3, 3, 1, 1}},
    {"tiles_of_several_images", {37, 16, 8, 8, 16, 3, 3, 1, 1}},
    {"tiles_in_bands", {2, 32, 40, 30, 40, 3, 3, 1, 1}},
    {"tiles_without_padding", {2, 16, 12, 13, 16, 3, 3}},
    {"tiles_with_much_padding", {2, 16, 8, 9, 24, 3, 3, 1, 3}},
    {"odd_tiles_of_a_half", {3, 19, 18, 17, 20, 4, 4, 2, 1}},
    {"tiles_of_a_half_of_several_images", {23, 16, 16, 16, 32, 4, 4, 2, 1}},
    {"tiles_of_a_half_in_bands", {2, 32, 64, 48, 32, 4, 4, 2, 1}},
    {"tiles_of_a_half_with_one_row_and_column_left", {3, 17, 20, 32, 20, 4, 4, 2, 1}},
    {"tiles_of_a_half_with_one_row_and_two_columns_left", {2, 16, 14, 22, 16, 4, 4, 2, 1}},
    {"tiles_of_a_half_with_one_row_left_in_bands", {2, 32, 68, 44, 32, 4, 4, 2, 1}},
    {"tiles_of_a_half_without_padding", {2, 16, 18, 20, 16, 4, 4, 2}},
    {"tiles_of_a_half_with_much_padding", {2, 17, 14, 13, 16, 4, 4, 2, 3}},
    {"tiles_of_a_half_with_even_padding", {2, 16, 15, 16, 16, 4, 4, 2, 2}},
    {"two_outputs_a_channel", {2, 8, 9, 10, 16, 3, 3, 1, 1, 1, 8}},
};

class Convolution : public testing::TestWithParam<ConvCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, Convolution, testing::ValuesIn(kConvCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(Convolution, IsAsExactAsPlainFloatArithmetic) {
  const ConvProblem problem(GetParam().shape);
  const auto exact = reference<double>(problem);
  const auto plain = reference<float>(problem);
  auto expect_exact = [&](const std::string& engine, const ConvResult<float>& got) {
    SCOPED_TRACE(engine);
    auto allowed = [](const Floats& in_float, const Doubles& truth) {
      return 2 * largest_difference(in_float, truth) + 1e-6;
    };
    EXPECT_LE(largest_difference(got.y, exact.y), allowed(plain.y, exact.y));
    EXPECT_LE(largest_difference(got.d_x, exact.d_x), allowed(plain.d_x, exact.d_x));
    EXPECT_LE(largest_difference(got.d_weight, exact.d_weight),
              allowed(plain.d_weight, exact.d_weight));
    EXPECT_LE(largest_difference(got.d_bias, exact.d_bias), allowed(plain.d_bias, exact.d_bias));
  };
  expect_exact("oneDNN", run(problem, Engine::kOneDnn));
  for (const std::string& isa : available_isas()) {
    const UseIsa use(isa);
    expect_exact("our own on " + isa, run(problem, Engine::kTiles));
  }
}

TEST_P(Convolution, GivesTheSameBytesOnAnyNumberOfThreads) {
  struct Restore {
    int count = threads();
    ~Restore() { set_threads(count); }
  } restore;
  const ConvProblem problem(GetParam().shape);
  for (const Engine engine : {Engine::kAuto, Engine::kTiles, Engine::kOneDnn}) {
    set_threads(1);
    const ConvResult<float> one = run(problem, engine);
    for (const int count : {2, 3}) {
      set_threads(count);
      EXPECT_TRUE(one == run(problem, engine)) << count;
    }
  }
}

TEST_P(Convolution, OfAnImageIsTheSameInEveryBatch) {
  const ConvProblem all(GetParam().shape);
  const ConvShape& s = all.shape;
  const ConvResult<float> together = run(all, Engine::kAuto);
  ConvProblem last = all;
  last.shape.batch = 1;
  last.x.assign(all.x.end() - s.in_image(), all.x.end());
  last.d_y.assign(all.d_y.end() - s.out_image(), all.d_y.end());
  const ConvResult<float> alone = run(last, Engine::kAuto);
  EXPECT_TRUE(std::equal(alone.y.begin(), alone.y.end(), together.y.end() - s.out_image()));
  EXPECT_TRUE(std::equal(alone.d_x.begin(), alone.d_x.end(), together.d_x.end() - s.in_image()));
}

TEST(ConvolutionPlans, ServeSeveralThreadsAtOnce) {
  // The second and the third need working memory, which the threads must not share.
  for (const ConvShape& shape :
       {ConvShape{5, 8, 14, 14, 16, 3, 3, 1, 1}, ConvShape{5, 13, 14, 14, 17, 3, 3, 1, 1},
        ConvShape{5, 2, 14, 14, 3, 2, 2, 1, 3}}) {
    const ConvProblem problem(shape);
    const ConvResult<float> alone = run(problem, Engine::kOneDnn);
    std::vector<ConvResult<float>> together(4, ConvResult<float>(shape));
    std::vector<std::thread> callers;
    for (ConvResult<float>& result : together) {
      callers.emplace_back([&] {
        for (int i = 0; i < 10; ++i) result = run(problem, Engine::kOneDnn);
      });
    }
    for (std::thread& caller : callers) caller.join();
    for (const ConvResult<float>& result : together) EXPECT_TRUE(result == alone);
  }
}

TEST(ConvolutionPlans, AreMadeAnewWhenTheyBecameTooMany) {
  const ConvProblem first({1, 8, 1, 1, 8, 1, 1});
  const ConvResult<float> before = run(first, Engine::kOneDnn);
  for (Index width = 2; width < 100; ++width) {  // three plans each
    run(ConvProblem({1, 8, 1, width, 8, 1, 1}), Engine::kOneDnn);
  }
  EXPECT_TRUE(run(first, Engine::kOneDnn) == before);
}

}  // namespace
}  // namespace fovea::kernels
