// NaN and inf reach the rows that see them, and no others: outputs, weights and gradients, on every
// path.
#include "fovea/attention/attend.h"
#include "fovea/attention/attention_test_tools.h"
#include "fovea/attention/linear_attention.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

enum Input : std::size_t { kQuery, kKey, kValue, kBias, kCenter, kWeight, kMatrix, kGradient };

struct SpoiltProblem {
  Sizes s;
  std::vector<Tensor> in;  // as Input says; the gradient of the output is the last
  Attend how;
  Score::Kind score;
  bool focus;

  bool softmax() const {
    return how.normalizer == Normalizer::kSoftmax && how.reading.kind == Reading::Kind::kSoft &&
           how.top_k == 0 && !focus;
  }
};

Attend drawn_way(Random& random, bool& focus) {
  Attend how;
  switch (random.below(9)) {
    case 0:
      how.normalizer = Normalizer::kSparsemax;
      break;
    case 1:
      how.normalizer = Normalizer::kNone;
      break;
    case 2:
      how.top_k = 1 + random.below(4);
      break;
    case 3:
      how.reading = random.below(2) == 0 ? hard() : gumbel(0.5f);
      break;
    case 4:
      how.composed = true;
      break;
    case 5:
      focus = true;
      break;
    default:  // fused
      break;
  }
  if (random.below(3) == 0) how.softcap = 2;
  if (random.below(4) == 0) how.dropout = 0.3f;
  how.bias_after_cap = random.below(4) == 0;
  return how;
}

SpoiltProblem drawn_problem(Random& random) {
  const Index kv_head = 1 + random.below(2), few = random.below(3);
  const Index most_queries = few == 0 ? 4 : few == 1 ? 20 : 120;
  Sizes s{.batch = 1 + random.below(2),
          .head = kv_head * (1 + random.below(2)),
          .kv_head = kv_head,
          .query = 1 + random.below(most_queries),
          .key = 1 + random.below(few == 2 ? 130 : 20),
          .dim = 1,
          .value_dim = 1};
  draw_dims(s, 20, random);
  SpoiltProblem p{.s = s, .in = {}, .how = {}, .score = Score::Kind::kScaledDot, .focus = false};
  p.how = drawn_way(random, p.focus);
  p.how.mask = drawn_mask(s, random) & drawn_mask(s, random);
  using Kind = Score::Kind;
  constexpr Kind kKinds[] = {Kind::kScaledDot, Kind::kScaledDot,     Kind::kDot,
                             Kind::kCosine,    Kind::kGeneral,       Kind::kAdditive,
                             Kind::kConcat,    Kind::kConcatLiteral, Kind::kLocation};
  p.score = kKinds[random.below(9)];
  p.in = inputs_of(s, 7);
  const Index rows = p.score == Kind::kConcat ? 2 * s.dim : s.dim;
  const Index columns = p.score == Kind::kLocation ? s.key : s.dim;
  p.in.push_back(random_tensor({s.batch, s.head, s.query, s.key}, -1, 1, 11));
  p.in.push_back(random_tensor({s.batch, s.head, s.query}, 0, 9, 12));
  p.in.push_back(random_tensor({p.score == Kind::kConcatLiteral ? 2 * s.dim : s.dim}, -1, 1, 13));
  const float small = 2 / std::sqrt(static_cast<float>(rows));
  p.in.push_back(random_tensor({rows, columns}, -small, small, 14));
  p.in.push_back(random_tensor({s.batch, s.head, s.query, s.value_dim}, -1, 1, 15));
  return p;
}

struct SpoiltResults {
  Tensor output, weights;
  std::vector<Tensor> gradients;  // empty where an input has no part
};

SpoiltResults results_of(const SpoiltProblem& p) {
  std::vector<Var> in;
  for (std::size_t i = 0; i < kGradient; ++i) in.push_back(Var::parameter(p.in[i]));
  Attend how = p.how;
  how.score = {.kind = p.score, .weight = in[kWeight], .matrix = in[kMatrix]};
  how.bias = in[kBias];
  if (p.focus) how.focus = Focus{in[kCenter], 3};
  fovea::Run run{.training = true, .random = {.seed = 3}};
  const Attended a = attend(in[kQuery], in[kKey], in[kValue], how, run);
  return {a.output.value(), a.weights(), gradients(a.output, in, p.in[kGradient])};
}

// Which rows (batch, head, query) have something to do with numbers that are not finite?
struct Touched {
  std::vector<bool> forward, backward;

