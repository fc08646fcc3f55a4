#include "fovea/models/class_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/io/reader_test_tools.h"
#include "fovea/models/answerer_test_tools.h"
#include "fovea/models/model_file.h"

namespace fovea {
namespace {

ClassModel small_class_model(bool self_attention) {
  return ClassModel(
      {.image = {.widths = {4, 8}}, .width = 16, .height = 12, .self_attention = self_attention},
      {"red", "blue", "white"}, {.seed = 6});
}

class EveryClassifier : public testing::TestWithParam<bool> {
 protected:
  ClassModel model = small_class_model(GetParam());
};

TEST_P(EveryClassifier, SaysTheSameAfterItWasWrittenAndRead) {
  const ScratchFolder folder;
  save(model, folder / "m.safetensors");
  const auto read = load_image_model(folder / "m.safetensors");
  EXPECT_EQ(read->task(), "classify");
  EXPECT_EQ(read->kind(), GetParam() ? "self-attention" : "plain");
  EXPECT_FALSE(read->asks());
  EXPECT_EQ(read->classes(), (std::vector<std::string>{"red", "blue", "white"}));
  const std::vector<Image> images = {some_picture(1), some_picture(2)};
  const auto before = model.say(images, ""), after = read->say(images, "");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(before[i].text, after[i].text);
    EXPECT_EQ(before[i].choices[2].probability, after[i].choices[2].probability);
  }
}

TEST_P(EveryClassifier, ItsTraceShowsSelfAttentionWhereThereIsSome) {
  const Trace trace = model.trace(some_picture(), "");
  EXPECT_EQ(trace.labels("regions").size(), 12u);
  ASSERT_EQ(trace.labels("target").size(), 1u);
  EXPECT_EQ(trace.labels("target")[0].text, trace.output);
  EXPECT_EQ(trace.steps[0].choices.size(), 3u);
  ASSERT_EQ(trace.heads.size(), GetParam() ? 1u : 0u);
  if (!GetParam()) return;
  EXPECT_EQ(trace.heads[0].kind, "self");
  EXPECT_EQ(trace.heads[0].weights.shape(), Shape({12, 12}));
}

TEST_P(EveryClassifier, EveryParameterLearns) {
  const Image image = some_picture();
  fovea::Run run{.training = true, .random = {}};
  for (const Parameter& p : parameters(model.net)) {
    if (p.name == "self.gamma") Var(p.var).mutable_value().data()[0] = 1;  // 0 at the start
  }
  backward(cross_entropy(model.net(Var(image_tensor(std::span(&image, 1))), run).logits, Ids({1})));
  for (const Parameter& p : parameters(model.net)) EXPECT_TRUE(p.var.grad()) << p.name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryClassifier, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "self_attention" : "plain");
});

TEST(ClassModel, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder / "m.safetensors";
  ClassModel small = small_class_model(false);
  save(small, path);
  SavedModel saved = read_model(path, "classify");
  saved.parts["classes"] = "red\n";
  write_model(path, saved);
  try {
    load_class_model(path);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ": the model has 3 classes, but 1 are listed; is it damaged?");
  }
}

}  // namespace
}  // namespace fovea
