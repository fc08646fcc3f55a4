#include "fovea/models/trace_alignment.h"

#include <gtest/gtest.h>

#include "fovea/attention/trace_json.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

// "un|break|able" said as "in|cassable", by a layer with two heads.
Trace some_trace() {
  const auto head = [](Index number, std::vector<float> weights) {
    const Tensor w({3, 4}, std::move(weights));
    return Trace::Head{"cross", 0, number, w, w};
  };
  return {.task = "translate",
          .model = "transformer",
          .input = "it unbreakable",
          .output = "incassable",
          .keys = {{"\u2581it", 0}, {"\u2581un", 1}, {"breakable", 1}, {"</s>", -1}},
          .outputs = {{"\u2581in", 0}, {"cassable", 0}, {"</s>", -1}},
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

TEST(TraceAlignment, SaysWhenTextAndPiecesDisagree) {
  Trace trace = some_trace();
  trace.input = "it";
  EXPECT_EQ(error_of([&] { word_alignment(trace); }),
            "trace: a piece belongs to word 1, but 'it' has 1 words");
}

TEST(TraceJson, HasEveryFieldAndShortNumbers) {
  Trace trace = some_trace();
  trace.input = "a \"b\"";
  trace.keys = {{"a", 0}, {"</s>", -1}};
  trace.outputs = {{"</s>", -1}};
  trace.steps = {{{{"x", 0.1}}, Tensor({2}, std::vector<float>{0.1f, -1.5f})}};
  const float infinity = std::numeric_limits<float>::infinity();
  trace.heads = {{"cross", 1, 2, Tensor({1, 2}, std::vector<float>{-infinity, 3}),
                  Tensor({1, 2}, std::vector<float>{0, 1})}};
  EXPECT_EQ(to_json(trace),
            R"({"format":"fovea.trace","version":1,"task":"translate","model":"transformer",)"
            R"("input":"a \"b\"","output":"incassable",)"
            R"("keys":[{"text":"a","word":0},{"text":"</s>","word":null}],)"
            R"("outputs":[{"text":"</s>","word":null}],)"
            R"("steps":[{"choices":[{"text":"x","probability":0.1}],"context":[0.1,-1.5]}],)"
            R"("heads":[{"kind":"cross","layer":1,"head":2,"scores":[[null,3.0]],)"
            R"("weights":[[0.0,1.0]]}]})");
}

}  // namespace
}  // namespace fovea
