#include "fovea/autograd/op_recurrent.h"

#include "fovea/autograd/op_test_util.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// One step as the formulas in kernels/recurrent.h say; in: x, h, c and the four weights.
template <class T>
struct Step {
  const reference::Array<T>&input, &recurrent, &input_bias, &recurrent_bias;
  Cell cell;

  static T squash(T x) { return T(1) / (T(1) + std::exp(-x)); }

  void operator()(const T* x, std::vector<T>& h, std::vector<T>& c) const {
    const Index in = input.shape[0], n = recurrent.shape[0], width = input.shape[1];
    std::vector<T> a(static_cast<std::size_t>(width)), b = a;
    for (Index j = 0; j < width; ++j) {
      T& from_x = a[static_cast<std::size_t>(j)];
      T& from_h = b[static_cast<std::size_t>(j)];
      from_x = input_bias[j];
      from_h = recurrent_bias[j];
      for (Index p = 0; p < in; ++p) from_x += x[p] * input.at(p, j);
      for (Index p = 0; p < n; ++p) from_h += h[static_cast<std::size_t>(p)] * recurrent.at(p, j);
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const std::size_t k = static_cast<std::size_t>(n);
      if (cell == Cell::kGru) {
        const T r = squash(a[j] + b[j]), z = squash(a[k + j] + b[k + j]);
        const T candidate = std::tanh(a[2 * k + j] + r * b[2 * k + j]);
        h[j] = (T(1) - z) * candidate + z * h[j];
      } else {
        const T i = squash(a[j] + b[j]), f = squash(a[k + j] + b[k + j]);
        const T g = std::tanh(a[2 * k + j] + b[2 * k + j]), o = squash(a[3 * k + j] + b[3 * k + j]);
        c[j] = f * c[j] + i * g;
        h[j] = o * std::tanh(c[j]);
      }
    }
  }
};

struct RecurrentCase {
  Cell cell;
  Index batch, time, in, hidden;
  std::vector<Index> lengths;
  int directions;
};

// in: x, then per direction 4 weights, h0 and c0. out: y, then the last states, one behind the
// other.
template <class T>
reference::Array<T> reference_sequence(const RecurrentCase& k,
                                       const std::vector<reference::Array<T>>& in) {
  const Index wide = k.directions * k.hidden;
  const Index states = k.cell == Cell::kLstm ? 2 : 1;
  const Index per_sequence = k.time * wide + states * wide;
  reference::Array<T> out(Shape{k.batch, per_sequence});
  for (Index b = 0; b < k.batch; ++b) {
    const Index length = k.lengths.empty() ? k.time : k.lengths[static_cast<std::size_t>(b)];
    for (int d = 0; d < k.directions; ++d) {
      const std::size_t w = static_cast<std::size_t>(1 + d * 6);
      const Step<T> step{in[w], in[w + 1], in[w + 2], in[w + 3], k.cell};
      std::vector<T> h, c;
      for (Index j = 0; j < k.hidden; ++j)
        h.push_back(in[w + 4].at(b, j)), c.push_back(in[w + 5].at(b, j));
      for (Index s = 0; s < length; ++s) {
        const Index t = d == 0 ? s : length - 1 - s;
        step(&in[0].at(b, t, 0), h, c);
        for (Index j = 0; j < k.hidden; ++j)
          out.at(b, t * wide + d * k.hidden + j) = h[static_cast<std::size_t>(j)];
      }
      for (Index j = 0; j < k.hidden; ++j) {
        out.at(b, k.time * wide + d * k.hidden + j) = h[static_cast<std::size_t>(j)];
        if (states == 2)
          out.at(b, k.time * wide + wide + d * k.hidden + j) = c[static_cast<std::size_t>(j)];
      }
    }
  }
  return out;
}

