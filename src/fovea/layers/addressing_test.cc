#include "fovea/layers/addressing.h"

#include "fovea/layers/layers_test_tools.h"

namespace fovea {
namespace {

using reference::Array;

constexpr Index kBatch = 2, kHead = 2, kKey = 5, kDim = 3;

Tensor random_weights(std::uint64_t seed = 3) {
  return softmax(random_tensor({kBatch, kHead, kKey}, -2, 2, seed)).value();
}
Tensor random_shift(Index moves) {
  return softmax(random_tensor({kBatch, kHead, moves}, -2, 2, 4)).value();
}

template <class T>
Array<T> content_formula(const Array<T>& memory, const Array<T>& key, const Array<T>& sharpness) {
  Array<T> y({kBatch, kHead, kKey});
  for (Index r = 0; r < kBatch * kHead; ++r) {
    std::vector<T> scores;
    for (Index j = 0; j < kKey; ++j) {
      scores.push_back(sharpness[r] *
                       reference::cosine(&key[r * kDim], &memory.at(r / kHead, j, 0), kDim));
    }
    const std::vector<T> weights = reference::softmax_weights(scores);
    std::copy(weights.begin(), weights.end(), &y[r * kKey]);
  }
  return y;
}

template <class T>
Array<T> interpolate_formula(const Array<T>& content, const Array<T>& previous,
                             const Array<T>& gate) {
  Array<T> y = content;
  for (Index i = 0; i < y.size(); ++i)
    y[i] = gate[i / kKey] * content[i] + (T(1) - gate[i / kKey]) * previous[i];
  return y;
}

// The paper's equation 8: sum over j of w(j) s(i - j), with s at i - j modulo the number of keys.
template <class T>
Array<T> shift_formula(const Array<T>& w, const Array<T>& s) {
  Array<T> y(w.shape);
  const Index moves = s.shape[2];
  for (Index r = 0; r < kBatch * kHead; ++r) {
    for (Index m = 0; m < moves; ++m) {
      for (Index i = 0; i < kKey; ++i) {
        const Index from = (i - (m - moves / 2) + 10 * kKey) % kKey;
        y[r * kKey + i] += s[r * moves + m] * w[r * kKey + from];
      }
    }
  }
  return y;
}

template <class T>
Array<T> sharpen_formula(const Array<T>& w, const Array<T>& focus) {
  Array<T> y = w;
  for (Index r = 0; r < kBatch * kHead; ++r) {
    T sum(0);
    for (Index j = 0; j < kKey; ++j) sum += y[r * kKey + j] = std::pow(w[r * kKey + j], focus[r]);
    for (Index j = 0; j < kKey; ++j) y[r * kKey + j] /= sum;
  }
  return y;
}

TEST(Addressing, ContentWeightsAreTheirFormula) {
  expect_right([](In in) { return content_weights(in[0], in[1], in[2]); },
               [](const auto& in) { return content_formula(in[0], in[1], in[2]); },
               {random_tensor({kBatch, kKey, kDim}), random_tensor({kBatch, kHead, kDim}),
                random_tensor({kBatch, kHead}, 0, 5)});
}

TEST(Addressing, InterpolationIsItsFormula) {
  expect_right([](In in) { return interpolate(in[0], in[1], in[2]); },
               [](const auto& in) { return interpolate_formula(in[0], in[1], in[2]); },
               {random_weights(), random_weights(5), random_tensor({kBatch, kHead}, 0, 1)});
}

TEST(Addressing, ShiftIsItsFormulaEvenAroundTheEndSeveralTimes) {
  for (const Index moves : {1, 3, 5, 13}) {
    expect_right([](In in) { return shift_weights(in[0], in[1]); },
                 [](const auto& in) { return shift_formula(in[0], in[1]); },
                 {random_weights(), random_shift(moves)});
  }
}

TEST(Addressing, SharpeningIsItsFormula) {
  expect_right([](In in) { return sharpen(in[0], in[1]); },
               [](const auto& in) { return sharpen_formula(in[0], in[1]); },
               {random_weights(), random_tensor({kBatch, kHead}, 1, 4)});
}

TEST(Addressing, AllStepsTogetherAreTheirFormula) {
  expect_right(
      [](In in) {
        return address(
            in[0], in[1],
            {.key = in[2], .sharpness = in[3], .gate = in[4], .shift = in[5], .focus = in[6]});
      },
      [](const auto& in) {
        const auto gated = interpolate_formula(content_formula(in[0], in[2], in[3]), in[1], in[4]);
        return sharpen_formula(shift_formula(gated, in[5]), in[6]);
      },
      {random_tensor({kBatch, kKey, kDim}), random_weights(), random_tensor({kBatch, kHead, kDim}),
       random_tensor({kBatch, kHead}, 0, 5), random_tensor({kBatch, kHead}, 0, 1, 5),
       random_shift(3), random_tensor({kBatch, kHead}, 1, 4)});
}

TEST(Addressing, GateZeroAndNoShiftStayWhereTheyWere) {
  Tensor stay = Tensor::zeros({kBatch, kHead, 3});
  for (Index r = 0; r < kBatch * kHead; ++r) stay.data()[r * 3 + 1] = 1;
  const Tensor previous = random_weights(), one = Tensor::full({kBatch, kHead}, 1);
  const Var w = address(random_tensor({kBatch, kKey, kDim}), previous,
                        {.key = random_tensor({kBatch, kHead, kDim}),
                         .sharpness = one,
                         .gate = Tensor::zeros({kBatch, kHead}),
                         .shift = stay,
                         .focus = one});
  expect_close(w.value(), previous);
}

TEST(Addressing, AShiftOfOneMovesEveryWeightToTheNextRow) {
  Tensor next = Tensor::zeros({kBatch, kHead, 3});
  for (Index r = 0; r < kBatch * kHead; ++r) next.data()[r * 3 + 2] = 1;
  const Tensor w = random_weights();
  expect_close(shift_weights(w, next).value(), gather(w, 2, Ids({4, 0, 1, 2, 3})).value());
}

TEST(Addressing, SharpnessFindsTheRowThatWasLookedFor) {
  const Tensor memory = random_tensor({1, kKey, kDim});
  const Var key = memory.slice(1, 3, 4);
  const Tensor w = content_weights(memory, key, Tensor::full({1, 1}, 200)).value();
  EXPECT_NEAR(w.data()[3], 1, 1e-3);
}

TEST(Addressing, SharpeningTakesWeightsOfZero) {
  const float hot[] = {0, 1, 0, 0, 0};
  const Var w = Var::parameter(Tensor({1, 1, 5}, hot));
  const Var focus = Var::parameter(Tensor::full({1, 1}, 2));
  const Var y = sharpen(w, focus);
  EXPECT_EQ(y.value().values(), w.value().values());
  for (const Tensor& d : gradients(y, {w, focus}, random_tensor({1, 1, 5}))) {
    for (const float x : d.values()) EXPECT_EQ(x, 0);
  }
  // Nothing to scale: nothing comes out, and no NaN.
  EXPECT_EQ(sum(sharpen(Tensor::zeros({1, 1, 5}), focus)).value().item(), 0);
}

TEST(Memory, ReadsAndWritesAreTheirFormulas) {
  const std::vector<Tensor> inputs = {random_tensor({kBatch, kKey, kDim}), random_weights(),
                                      random_tensor({kBatch, kHead, kDim}, 0, 1),
                                      random_tensor({kBatch, kHead, kDim})};
  expect_right([](In in) { return read_memory(in[0], in[1]); },
               [](const auto& in) {
                 auto y = in[2];
                 for (Index i = 0; i < y.size(); ++i) {
                   const Index r = i / kDim;
                   y[i] = 0;
                   for (Index j = 0; j < kKey; ++j)
                     y[i] += in[1][r * kKey + j] * in[0].at(r / kHead, j, i % kDim);
                 }
                 return y;
               },
               inputs);
  expect_right([](In in) { return write_memory(in[0], in[1], in[2], in[3]); },
               [](const auto& in) {
                 auto y = in[0];
                 using T = std::decay_t<decltype(y[0])>;
                 for (Index b = 0; b < kBatch; ++b) {
                   for (Index at = 0; at < kKey * kDim; ++at) {
                     const Index j = at / kDim, d = at % kDim;
                     for (Index h = 0; h < kHead; ++h)
                       y.at(b, j, d) *= T(1) - in[1].at(b, h, j) * in[2].at(b, h, d);
                     for (Index h = 0; h < kHead; ++h)
                       y.at(b, j, d) += in[1].at(b, h, j) * in[3].at(b, h, d);
                   }
                 }
                 return y;
               },
               inputs);
}

TEST(Memory, WhatIsWrittenToOneRowIsReadFromItAndTheOthersStay) {
  const float hot[] = {0, 0, 1, 0, 0};
  const Tensor w({1, 1, 5}, hot), memory = random_tensor({1, kKey, kDim});
  const Tensor added = random_tensor({1, 1, kDim}, -2, 2, 9);
  const Var written = write_memory(memory, w, Tensor::full({1, 1, kDim}, 1), added);
  expect_close(read_memory(written, w).value(), added);
  EXPECT_EQ(written.value().slice(1, 3, 5).values(), memory.slice(1, 3, 5).values());
}

TEST(Addressing, SaysWhatDoesNotFit) {
  const Tensor memory = Tensor::zeros({2, 5, 3});
  EXPECT_EQ(error_of([&] {
              content_weights(memory, Tensor::zeros({2, 1, 4}), Tensor::zeros({2, 1}));
            }),
            "content_weights: axis 'dim' is 3 in memory [batch=2, key=5, dim=3] but 4 in key "
            "[batch=2, head=1, dim=4]");
  EXPECT_EQ(error_of([&] {
              shift_weights(Tensor::zeros({2, 1, 5}), Tensor::zeros({2, 1, 2}));
            }),
            "shift_weights: 2 moves; from -reach to reach they are an odd number");
  EXPECT_EQ(error_of([&] {
              read_memory(memory, Tensor::zeros({2, 1, 4}));
            }),
            "read_memory: axis 'key' is 5 in memory [batch=2, key=5, dim=3] but 4 in weights "
            "[batch=2, head=1, key=4]");
}

}  // namespace
}  // namespace fovea
