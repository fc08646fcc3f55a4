#include "fovea/models/caption_model.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/base/base_test_tools.h"
#include "fovea/data/scene_world.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

const std::vector<std::string> kCaptionLines = {"a player in red runs .",
                                                "a player in blue kicks the red ball ."};

CaptionModel some_captioner(CaptionAttention attention = CaptionAttention::kSoft) {
  return CaptionModel({.attention = attention,
                       .encoder = {.widths = {4, 6, 8}},
                       .embedding_dim = 8,
                       .hidden = 12,
                       .attention_dim = 8},
                      train_tokenizer(kCaptionLines, {.pieces = Pieces::kWords, .vocab_size = 50}),
                      {.seed = 2});
}

Image some_scene(std::uint64_t i) {
  return football::draw(football::world_scene(1, Split::kValid, i), {.seed = i});
}

TEST(CaptionModel, SaysTheSameAfterBeingSavedAndLoaded) {
  const ScratchFolder folder;
  CaptionModel model = some_captioner(CaptionAttention::kHard);
  model.training["step"] = "7";
  save(model, folder / "m");
  const std::unique_ptr<ImageModel> loaded = load_image_model(folder / "m");
  EXPECT_EQ(loaded->task(), "caption");
  EXPECT_EQ(loaded->kind(), "hard");
  EXPECT_EQ(loaded->training.at("step"), "7");
  EXPECT_EQ(loaded->input().width, 64);
  EXPECT_FALSE(loaded->asks());
  const std::vector<Image> images = {some_scene(0), some_scene(1)};
  const auto before = model.say(images, ""), after = loaded->say(images, "");
  ASSERT_EQ(after.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(before[i].text, after[i].text);
}

TEST(CaptionModel, TracesEveryWordAndTheEnd) {
  const CaptionModel model = some_captioner();
  const Image image = some_scene(3);
  const Trace trace = model.trace(image, "");
  EXPECT_EQ(trace.task, "caption");
  EXPECT_EQ(trace.model, "soft");
  EXPECT_EQ(trace.output, model.say(std::span(&image, 1), "")[0].text);
  ASSERT_TRUE(trace.image);
  EXPECT_EQ(trace.image->width, 64);
  ASSERT_EQ(trace.labels("regions").size(), 64u);
  EXPECT_EQ(trace.labels("regions")[9].box->x0, 8);
  EXPECT_EQ(trace.labels("target").back().text, "</s>");
  EXPECT_EQ(trace.labels("target").back().word, -1);
  ASSERT_EQ(trace.heads.size(), 1u);
  const auto steps = static_cast<Index>(trace.labels("target").size());
  EXPECT_EQ(trace.heads[0].weights.shape(), (Shape{steps, 64}));
  EXPECT_EQ(std::ssize(trace.steps), steps);
  for (Index t = 0; t < steps; ++t) {
    const std::vector<float> row = trace.heads[0].weights.slice(0, t, t + 1).values();
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
    EXPECT_EQ(trace.steps[static_cast<std::size_t>(t)].choices.size(), 10u);
  }
}

TEST(CaptionModel, SaysWhatIsWrongWithAFile) {
  const ScratchFolder folder;
  CaptionModel model = some_captioner();
  save(model, folder / "m");
  EXPECT_EQ(error_of([&] {
              CaptionModel given({.features = true, .feature_dim = 3}, model.words, {});
              const Image image = some_scene(0);
              given.say(std::span(&image, 1), "");
            }),
            "caption: this model was trained with features of another network and reads no "
            "pictures; fovea run and fovea explain take such with --features FILE.npy");
  EXPECT_EQ(error_of([&] {
              model.see(Tensor::zeros({1, 3, 64, 64}), "");
            }),
            "caption: a caption is no class, so only attention tells where this model looked");
}

}  // namespace
}  // namespace fovea
