// Learning to read digits by glimpses: pictures that depend on their number alone, the same file on
// any number of threads, interrupted or not, and a network that has learnt.
#include "fovea/training/glimpse_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>

#include "fovea/base/parallel.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

GlimpseReaderOptions tiny_reader(Looking looking, Index size = 28) {
  return {.looking = looking,
          .retina = {.size = 6, .scales = 2},
          .glimpses = 3,
          .width = size,
          .height = size,
          .patch_dim = 16,
          .place_dim = 16,
          .glimpse_dim = 32,
          .hidden = 32,
          .tiles = 3,
          .dropout = 0.1f};
}

const LabelledImages& some_digits() {
  static const LabelledImages digits = world_digits(1, Split::kTrain, 192);
  return digits;
}

GlimpseTaskOptions moved() {
  return {.batch = 16,
          .placing = ClutterOptions{.size = 40, .pieces = 2},
          .warp = {.shift = 1, .turn = 10}};
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::equal(a.data(), a.data() + a.size(), b.data());
}

TEST(GlimpseTask, PicturesOfABatchDependOnItsNumberAlone) {
  GlimpseModel model = make_glimpse_model(tiny_reader(Looking::kPlaces, 40), {.seed = 1});
  const GlimpseTask one(model, some_digits(), some_digits(), moved()),
      other(model, some_digits(), some_digits(), moved());
  const LabelledImages third = one.pictures(3);
  EXPECT_EQ(third.images.shape(), (Shape{16, 40, 40}));
  for (const Index batch : {7, 0, 3}) {
    const LabelledImages again = other.pictures(batch);
    EXPECT_EQ(same(again.images, third.images), batch == 3);
  }
  // The same digits come back in the next epoch, elsewhere.
  EXPECT_FALSE(same(one.pictures(0).images, one.pictures(one.batches_per_epoch()).images));
}

// Trains for 12 steps; stopped after `at` and resumed, if that is above 0.
std::string trained_bytes(Looking looking, Index at, const std::string& out) {
  const auto run = [&](TrainOptions options) {
    GlimpseModel model = make_glimpse_model(tiny_reader(looking, 40), {.seed = 1});
    GlimpseTask task(model, some_digits(), world_digits(1, Split::kValid, 20), moved());
    std::atomic<bool> stop = false;
    struct Stopper : Observer {
      void stepped(const Progress& progress) override { *stop = progress.step == at; }
      std::atomic<bool>* stop = nullptr;
      Index at = 0;
    } stopper;
    stopper.stop = &stop;
    stopper.at = options.start == TrainOptions::Start::kResume ? 0 : at;
    options.stop = &stop;
    train(task, options, stopper);
  };
  TrainOptions options{.out = out, .steps = 12, .validate_every = 5, .average = 2};
  run(options);
  if (at > 0) {
    options.start = TrainOptions::Start::kResume;
    run(options);
  }
  std::ifstream file(out, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class EveryLookingTrained : public testing::TestWithParam<Looking> {};

TEST_P(EveryLookingTrained, GivesTheSameBytesOnAnyThreadsInterruptedOrNot) {
  const ScratchFolder folder;
  const int before = threads();
  set_threads(1);
  const std::string one = trained_bytes(GetParam(), 0, folder / "one");
  set_threads(2);
  const std::string two = trained_bytes(GetParam(), 0, folder / "two"),
                    resumed = trained_bytes(GetParam(), 7, folder / "resumed");
  set_threads(before);
  ASSERT_FALSE(one.empty());
  EXPECT_TRUE(one == two);
  EXPECT_TRUE(one == resumed);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLookingTrained,
                         testing::Values(Looking::kPlaces, Looking::kHard, Looking::kSoft,
                                         Looking::kGaussian, Looking::kRandom, Looking::kWhole),
                         [](const auto& test) { return name_of(test.param); });

TEST(GlimpseTask, TellsRewardSpreadAndEntropy) {
  GlimpseModel model = make_glimpse_model(tiny_reader(Looking::kHard), {.seed = 1});
  GlimpseTask task(model, some_digits(), some_digits(), {.batch = 16});
  fovea::Run run{.training = true, .random = {.seed = 1}};
  const Loss loss = task.step(0, run);
  EXPECT_EQ(loss.count, 16);
  ASSERT_EQ(loss.figures.size(), 3u);
  EXPECT_EQ(loss.figures[0].first, "reward");
  EXPECT_EQ(loss.figures[1].first, "spread");
  EXPECT_EQ(loss.figures[2].first, "entropy");
  EXPECT_GT(loss.figures[1].second, 0);
  // A new network is undecided between 9 tiles.
  EXPECT_NEAR(loss.figures[2].second / 16, std::log(9.0), 0.5);
}

TEST(GlimpseTask, LearnsToReadDigits) {
  GlimpseReaderOptions options = tiny_reader(Looking::kPlaces);
  options.dropout = 0;
  options.hidden = options.glimpse_dim = 64;
  GlimpseModel model = make_glimpse_model(options, {.seed = 1});
  GlimpseTask task(model, world_digits(1, Split::kTrain, 3000), world_digits(1, Split::kValid, 300),
                   {.batch = 32});
  const TrainResult result = train(task, {.steps = 400,
                                          .schedule = LinearDecay{.rate = 5e-3f, .steps = 400},
                                          .max_norm = 1,
                                          .validate_every = 200});
  EXPECT_GT(result.best.score.value, 80);
  EXPECT_EQ(result.best.score.name, "right");
}

TEST(GlimpseTask, RefusesLabelsThatAreNoClass) {
  GlimpseReaderOptions options = tiny_reader(Looking::kPlaces);
  options.classes = 3;
  GlimpseModel model = make_glimpse_model(options, {.seed = 1});
  const LabelledImages images{Tensor::zeros({2, 28, 28}), Ids({0, 3})};
  EXPECT_EQ(error_of([&] { GlimpseTask(model, images, images, {}); }),
            "glimpse: images to learn from: label 3 of image 1 is none of 3 classes");
}

TEST(GlimpseExam, CountsWhatWasSaidAndWhereItLooked) {
  Random random{.seed = 1};
  GlimpseReaderOptions options = tiny_reader(Looking::kRandom, 40);
  options.dropout = 0;
  const GlimpseReader reader(options, random);
  const GlimpseExam exam{some_digits(), ClutterOptions{.size = 40}};
  const GlimpseGrades grades = examine(reader, exam);
  EXPECT_EQ(grades.images, 192);
  Index said = 0, right = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 10; ++j) said += grades.said[i][j];
    right += grades.said[i][i];
  }
  EXPECT_EQ(said, 192);
  EXPECT_EQ(grades.wrong, 192 - right);
  EXPECT_NEAR(grades.error(), 100.0 * static_cast<double>(grades.wrong) / 192, 1e-12);
  // Random places are within the box by its share of the area, all over the picture.
  ASSERT_TRUE(grades.inside);
  EXPECT_NEAR(*grades.inside, 28.0 * 28 / (40 * 40), 0.08);
  EXPECT_NEAR(grades.spread, 1 / std::sqrt(3.0), 0.03);
  EXPECT_EQ(examine(reader, exam).said, grades.said);
  EXPECT_FALSE(examine(reader, {some_digits()}).inside);
}

TEST(GlimpseExam, ReadsPicturesOfOtherSizes) {
  Random random{.seed = 1};
  const GlimpseReader reader(tiny_reader(Looking::kPlaces, 40), random);
  EXPECT_EQ(examine(reader, {some_digits(), ClutterOptions{.size = 64, .pieces = 4}}).images, 192);
}

}  // namespace
}  // namespace fovea