  explicit Touched(const SpoiltProblem& p) {
    const Sizes& s = p.s;
    const auto visible = sees(p.how.mask, s);
    const auto bad = [&](Input input, Index row, Index width) {
      const float* at = p.in[input].data() + row * width;
      return !std::all_of(at, at + width, [](float x) { return std::isfinite(x); });
    };
    for (Index r = 0; r < s.batch * s.head * s.query; ++r) {
      const Index b = r / s.query / s.head, h = r / s.query % s.head, i = r % s.query;
      bool touched = false, any = false;
      for (Index j = 0; j < s.key; ++j) {
        if (!visible(b, h, i, j)) continue;
        const Index key = (b * s.kv_head + h / (s.head / s.kv_head)) * s.key + j;
        any = true;
        touched = touched || bad(kKey, key, s.dim) || bad(kValue, key, s.value_dim) ||
                  bad(kBias, r * s.key + j, 1);
      }
      touched = any && (touched || bad(kQuery, r, s.dim));
      forward.push_back(touched);
      backward.push_back(touched || (any && bad(kGradient, r, s.value_dim)));
    }
  }
  bool nothing() const {
    return std::find(backward.begin(), backward.end(), true) == backward.end();
  }
};

bool same(float a, float b) { return std::abs(a - b) <= 1e-4f * (1 + std::abs(b)); }

// Rows of `got` are those of `expected` wherever counts(row).
template <class Counts>
bool same_rows(const Tensor& got, const Tensor& expected, Index rows, const Counts& counts) {
  const Tensor a = got.packed(), b = expected.packed();
  const Index width = a.size() / rows;
  for (Index at = 0; at < a.size(); ++at) {
    if (counts(at / width) && !same(a.data()[at], b.data()[at])) return false;
  }
  return true;
}

void expect_untouched(const SpoiltProblem& clean, const SpoiltProblem& poisoned) {
  const Sizes& s = clean.s;
  const SpoiltResults expected = results_of(clean), got = results_of(poisoned);
  const Touched touched(poisoned);
  const auto visible = sees(clean.how.mask, s);
  const Index rows = s.batch * s.head * s.query;
  const auto forward = [&](Index r) { return !touched.forward[static_cast<std::size_t>(r)]; };
  const auto backward = [&](Index r) { return !touched.backward[static_cast<std::size_t>(r)]; };
  RC_ASSERT(same_rows(got.output, expected.output, rows, forward));
  RC_ASSERT(same_rows(got.weights, expected.weights, rows, forward));
  for (Index at = 0; at < got.weights.size(); ++at) {
    const Index r = at / s.key;
    if (!visible(r / s.query / s.head, r / s.query % s.head, r % s.query, at % s.key)) {
      RC_ASSERT(got.weights.data()[at] == 0.0f);
    }
  }
  for (const Input input : {kQuery, kBias, kCenter}) {
    RC_ASSERT(same_rows(got.gradients[input], expected.gradients[input], rows, backward));
  }
  std::vector<bool> key_touched(static_cast<std::size_t>(s.batch * s.kv_head * s.key));
  for (Index r = 0; r < rows; ++r) {
    const Index b = r / s.query / s.head, h = r / s.query % s.head;
    for (Index j = 0; j < s.key && !backward(r); ++j) {
      if (!visible(b, h, r % s.query, j)) continue;
      const Index key = (b * s.kv_head + h / (s.head / s.kv_head)) * s.key + j;
      key_touched[static_cast<std::size_t>(key)] = true;
    }
  }
  for (const Input input : {kKey, kValue}) {
    RC_ASSERT(same_rows(got.gradients[input], expected.gradients[input],
                        s.batch * s.kv_head * s.key,
                        [&](Index key) { return !key_touched[static_cast<std::size_t>(key)]; }));
  }
  if (touched.nothing()) {  // padding may hold anything
    for (const Input input : {kWeight, kMatrix}) {
      RC_ASSERT(largest_gap(got.gradients[input], expected.gradients[input]) < 1e-4);
    }
  }
}

RC_GTEST_PROP(NotFinite, ReachesTheRowsThatSeeItAndNoOthers, ()) {
  const kernels::AmxAttendsAnyway guard;
  Random random{.seed = *rc::gen::arbitrary<std::uint32_t>()};
  const SpoiltProblem clean = drawn_problem(random);
  SpoiltProblem poisoned = clean;
  for (Index n = 1 + random.below(3); n > 0; --n) {
    constexpr Input kPoisoned[] = {kQuery, kKey, kValue, kBias, kGradient};
    constexpr float kPoison[] = {kNan, kInf, -kInf};
    Tensor& x = poisoned.in[kPoisoned[random.below(5)]];
    x = x.copy();
    const bool bias = x.shape() == clean.in[kBias].shape();  // there, -inf is a mask
    x.data()[random.below(x.size())] = kPoison[random.below(bias ? 2 : 3)];
  }
  expect_untouched(clean, poisoned);
}

