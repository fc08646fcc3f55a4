// A glimpse reader in a file, and what it tells of where it looked.
#include "fovea/models/glimpse_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/io/reader_test_tools.h"
#include "fovea/models/glimpse_test_tools.h"
#include "fovea/models/model_file.h"

namespace fovea {
namespace {

GlimpseModel small_model(Looking looking) {
  return make_glimpse_model(small_glimpses(looking), {.seed = 1});
}

Image some_image(Index width, Index height) {
  Image image{width, height, 1, {}};
  for (Index i = 0; i < width * height; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  return image;
}

class EveryGlimpseModel : public testing::TestWithParam<Looking> {};

TEST_P(EveryGlimpseModel, SaysTheSameAfterItWasSavedAndRead) {
  const ScratchFolder folder;
  GlimpseModel model = small_model(GetParam());
  model.names = {"left", "right", "none of them"};
  model.training["step"] = "7";
  save(model, folder / "m");
  const auto found = load_image_model(folder / "m");
  EXPECT_EQ(found->task(), "glimpse");
  EXPECT_EQ(found->kind(), name_of(GetParam()));
  EXPECT_EQ(found->classes(), model.names);
  EXPECT_EQ(found->training, model.training);
  EXPECT_EQ(found->input().any_size, GetParam() != Looking::kWhole);
  const std::vector<Image> images = {some_image(12, 12), some_image(12, 12)};
  const auto before = model.say(images, ""), after = found->say(images, "");
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].text, before[0].text);
  EXPECT_EQ(after[0].choices.size(), 3u);
  EXPECT_EQ(after[0].choices[0].probability, before[0].choices[0].probability);
  EXPECT_EQ(after[1].choices[0].probability, after[0].choices[0].probability);
}

TEST_P(EveryGlimpseModel, TracesWhatItSays) {
  const GlimpseModel model = small_model(GetParam());
  const Image image = some_image(12, 12);
  const Trace trace = model.trace(image, "");
  const ImageSaid said = model.say({&image, 1}, "")[0];
  const bool whole = GetParam() == Looking::kWhole;
  EXPECT_EQ(trace.task, "glimpse");
  EXPECT_EQ(trace.output, said.text);
  ASSERT_EQ(trace.steps.size(), whole ? 1u : 3u);
  EXPECT_EQ(trace.labels("target").size(), trace.steps.size());
  EXPECT_EQ(trace.labels("target").back().text, said.text);
  ASSERT_EQ(trace.steps.back().choices.size(), 3u);
  EXPECT_NEAR(trace.steps.back().choices[0].probability, said.choices[0].probability, 1e-6);
  EXPECT_EQ(trace.labels("glimpses").size(), whole ? 0u : 3u);
  EXPECT_EQ(trace.labels("retina").size(), whole ? 0u : 2u);
  const bool tiles = GetParam() == Looking::kHard || GetParam() == Looking::kSoft;
  ASSERT_EQ(trace.heads.size(), tiles ? 1u : 0u);
  if (tiles) {
    EXPECT_EQ(trace.labels("regions").size(), 4u);
    EXPECT_EQ(trace.heads[0].weights.shape(), (Shape{3, 4}));
    float sum = 0;
    for (Index k = 0; k < 4; ++k) sum += trace.heads[0].weights.data()[4 + k];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

// Whatever is drawn is drawn alike for every row, so that rows differ only by their pixels.
TEST_P(EveryGlimpseModel, GivesEveryRowItsLogitsAndPixelsTheirGradients) {
  const GlimpseModel model = small_model(GetParam());
  const Image image = some_image(12, 12);
  const std::vector<Image> twice = {image, image};
  const Var pixels = Var::parameter(image_tensor(twice));
  const ImageModel::Seen seen = model.see(pixels, "");
  ASSERT_EQ(seen.logits.shape(), (Shape{2, 3}));
  EXPECT_FALSE(seen.grid);
  const Tensor p = softmax(seen.logits).value().packed();
  const ImageSaid said = model.say({&image, 1}, "")[0];
  EXPECT_NEAR(*std::max_element(p.data(), p.data() + 3), said.choices[0].probability, 1e-6);
  for (Index k = 0; k < 3; ++k) EXPECT_EQ(p.data()[k], p.data()[3 + k]);
  backward(sum(seen.logits));
  float largest = 0;
  for (const float g : pixels.grad().packed().flat()) largest = std::max(largest, std::abs(g));
  EXPECT_GT(largest, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EveryGlimpseModel,
                         testing::Values(Looking::kPlaces, Looking::kHard, Looking::kSoft,
                                         Looking::kGaussian, Looking::kRandom, Looking::kWhole),
                         [](const auto& test) { return name_of(test.param); });

TEST(GlimpseModel, BoxesAreThePixelsOfTheFinestPatch) {
  GlimpseReaderOptions options = small_glimpses(Looking::kPlaces);
  options.from_centre = true;
  const GlimpseModel model = make_glimpse_model(options, {.seed = 1});
  const Trace trace = model.trace(some_image(30, 20), "");  // not what it was trained with
  const Trace::Label& first = trace.labels("glimpses")[0];
  EXPECT_EQ(first.text, "1");
  ASSERT_TRUE(first.box);
  EXPECT_EQ(first.box->x0, 13);
  EXPECT_EQ(first.box->y0, 8);
  EXPECT_EQ(first.box->x1, 17);
  EXPECT_EQ(first.box->y1, 12);
  EXPECT_EQ(trace.labels("retina")[0].text, "4");
  EXPECT_EQ(trace.labels("retina")[1].text, "8");
}

TEST(GlimpseModel, RefusesFilesThatDoNotFit) {
  const ScratchFolder folder;
  GlimpseModel model = small_model(Looking::kPlaces);
  model.names.pop_back();
  save(model, folder / "m");
  EXPECT_EQ(error_of([&] { load_glimpse_model(folder / "m"); }),
            folder / "m" + ": the model has 3 classes but 2 names of them; is it damaged?");
  write_model(folder / "n", {.task = "glimpse", .options = model.options_text()});
  EXPECT_EQ(
      error_of([&] { load_glimpse_model(folder / "n"); }),
      folder / "n" + ": 'fovea.classes' is missing; is it a model that fovea train has written?");
}

}  // namespace
}  // namespace fovea