std::vector<RecurrentWeights> weights_of(In in, int directions) {
  std::vector<RecurrentWeights> weights;
  for (int d = 0; d < directions; ++d) {
    const std::size_t w = static_cast<std::size_t>(1 + d * 6);
    weights.push_back({in[w], in[w + 1], in[w + 2], in[w + 3]});
  }
  return weights;
}

std::vector<RecurrentState> starts_of(const RecurrentCase& k, In in) {
  std::vector<RecurrentState> states;
  for (int d = 0; d < k.directions; ++d) {
    const std::size_t w = static_cast<std::size_t>(1 + d * 6);
    states.push_back({in[w + 4], k.cell == Cell::kLstm ? in[w + 5] : Var()});
  }
  return states;
}

// y and the last states in one row per sequence, so that one check covers all gradients.
Var all_outputs(const RecurrentCase& k, const RecurrentOutput& out) {
  std::vector<Var> parts = {reshape(out.y, {k.batch, -1})};
  for (const RecurrentState& last : out.last) parts.push_back(last.h);
  if (k.cell == Cell::kLstm) {
    for (const RecurrentState& last : out.last) parts.push_back(last.c);
  }
  return concat(parts, 1);
}

std::vector<Tensor> inputs_for(const RecurrentCase& k) {
  const Index width = kernels::gate_count(k.cell) * k.hidden;
  std::vector<Tensor> in = {random_tensor({k.batch, k.time, k.in})};
  for (int d = 0; d < k.directions; ++d) {
    const auto seed = static_cast<std::uint64_t>(d + 1);
    in.push_back(random_tensor({k.in, width}, -1, 1, seed));
    in.push_back(random_tensor({k.hidden, width}, -1, 1, seed + 10));
    in.push_back(random_tensor({width}, -1, 1, seed + 20));
    in.push_back(random_tensor({width}, -1, 1, seed + 30));
    in.push_back(random_tensor({k.batch, k.hidden}, -1, 1, seed + 40));
    in.push_back(random_tensor({k.batch, k.hidden}, -1, 1, seed + 50));
  }
  return in;
}

class Recurrent : public testing::TestWithParam<RecurrentCase> {};
class RecurrentStep : public testing::TestWithParam<RecurrentCase> {};

TEST_P(Recurrent, EqualsItsFormulasForwardAndBackward) {
  const RecurrentCase& k = GetParam();
  expect_right(
      [&](In in) {
        return all_outputs(
            k, recurrent(k.cell, in[0], weights_of(in, k.directions), k.lengths, starts_of(k, in)));
      },
      [&](const auto& in) { return reference_sequence<std::decay_t<decltype(in[0][0])>>(k, in); },
      inputs_for(k));
}

TEST_P(RecurrentStep, IsTheSequenceStepByStep) {
  const RecurrentCase& k = GetParam();
  expect_right(
      [&](In in) {
        RecurrentState state = starts_of(k, in)[0];
        std::vector<Var> steps;
        for (Index t = 0; t < k.time; ++t) {
          state = recurrent_step(k.cell, select(in[0], 1, t), state, weights_of(in, 1)[0]);
          steps.push_back(state.h);
        }
        return all_outputs(k, {stack(steps, 1), {state}});
      },
      [&](const auto& in) { return reference_sequence<std::decay_t<decltype(in[0][0])>>(k, in); },
      inputs_for(k));
}

TEST_P(Recurrent, AnyNumberOfThreadsGivesTheSameBytes) {
  const RecurrentCase& k = GetParam();
  std::vector<std::vector<float>> first;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    std::vector<Var> in;
    for (const Tensor& input : inputs_for(k)) in.push_back(Var::parameter(input));
    const Var out = all_outputs(
        k, recurrent(k.cell, in[0], weights_of(in, k.directions), k.lengths, starts_of(k, in)));
    std::vector<std::vector<float>> values = {out.value().values()};
    for (const Tensor& d : gradients(out, in, random_tensor(out.shape())))
      values.push_back(d.values());
    if (first.empty()) first = values;
    EXPECT_EQ(values, first) << count << " threads";
  }
  set_threads(2);
}