// It does reach them: nobody is told a number that was made up.
RC_GTEST_PROP(NotFinite, NanIsSeenByTheRowsThatSeeIt, ()) {
  const kernels::AmxAttendsAnyway guard;
  Random random{.seed = *rc::gen::arbitrary<std::uint32_t>()};
  SpoiltProblem p = drawn_problem(random);
  p.score = Score::Kind::kScaledDot;
  p.how.dropout = 0;
  const Input input = random.below(2) == 0 ? kQuery : kKey;
  p.in[input] = p.in[input].copy();
  p.in[input].data()[random.below(p.in[input].size())] = kNan;
  const SpoiltResults got = results_of(p);
  const Touched touched(p);
  for (std::size_t r = 0; r < touched.forward.size(); ++r) {
    if (!touched.forward[r]) continue;
    RC_ASSERT(std::isnan(got.output.data()[static_cast<Index>(r) * p.s.value_dim]));
  }
}

// A token that is not finite: those before it, and what they alone read, stay as they are.
TEST(NotFinite, InCausalLinearAttentionReachesNothingBeforeIt) {
  const Sizes s{1, 2, 1, 150, 150, 3, 4};
  const Tensor seed = random_tensor({1, 2, 150, 4}, -1, 1, 9);
  const auto results = [&](const std::vector<Tensor>& in) {
    std::vector<Var> vars;
    for (const Tensor& x : in) vars.push_back(Var::parameter(x));
    const Var y = linear_attention(vars[0], vars[1], vars[2], {.causal = true});
    std::vector<Tensor> all = gradients(y, vars, seed);
    all.push_back(y.value());
    return all;
  };
  const std::vector<Tensor> expected = results(inputs_of(s));
  for (const std::size_t input : {0, 1, 2}) {
    for (const Index bad : {3, 70, 149}) {
      std::vector<Tensor> in = inputs_of(s);
      in[input].data()[bad * in[input].shape(3)] = kNan;
      const std::vector<Tensor> got = results(in);
      const auto before = [&](Index r) { return r % 150 < bad; };
      EXPECT_TRUE(same_rows(got[3], expected[3], 300, before)) << input << ", " << bad;
      EXPECT_TRUE(same_rows(got[0], expected[0], 300, before)) << input << ", " << bad;
      EXPECT_TRUE(std::isnan(got[3].data()[bad * 4])) << input << ", " << bad;
      // Query `bad` reads all keys up to its own; only those behind it have nothing to do with it.
      const auto behind = [&](Index r) { return input == 0 && r % 150 > bad; };
      EXPECT_TRUE(same_rows(got[1], expected[1], 150, behind)) << input << ", " << bad;
      EXPECT_TRUE(same_rows(got[2], expected[2], 150, behind)) << input << ", " << bad;
    }
  }
}

// A value without weight may be anything: in one block or in several, by rows or by blocks of them.
TEST(NotFinite, AValueWithoutWeightIsNotRead) {
  const kernels::AmxAttendsAnyway guard;
  for (const Index queries : {1, 3, 70}) {
    for (const Index keys : {2, 300, 4000}) {
      for (const bool composed : {false, true}) {
        const Tensor q = Tensor::full({1, 1, queries, 1}, 1);
        Tensor k = Tensor::zeros({1, 1, keys, 1}), v = Tensor::full({1, 1, keys, 2}, 5);
        for (const Index hidden : {Index{0}, keys / 2}) {
          k.data()[hidden] = -1000;
          v.data()[2 * hidden] = hidden == 0 ? kNan : kInf;
        }
        if (keys == 2) k.data()[0] = 0, v.data()[0] = 5;
        const Attended a = attend(q, k, v, {.score = dot(), .composed = composed});
        for (const float y : a.output.value().values()) EXPECT_NEAR(y, 5, 1e-3);
      }
    }
  }
}

TEST(NotFinite, ARowThatOnlyHasNanOrNeverIsNan) {
  const Tensor q = Tensor::full({1, 1, 1, 1}, 1), v = Tensor::full({1, 1, 2, 1}, 5);
  const Tensor k({1, 1, 2, 1}, std::vector<float>{-kInf, kNan});
  for (const Normalizer normalizer : {Normalizer::kSoftmax, Normalizer::kSparsemax}) {
    const Attended a = attend(q, k, v, {.score = dot(), .normalizer = normalizer});
    EXPECT_TRUE(std::isnan(a.output.value().item()));
  }
  for (const bool composed : {false, true}) {
    const Attended a = attend(q, k, v, {.score = dot(), .composed = composed});
    EXPECT_TRUE(std::isnan(a.logsumexp().item())) << composed;
  }
}

}  // namespace
}  // namespace fovea
