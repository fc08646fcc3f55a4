#include "fovea/models/trace_alignment.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

// "un|break|able" said as "in|cassable", by a layer with two heads.
Trace some_trace() {
  const auto head = [](Index number, std::vector<float> weights) {
    const Tensor w({3, 4}, std::move(weights));
    return Trace::Head{"cross", 0, number, "target", "source", w, w};
  };
  return {.task = "translate",
          .model = "transformer",
          .input = "it unbreakable",
          .output = "incassable",
          .axes = {{"source",
                    "pieces",
                    {{"\u2581it", 0}, {"\u2581un", 1}, {"breakable", 1}, {"</s>", -1}}},
                   {"target", "pieces", {{"\u2581in", 0}, {"cassable", 0}, {"</s>", -1}}}},
          .steps = {},
          .heads = {head(0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}),
                    head(1, {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1})}};
}

std::vector<float> numbers(const Tensor& x) { return {x.data(), x.data() + x.size()}; }

TEST(TraceAlignment, IsTheMeanOfHeadsOrTheOneThatWasChosen) {
  EXPECT_EQ(numbers(weights_of(some_trace())),
            (std::vector<float>{0.5f, 0, 0.5f, 0, 0, 0.5f, 0, 0.5f, 0, 0, 0, 1}));
  EXPECT_EQ(numbers(weights_of(some_trace(), {.head = 0})),
            (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(error_of([] { weights_of(some_trace(), {.head = 2}); }),
            "there is no layer 0, head 2; the model has layers 0 to 0 and heads 0 to "
            "1");
}

TEST(TraceAlignment, OfAModelThatDoesNotLookHasNoWeights) {
  Trace trace = some_trace();
  trace.heads.clear();
  EXPECT_FALSE(weights_of(trace));
}

TEST(TraceAlignment, IsOfCrossAttentionWhereThereIsSome) {
  Trace trace = some_trace();
  trace.heads.insert(trace.heads.begin(), {"encoder", 3, 5, "source", "source",
                                           Tensor::zeros({4, 4}), Tensor::full({4, 4}, 0.25f)});
  EXPECT_EQ(numbers(weights_of(trace)), numbers(weights_of(some_trace())));
  trace.heads.resize(1);
  EXPECT_EQ(weights_of(trace, {.layer = 3}).shape(), (Shape{4, 4}));
}

}  // namespace
}  // namespace fovea