std::string name_of(const testing::TestParamInfo<RecurrentCase>& test) {
  const RecurrentCase& k = test.param;
  return fmt::format("{}_b{}_t{}_in{}_h{}_{}_{}", k.cell == Cell::kGru ? "gru" : "lstm", k.batch,
                     k.time, k.in, k.hidden, k.lengths.empty() ? "full" : "ragged",
                     k.directions == 2 ? "both" : "one");
}

const auto kOneWay = testing::Values(
    RecurrentCase{Cell::kGru, 1, 1, 1, 1, {}, 1}, RecurrentCase{Cell::kGru, 3, 4, 2, 5, {}, 1},
    RecurrentCase{Cell::kGru, 2, 3, 3, 17, {}, 1}, RecurrentCase{Cell::kLstm, 1, 1, 1, 1, {}, 1},
    RecurrentCase{Cell::kLstm, 3, 4, 2, 5, {}, 1}, RecurrentCase{Cell::kLstm, 2, 3, 3, 17, {}, 1});
const auto kRaggedOrBoth = testing::Values(RecurrentCase{Cell::kGru, 3, 4, 2, 3, {2, 4, 1}, 1},
                                           RecurrentCase{Cell::kGru, 3, 4, 2, 3, {2, 4, 1}, 2},
                                           RecurrentCase{Cell::kGru, 7, 2, 3, 4, {}, 2},
                                           RecurrentCase{Cell::kLstm, 3, 4, 2, 3, {2, 4, 1}, 1},
                                           RecurrentCase{Cell::kLstm, 3, 4, 2, 3, {2, 4, 1}, 2},
                                           RecurrentCase{Cell::kLstm, 7, 2, 3, 4, {}, 2});
INSTANTIATE_TEST_SUITE_P(OneWay, Recurrent, kOneWay, name_of);
INSTANTIATE_TEST_SUITE_P(RaggedOrBoth, Recurrent, kRaggedOrBoth, name_of);
INSTANTIATE_TEST_SUITE_P(OneWay, RecurrentStep, kOneWay, name_of);

TEST(RecurrentErrors, NameWhatDoesNotFit) {
  const RecurrentWeights w{random_tensor({4, 9}), random_tensor({3, 9}), random_tensor({9}),
                           random_tensor({9})};
  const std::vector<RecurrentWeights> one = {w};
  EXPECT_EQ(error_of([&] {
              recurrent(Cell::kGru, random_tensor({2, 5, 3}), one);
            }),
            "recurrent: axis 'in' is 3 in x [batch=2, time=5, in=3] but 4 in input weight [in=4, "
            "gates*hidden=9]");
  EXPECT_EQ(error_of([&] {
              recurrent(Cell::kLstm, random_tensor({2, 5, 4}), one);
            }),
            "recurrent: 4 gates of 3 units need 12 columns, the weights have 9");
  const std::vector<Index> lengths = {5, 6};
  EXPECT_EQ(error_of([&] {
              recurrent(Cell::kGru, random_tensor({2, 5, 4}), one, lengths);
            }),
            "recurrent: sequence 1 has length 6, not in [1, 5]");
}

TEST(Recurrent, ReadsBiasesThatAreViews) {
  const Tensor x = random_tensor({2, 5, 4});
  RecurrentWeights w{random_tensor({4, 9}), random_tensor({3, 9}),
                     random_tensor({9, 2}).select(1, 0),
                     random_tensor({9, 2}, -1, 1, 8).select(1, 1)};
  const std::vector<RecurrentWeights> views = {w};
  w.input_bias = w.input_bias.value().copy();
  w.recurrent_bias = w.recurrent_bias.value().copy();
  const std::vector<RecurrentWeights> copies = {w};
  EXPECT_EQ(recurrent(Cell::kGru, x, views).y.value().values(),
            recurrent(Cell::kGru, x, copies).y.value().values());
}

}  // namespace
}  // namespace fovea
