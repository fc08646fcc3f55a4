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

TEST(TraceAlignment, MergesPiecesToTheWordsOfTheTexts) {
  const SoftAlignment words = word_alignment(some_trace());
  EXPECT_EQ(words.source, (std::vector<std::string>{"it", "unbreakable"}));
  EXPECT_EQ(words.target, (std::vector<std::string>{"incassable"}));
  EXPECT_EQ(numbers(words.weights), (std::vector<float>{0.25f, 0.5f, 0.25f}));
  EXPECT_EQ(words.links(), (Alignment{{1, 0}}));
}

TEST(TraceAlignment, TakesTheHeadThatWasChosen) {
  EXPECT_EQ(numbers(word_alignment(some_trace(), {.head = 0}).weights),
            (std::vector<float>{0.5f, 0.5f, 0}));
  EXPECT_EQ(error_of([] { word_alignment(some_trace(), {.head = 2}); }),
            "alignment: layer 0, head 2 was asked for; the model has layers 0 to 0 and heads 0 to "
            "1");
}

TEST(TraceAlignment, LeavesPiecesAsTheyAre) {
  const SoftAlignment pieces = piece_alignment(some_trace(), {.head = 0});
  EXPECT_EQ(pieces.source, (std::vector<std::string>{"\u2581it", "\u2581un", "breakable"}));
  EXPECT_EQ(numbers(pieces.weights), (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(TraceAlignment, OfAModelThatDoesNotLookHasNoWeights) {
  Trace trace = some_trace();
  trace.heads.clear();
  EXPECT_FALSE(weights_of(trace));
  EXPECT_FALSE(word_alignment(trace).weights);
}

TEST(TraceAlignment, IsOfCrossAttentionWhereThereIsSome) {
  Trace trace = some_trace();
  trace.heads.insert(trace.heads.begin(), {"encoder", 3, 5, "source", "source",
                                           Tensor::zeros({4, 4}), Tensor::full({4, 4}, 0.25f)});
  EXPECT_EQ(numbers(weights_of(trace)), numbers(weights_of(some_trace())));
  trace.heads.resize(1);
  EXPECT_EQ(weights_of(trace, {.layer = 3}).shape(), (Shape{4, 4}));
}

TEST(TraceAlignment, SaysWhenTextAndPiecesDisagree) {
  Trace trace = some_trace();
  trace.input = "it";
  EXPECT_EQ(error_of([&] { word_alignment(trace); }),
            "trace: a piece belongs to word 1, but 'it' has 1 words");
}

}  // namespace
}  // namespace fovea
