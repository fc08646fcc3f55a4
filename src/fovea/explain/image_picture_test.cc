#include "fovea/explain/image_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/explain/picture.h"
#include "fovea/io/base64.h"
#include "fovea/io/png.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using testing::HasSubstr;

// A grey picture of 8 x 8 with four regions, and two words that look at the second and the third.
Trace two_words() {
  Trace trace;
  trace.task = "caption";
  trace.model = "soft";
  trace.output = "red ball";
  Image image{.width = 8, .height = 8};
  image.pixels.assign(8 * 8 * 3, 200);
  trace.image = Trace::Image{8, 8, to_base64(encode_png(image))};
  Trace::Axis regions{.name = "regions", .kind = "regions"};
  for (int i = 0; i < 4; ++i) {
    const float x = static_cast<float>(i % 2) * 4, y = static_cast<float>(i / 2) * 4;
    regions.labels.push_back({.text = std::to_string(i), .box = Trace::Box{x, y, x + 4, y + 4}});
  }
  trace.axes = {regions, {.name = "target", .kind = "words", .labels = {{"red"}, {"ball"}}}};
  Tensor weights({2, 4});
  const float values[] = {0.1f, 0.7f, 0.1f, 0.1f, 0, 0, 1, 0};
  std::copy(std::begin(values), std::end(values), weights.data());
  trace.heads.push_back(
      {.kind = "cross", .queries = "target", .keys = "regions", .weights = weights});
  return trace;
}

int brightness(const Image& image, Index x, Index y) {
  return image.pixels[static_cast<std::size_t>(3 * (y * image.width + x))];
}

TEST(ImageMap, IsOneForEveryWord) {
  const std::vector<ImageMap> maps = image_maps(two_words());
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(maps[0].title, "red");
  EXPECT_EQ(maps[0].best(), 1);
  EXPECT_EQ(maps[1].best(), 2);
  EXPECT_EQ(maps[1].weights.shape(), Shape({2, 2}));
}

TEST(ImageMap, LightsUpWhereAModelLooked) {
  const Trace trace = two_words();
  const Image lit = under_map(picture_in(trace), image_maps(trace)[1], 2);
  EXPECT_EQ(lit.width, 16);
  EXPECT_EQ(brightness(lit, 1, 14), 200);  // region 2 is at the lower left
  EXPECT_EQ(brightness(lit, 14, 1), 44);
}

TEST(ImageMap, ColoursWhatAMethodFoundBySign) {
  Trace trace = two_words();
  Tensor weights({1, 4});
  const float values[] = {0, 1, -1, 0};
  std::copy(std::begin(values), std::end(values), weights.data());
  trace.axes.push_back({.name = "class", .kind = "words", .labels = {{"red"}}});
  trace.methods.push_back({.name = "grad-cam",
                           .has_sign = true,
                           .queries = "class",
                           .keys = "regions",
                           .weights = weights});
  const std::vector<ImageMap> maps = image_maps(trace);
  ASSERT_EQ(maps.size(), 1u);  // methods in the place of attention
  const Image tinted = under_map(picture_in(trace), maps[0], 1);
  const auto at = [&](Index x, Index y) {
    const std::uint8_t* p = tinted.pixels.data() + 3 * (y * tinted.width + x);
    return static_cast<int>(p[2]) - static_cast<int>(p[0]);  // blue over red
  };
  EXPECT_GT(at(7, 0), 50);
  EXPECT_LT(at(0, 7), -50);
  EXPECT_EQ(at(0, 0), 0);
}

TEST(ImagePicture, ShowsThePictureAndAPanelForEveryWord) {
  Trace trace = two_words();
  trace.axes.push_back({.name = "truth",
                        .kind = "regions",
                        .labels = {{.text = "ball", .box = Trace::Box{0, 4, 4, 8}}}});
  const Scene scene = picture_of(trace);
  EXPECT_EQ(scene.cells.size(), 3u);
  const std::string svg = to_svg(scene);
  for (const char* text : {"red ball", "the picture", ">red<", ">ball<", "what is there"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_EQ(to_png(scene).substr(1, 3), "PNG");
}

TEST(ImagePicture, ShowsGlimpsesInTheirOrderWithBeliefs) {
  Trace trace = two_words();
  trace.heads.clear();
  trace.axes = {{.name = "glimpses",
                 .kind = "glimpses",
                 .labels = {{.text = "1", .box = Trace::Box{0, 0, 2, 2}},
                            {.text = "2", .box = Trace::Box{4, 4, 6, 6}}}},
                {.name = "retina", .kind = "tokens", .labels = {{.text = "2"}, {.text = "4"}}}};
  trace.steps = {{.choices = {{"seven", 0.6}}}, {.choices = {{"nine", 0.95}}}};
  const Scene scene = picture_of(trace);
  EXPECT_EQ(scene.cells.size(), 1 + 2 * 2u);
  const std::string svg = to_svg(scene);
  for (const char* text : {"glimpse 1", "glimpse 2", "seven", "60 %", "nine", "95 %"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  trace.axes[0].labels[0].box = Trace::Box{-3, -3, 1, 1};  // an eye at the edge
  const Scene edge = picture_of(trace);
  EXPECT_EQ(edge.frames[0].x, edge.cells[0].x);
  EXPECT_EQ(edge.frames[0].y, edge.cells[0].y);
}

TEST(ImagePicture, SaysWhatIsWrongWithATrace) {
  Trace trace = two_words();
  trace.heads.clear();
  EXPECT_EQ(error_of([&] { picture_of(trace); }),
            "picture: the trace has no map over its picture, so there is nothing to draw");
  trace.image->width = 9;
  EXPECT_EQ(error_of([&] { picture_of(trace); }),
            "the trace's picture has 8 x 8 pixels, but the trace says 9 x 8");
  trace.image->png = "AAAA";
  EXPECT_THAT(error_of([&] { picture_of(trace); }), HasSubstr("the trace's picture"));
}

}  // namespace
}  // namespace fovea
