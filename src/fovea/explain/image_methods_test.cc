#include "fovea/explain/image_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/autograd/ops.h"
#include "fovea/explain/image_check.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

constexpr Index kSize = 16;

// Says "bright" by the sum of the pixels in the lower right corner, 4 x 4, and of nothing else.
class CornerModel final : public ImageModel {
 public:
  CornerModel() {
    weight_ = Tensor::zeros({2, 3 * kSize * kSize});
    for (Index c = 0; c < 3; ++c) {
      for (Index y = 12; y < kSize; ++y) {
        for (Index x = 12; x < kSize; ++x) weight_.data()[(c * kSize + y) * kSize + x] = 0.1f;
      }
    }
  }
  std::string task() const override { return "classify"; }
  std::string kind() const override { return "corner"; }
  ImageInput input() const override { return {kSize, kSize, 3}; }
  std::vector<std::string> classes() const override { return {"bright", "dark"}; }
  NamedTensors tensors() override { return {{"weight", weight_}}; }
  std::string options_text() const override { return {}; }
  std::map<std::string, std::string> parts() const override { return {}; }
  std::vector<ImageSaid> say(std::span<const Image> images, const std::string&) const override {
    return std::vector<ImageSaid>(images.size(), {"bright"});
  }
  Trace trace(const Image& image, const std::string&) const override {
    Trace trace = image_trace(*this, image);
    trace.output = "bright";
    trace.axes.push_back({.name = "target", .kind = "words", .labels = {{"bright"}}});
    return trace;
  }
  Seen see(const Var& pixels, const std::string&) const override {
    return {matmul(reshape(pixels, {pixels.shape(0), -1}), transpose(Var(weight_))), {}};
  }

 private:
  Tensor weight_;
};

// Light in the corner, dark elsewhere.
Image corner_picture() {
  Image image{.width = kSize, .height = kSize};
  for (Index i = 0; i < kSize * kSize; ++i) {
    const bool corner = i / kSize >= 12 && i % kSize >= 12;
    image.pixels.insert(image.pixels.end(), 3, static_cast<std::uint8_t>(corner ? 255 : 10));
  }
  return image;
}

Trace explained_by_all(const ImageModel& model, const Image& image) {
  Trace trace = model.trace(image, "");
  explain_picture(model, image, "", image_method_names(model), {}, trace);
  return trace;
}

TEST(ImageMethods, FindTheOnlyPixelsThatCount) {
  const CornerModel model;
  const Trace trace = explained_by_all(model, corner_picture());
  ASSERT_EQ(trace.methods.size(), image_method_names(model).size());
  for (const Trace::Method& method : trace.methods) {
    const std::vector<Trace::Label>& cells = trace.labels(method.keys);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool corner = cells[i].box->x0 >= 12 && cells[i].box->y0 >= 12;
      const float weight = method.weights.data()[i];
      if (corner) {
        EXPECT_GT(weight, 0) << method.name << i;
      } else {
        EXPECT_NEAR(weight, 0, 1e-6) << method.name << i;
      }
    }
  }
}

TEST(ImageMethods, SaliencyOfALinearModelIsTheLengthOfItsWeights) {
  const CornerModel model;
  Trace trace = model.trace(corner_picture(), "");
  explain_picture(model, corner_picture(), "", {"saliency"}, {}, trace);
  EXPECT_NEAR(trace.methods[0].weights.data()[kSize * kSize - 1], std::sqrt(3.0) * 0.1, 1e-6);
}

TEST(ImageMethods, ExplainOneClassWhereBeliefsFollowEachOther) {
  const CornerModel model;
  Trace trace = model.trace(corner_picture(), "");
  trace.axes[0].labels = {{"dark"}, {"bright"}};
  explain_picture(model, corner_picture(), "", {"saliency", "occlusion"}, {}, trace);
  for (const Trace::Method& method : trace.methods) {
    ASSERT_EQ(trace.labels(method.queries).size(), 1u);
    EXPECT_EQ(trace.labels(method.queries)[0].text, "bright");
  }
}

TEST(ImageMethods, LeaveNoTraceInTheModel) {
  CornerModel model;
  const std::vector<float> before = model.tensors().at("weight").values();
  explained_by_all(model, corner_picture());
  EXPECT_EQ(model.tensors().at("weight").values(), before);
}

TEST(ImageMethods, KnowTheirNames) {
  const CornerModel model;
  EXPECT_EQ(parse_image_methods("all", model), image_method_names(model));
  EXPECT_EQ(parse_image_methods("occlusion,saliency,occlusion", model),
            (std::vector<std::string>{"occlusion", "saliency"}));
  EXPECT_THAT(
      error_of([&] { parse_image_methods("magic", model); }),
      testing::StartsWith("--method 'magic': not known for this model; it has all, saliency"));
}

TEST(ImageCheck, TellsATrueMapFromAnEmptyOne) {
  const CornerModel model;
  const Image image = corner_picture();
  const ImageCheck check(model, std::make_unique<CornerModel>());
  Trace trace = explained_by_all(model, image);
  check(image, "", {{12, 12, 16, 16}}, trace);
  for (const Trace::Method& method : trace.methods) {
    std::map<std::string, double> figure;
    for (const Trace::Figure& f : method.figures) figure[f.name] = f.value;
    EXPECT_LT(figure["deletion"], figure["deletion_random"] - 0.05) << method.name;
    EXPECT_GT(figure["insertion"], figure["insertion_random"] + 0.05) << method.name;
    EXPECT_LT(figure["randomised"], 0.3) << method.name;
    EXPECT_EQ(figure["pointing"], 1) << method.name;
  }
  // A map of somewhere else.
  Trace::Method& empty = trace.methods[0];
  for (float& w : empty.weights.flat()) w = 1 - w;
  check(image, "", {{12, 12, 16, 16}}, trace);
  EXPECT_GT(empty.figures[0].value, empty.figures[1].value);  // deletion
  EXPECT_EQ(empty.figures.back().value, 0);                   // pointing
}

}  // namespace
}  // namespace fovea
