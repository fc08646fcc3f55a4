// Every path of attend() agrees, for random shapes, masks and options.
#include "fovea/attention/attend.h"
#include "fovea/attention/attention_test_tools.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

struct Problem {
  Sizes s;
  std::vector<Tensor> in;
  Attend how;
};

Problem drawn_problem(std::uint64_t seed) {
  Random random{.seed = seed};
  const Index kv_head = 1 + random.below(2);
  Sizes s{.batch = 1 + random.below(2),
          .head = kv_head * (1 + random.below(2)),
          .kv_head = kv_head,
          .query = 1 + random.below(random.below(2) == 0 ? 8 : 120),
          .key = 1 + random.below(random.below(2) == 0 ? 8 : 220),
          .dim = 1,
          .value_dim = 1};
  draw_dims(s, 40, random);
  Problem p{.s = s, .in = inputs_of(s, seed), .how = {}};
  p.how.mask = drawn_mask(s, random);
  if (random.below(2) == 0) p.how.mask = p.how.mask & drawn_mask(s, random);
  if (random.below(3) == 0) p.how.mask = p.how.mask | drawn_mask(s, random);
  if (random.below(4) == 0) p.how.softcap = 2;
  if (random.below(3) == 0) {
    const Shape shapes[] = {
        {s.batch, s.head, s.query, s.key}, {1, s.head, 1, s.key}, {s.query, s.key}, {s.query, 1}};
    p.in.push_back(random_tensor(shapes[random.below(4)], -2, 2, seed + 3));
    if (random.below(2) == 0) {
      for (Index i = 0; i < p.in[3].size(); i += 3) p.in[3].data()[i] = kNever;
    }
  } else if (random.below(3) == 0) {
    p.in.push_back(random_tensor({s.head, s.query + s.key - 1}, -2, 2, seed + 3));
  }
  if (random.below(4) == 0) p.how.dropout = 0.3f;
  return p;
}

struct Results {
  Tensor output;
  std::vector<Tensor> gradients;
  Tensor weights;
};

Results results_of(const Problem& p, bool composed) {
  std::vector<Var> in;
  for (const Tensor& x : p.in) in.push_back(Var::parameter(x));
  Attend how = p.how;
  how.composed = composed;
  if (in.size() > 3) {
    const bool relative = in[3].shape().rank() == 2 && in[3].shape(0) == p.s.head &&
                          in[3].shape(1) == p.s.query + p.s.key - 1;
    (relative ? how.relative : how.bias) = in[3];
  }
  Run run{.training = true, .random = {.seed = 3}};
  const Attended a = attend(in[0], in[1], in[2], how, run);
  const Tensor seed = random_tensor(a.output.shape(), -1, 1, 5);
  return {a.output.value(), gradients(a.output, in, seed), a.weights()};
}

RC_GTEST_PROP(Attend, FusedAndComposedAgreeAndTheWeightsExplainTheOutput, ()) {
  const kernels::AmxAttendsAnyway guard;
  const Problem p = drawn_problem(*rc::gen::arbitrary<std::uint32_t>());
  const Results fused = results_of(p, false), composed = results_of(p, true);
  RC_ASSERT(largest_gap(fused.output, composed.output) < 2e-5);
  RC_ASSERT(largest_gap(fused.weights, composed.weights) < 2e-5);
  for (std::size_t i = 0; i < p.in.size(); ++i) {
    RC_ASSERT(largest_gap(fused.gradients[i], composed.gradients[i]) < 1e-4);
  }
}

RC_GTEST_PROP(Attend, GivesTheSameBytesOnAnyNumberOfThreads, ()) {
  const kernels::AmxAttendsAnyway anyway;
  const Problem p = drawn_problem(*rc::gen::arbitrary<std::uint32_t>());
  const auto bytes = [&](int count) {
    const UseThreads guard(count);
    const Results r = results_of(p, false);
    std::vector<std::vector<float>> all = {r.output.values()};
    for (const Tensor& g : r.gradients) all.push_back(g.values());
    return all;
  };
  const auto one = bytes(1);
  RC_ASSERT(bytes(2) == one);
  RC_ASSERT(bytes(3) == one);
}

}  // namespace
}  // namespace fovea
