#include "fovea/models/answerer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/layers/parameters.h"
#include "fovea/models/answerer_test_tools.h"

namespace fovea {
namespace {

using Ask = std::vector<std::vector<std::int32_t>>;

struct Kind {
  const char* name;
  bool attends;
  QuestionReader reader;
};

class EveryAnswerer : public testing::TestWithParam<Kind> {
 protected:
  Answerer net = [] {
    Random random{.seed = 4};
    return Answerer(small_answerer(GetParam().attends, GetParam().reader), random);
  }();
  Tensor images = [] {
    Random random{.seed = 5};
    return Tensor::uniform({2, 3, 12, 16}, 0, 1, random);
  }();
  Questions questions = questions_of(Ask{{4, 5, 6}, {7, 8, 4, 5, 6}, {4}, {6, 6, 8, 7}});

  double loss() const {
    fovea::Run run{.training = true, .random = {}};
    return cross_entropy(net(Var(images), questions, run).logits, Ids({0, 3, 4, 1}),
                         {.mean = false})
        .value()
        .item();
  }
};

// Of the whole chain at once, along a random direction of each parameter; its ops are checked
// number by number where they stand.
TEST_P(EveryAnswerer, GradientsAreThoseOfFiniteDifferences) {
  fovea::Run run{.training = true, .random = {}};
  backward(
      cross_entropy(net(Var(images), questions, run).logits, Ids({0, 3, 4, 1}), {.mean = false}));
  Random random{.seed = 9};
  for (const Parameter& p : parameters(net)) {
    ASSERT_TRUE(p.var.grad()) << p.name;
    Var var = p.var;
    const Tensor at = var.value().copy(), way = Tensor::normal(at.shape(), 0, 1, random);
    const float step = 1e-4f;  // few ReLUs turn on the way
    double slope = 0;
    const std::vector<float> g = var.grad().values();
    for (std::size_t i = 0; i < g.size(); ++i) {
      slope += static_cast<double>(g[i]) * static_cast<double>(way.data()[i]);
    }
    const auto moved = [&](float by) {
      for (Index i = 0; i < at.size(); ++i) {
        var.mutable_value().data()[i] = at.data()[i] + by * way.data()[i];
      }
      return loss();
    };
    const double measured = (moved(step) - moved(-step)) / (2.0 * static_cast<double>(step));
    moved(0);
    EXPECT_NEAR(measured, slope, 0.03 * std::abs(slope) + 0.05) << p.name;
  }
}

TEST_P(EveryAnswerer, AnswersTheSameAloneAndAmongOthers) {
  fovea::Run run;
  const Tensor all = net(Var(images), questions, run).logits.value();
  ASSERT_EQ(all.shape(), Shape({4, 5}));
  const Ask one_by_one = {{4, 5, 6}, {7, 8, 4, 5, 6}, {4}, {6, 6, 8, 7}};
  for (Index i = 0; i < 4; ++i) {
    const Var image(images.slice(0, i / 2, i / 2 + 1).packed());
    const auto alone =
        net(image, questions_of(std::span(&one_by_one[static_cast<std::size_t>(i)], 1)), run)
            .logits.value()
            .values();
    const auto among = all.slice(0, i, i + 1).packed().values();
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(alone[k], among[k], 1e-5);
  }
}

TEST_P(EveryAnswerer, LooksOncePerHopAtAllRegions) {
  fovea::Run run;
  const Answering answering = net(Var(images), questions, run);
  EXPECT_EQ(answering.grid.shape(), Shape({2, 6, 3, 4}));
  if (!GetParam().attends) {
    EXPECT_TRUE(answering.looks.empty());
    return;
  }
  ASSERT_EQ(answering.looks.size(), 2u);
  const Tensor weights = answering.looks[1].weights();
  EXPECT_EQ(weights.shape(), Shape({2, 1, 2, 12}));
  for (const float total : sum(weights, 3).values()) EXPECT_NEAR(total, 1, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, EveryAnswerer,
                         testing::Values(Kind{"gru", true, QuestionReader::kGru},
                                         Kind{"self", true, QuestionReader::kSelf},
                                         Kind{"mean", false, QuestionReader::kGru}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(Answerer, WithoutAttentionItCannotTellWhereThingsAre) {
  // Left and right swapped: the same regions, elsewhere. Their mean, with its places, is the same.
  Random random{.seed = 4};
  AnswererOptions options = small_answerer(false);
  options.image.widths = {6};
  const Answerer net(options, random);
  Tensor one = Tensor::zeros({1, 3, 8, 16}), other = Tensor::zeros({1, 3, 8, 16});
  for (const Index at : {3 * 16 + 3, 3 * 16 + 4, 4 * 16 + 3}) {
    one.data()[at] = 1;
    other.data()[at + 8] = 1;
  }
  fovea::Run run;
  const Questions question = questions_of(Ask{{4, 5}});
  const auto a = net(Var(one), question, run).logits.value().values();
  const auto b = net(Var(other), question, run).logits.value().values();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
}

TEST(Answerer, SaysWhatCannotBeAsked) {
  Random random{.seed = 4};
  const Answerer net(small_answerer(), random);
  fovea::Run run;
  const auto text_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(text_of([&] {
              net(Var(Tensor::zeros({2, 3, 12, 16})), questions_of(Ask{{4}, {5}, {6}}), run);
            }),
            "answer: 3 questions about 2 images; ask each image equally many");
  EXPECT_EQ(text_of([] { questions_of(Ask{{4}, {}}); }), "answer: question 2 has no words");
}

}  // namespace
}  // namespace fovea
