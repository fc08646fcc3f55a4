#include "fovea/training/caption_task.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

// A picture is six regions, each with a thing; one thing is marked, and the caption is its name,
// and whether it is marked by a cross or a ring: without looking at the right region nobody knows.
class MarkedThings final : public CaptionData {
 public:
  static constexpr Index kThings = 5, kRegions = 6;

  explicit MarkedThings(Index count) : count_(count) {}
  Index size() const override { return count_; }
  Tensor pictures(std::span<const Index> which, Random*) const override {
    Tensor all = Tensor::zeros({std::ssize(which), kRegions, kThings + 2});
    for (std::size_t i = 0; i < which.size(); ++i) {
      float* numbers = all.data() + static_cast<Index>(i) * kRegions * (kThings + 2);
      const Picture p = picture(which[i]);
      for (Index r = 0; r < kRegions; ++r) numbers[r * (kThings + 2) + p.things[r]] = 1;
      numbers[p.marked * (kThings + 2) + kThings + p.mark] = 1;
    }
    return all;
  }
  std::vector<std::string> captions(Index i) const override {
    const Picture p = picture(i);
    return {fmt::format("a thing{} with a {}", p.things[p.marked], p.mark == 0 ? "cross" : "ring")};
  }
  std::string fingerprint() const override { return "marked things"; }
  Index marked(Index i) const { return picture(i).marked; }

 private:
  struct Picture {
    std::array<Index, kRegions> things;
    Index marked, mark;
  };
  static Picture picture(Index i) {
    Random random = Random{.seed = 3}.split(static_cast<std::uint64_t>(i));
    Picture p{};
    for (Index& thing : p.things) thing = random.below(kThings);
    p.marked = random.below(kRegions);
    p.mark = random.below(2);
    return p;
  }
  Index count_;
};

CaptionModel new_model(CaptionAttention attention) {
  std::vector<std::string> lines;
  const MarkedThings some(100);
  for (Index i = 0; i < 100; ++i) lines.push_back(some.captions(i)[0]);
  return CaptionModel({.attention = attention,
                       .features = true,
                       .feature_dim = MarkedThings::kThings + 2,
                       .embedding_dim = 16,
                       .hidden = 32,
                       .attention_dim = 16},
                      train_tokenizer(lines, {.pieces = Pieces::kWords, .vocab_size = 100}),
                      {.seed = 1});
}

class CaptionTaskTest : public testing::TestWithParam<CaptionAttention> {};

TEST_P(CaptionTaskTest, LearnsToSayWhatItHasToLookFor) {
  CaptionModel model = new_model(GetParam());
  const MarkedThings train_on(3000), valid(100);
  CaptionTask task(model, train_on, valid, {.loss = {.penalty = 0}});
  const TrainResult result = train(task, {.steps = 400,
                                          .schedule = ConstantRate{.rate = 5e-3f},
                                          .max_norm = 1,
                                          .validate_every = 200});
  EXPECT_GT(result.best.score.value, 95) << "BLEU";
  // and it looks at the marked thing while it names it
  std::vector<Index> which(100);
  std::iota(which.begin(), which.end(), Index{0});
  const auto decoding = model.net.decode(valid.pictures(which, nullptr), {.looks = true});
  decoding->step(Ids(std::vector<std::int32_t>(100, kBeginId)));
  const auto a = model.words.encode("a")[0];
  const Ids looked =
      argmax(decoding->step(Ids(std::vector<std::int32_t>(100, a))).looks[0].weights);
  Index right = 0;
  for (Index i = 0; i < 100; ++i) right += looked[i] == valid.marked(i) ? 1 : 0;
  EXPECT_GT(right, 90);
}

INSTANTIATE_TEST_SUITE_P(All, CaptionTaskTest,
                         testing::Values(CaptionAttention::kSoft, CaptionAttention::kHard),
                         [](const auto& test) { return name_of(test.param); });

TEST(CaptionTask, RefusesWhatThereIsNothingToLearnFrom) {
  CaptionModel model = new_model(CaptionAttention::kSoft);
  const MarkedThings none(0), some(5);
  EXPECT_EQ(error_of([&] { CaptionTask(model, none, some, {}); }),
            "caption: there are no pictures to learn from");
  EXPECT_EQ(error_of([&] { CaptionTask(model, some, none, {}); }),
            "caption: there are no pictures for validation");
}

TEST(SceneCaptions, AreTrueOfTheirScenesAndTheSameWhenAskedAgain) {
  const SceneCaptions data(1, Split::kValid, 20, 64), same(1, Split::kValid, 20, 64);
  for (Index i = 0; i < 20; ++i) {
    ASSERT_EQ(data.captions(i).size(), 5u);
    EXPECT_EQ(data.captions(i), same.captions(i));
    for (const std::string& caption : data.captions(i)) {
      EXPECT_TRUE(football::caption_truth(*data.scene(i), caption).holds()) << caption;
    }
  }
  const std::vector<Index> which = {3, 4};
  EXPECT_EQ(data.pictures(which, nullptr).shape(), (Shape{2, 3, 64, 64}));
}

TEST(PictureCaptions, AreMirroredOnlyWhereNoCaptionTellsSides) {
  Image image{.width = 32, .height = 32, .channels = 1};
  image.pixels.assign(32 * 32, 0);
  for (std::size_t y = 0; y < 32; ++y) {  // the left half is white
    for (std::size_t x = 0; x < 16; ++x) image.pixels[y * 32 + x] = 200;
  }
  CaptionedPictures two;
  two.names = {"a", "b"};
  two.images = {image, image};
  two.captions = {{"a dog on the left"}, {"a dog", "it runs"}};
  const PictureCaptions data(std::move(two));
  Index mirrored[2] = {0, 0};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random{.seed = seed};
    const std::vector<Index> which = {0, 1};
    const Tensor seen = data.pictures(which, &random);
    for (Index i = 0; i < 2; ++i) {
      mirrored[i] += seen.data()[i * 1024 + 16 * 32 + 2] < seen.data()[i * 1024 + 16 * 32 + 29];
    }
  }
  EXPECT_EQ(mirrored[0], 0);
  EXPECT_GT(mirrored[1], 8);
  EXPECT_LT(mirrored[1], 32);
}

}  // namespace
}  // namespace fovea
