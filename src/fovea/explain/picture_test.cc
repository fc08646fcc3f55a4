#include "fovea/explain/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "fovea/base/base_test_tools.h"
#include "fovea/explain/panel.h"
#include "fovea/explain/picture_test_tools.h"
#include "fovea/io/png.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using testing::HasSubstr;

// Every element is closed in its order, and text holds no bare < or &.
std::string what_is_wrong_with_xml(std::string_view xml) {
  std::vector<std::string> open;
  while (!xml.empty()) {
    const std::size_t at = xml.find('<');
    const std::string_view text = xml.substr(0, at);
    for (std::size_t and_ = text.find('&'); and_ != text.npos; and_ = text.find('&', and_ + 1)) {
      const std::string_view rest = text.substr(and_);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
          !rest.starts_with("&quot;")) {
        return "a bare &";
      }
    }
    if (at == xml.npos) break;
    const std::size_t end = xml.find('>', at);
    if (end == xml.npos) return "an element without an end";
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    xml.remove_prefix(end + 1);
    if (tag.find('<') != tag.npos) return "a bare <";
    if (tag.starts_with("?") || tag.ends_with("/")) continue;
    const std::string name(tag.substr(tag.starts_with("/") ? 1 : 0).substr(0, tag.find(' ')));
    if (!tag.starts_with("/")) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes nothing";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

// In units of the scene.
Rgb at(const Image& image, double x, double y) {
  const std::size_t from = 3 * static_cast<std::size_t>(static_cast<Index>(2 * y) * image.width +
                                                        static_cast<Index>(2 * x));
  return {image.pixels[from], image.pixels[from + 1], image.pixels[from + 2]};
}

Image decoded(const std::string& bytes) { return decode_png(bytes, "picture"); }

std::vector<Trace> all_traces() {
  return {small_trace(), with_methods(small_trace()), many_heads(5, 4, 4), many_heads(40, 1, 2)};
}

TEST(Picture, IsWellFormedAndTheSameEveryTime) {
  for (const Trace& trace : all_traces()) {
    for (const bool heads : {false, true}) {
      const std::string svg = svg_of(trace, {.heads = heads});
      EXPECT_EQ(what_is_wrong_with_xml(svg), "");
      EXPECT_EQ(svg_of(trace, {.heads = heads}), svg);
      EXPECT_EQ(png_of(trace, {.heads = heads}), png_of(trace, {.heads = heads}));
    }
    EXPECT_EQ(html_of(trace), html_of(trace));
  }
}

TEST(Picture, NamesItsInputItsOutputAndItsWords) {
  const std::string svg = svg_of(small_trace());
  for (const char* text : {">the déjà-vu</text>", ">le &lt;&amp;&gt;vu</text>", ">déjà-vu</text>",
                           ">translate · bahdanau</text>", ">Attention</text>", ">63</text>",
                           ">largest of its row</text>", ">0.62</text>"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(Picture, ShowsMethodsWithTheirFiguresAndCorrelation) {
  const std::string svg = svg_of(with_methods(small_trace()));
  for (const char* text :
       {">saliency</text>", ">input-gradient</text>", ">deletion</text>", ">0.250</text>",
        ">Rank correlation of the methods, in percent</text>", ">-25</text>"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(Picture, DrawsEveryHead) {
  const std::string svg = svg_of(many_heads(5, 4, 4), {.heads = true});
  for (const char* text : {">layer 0, head 0</text>", ">layer 3, head 3</text>",
                           "Encoder: what was read", "Cross-attention: what was said"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(Picture, HasThePixelsOfItsWeights) {
  const Trace trace = small_trace();
  const Scene scene = picture_of(trace);
  const Image png = decoded(png_of(trace));
  EXPECT_EQ(png.width, std::lround(2 * scene.width));
  EXPECT_EQ(png.height, std::lround(std::ceil(2 * scene.height)));
  const Scene::Cells* cells = &scene.cells[0];
  ASSERT_EQ(cells->colours.size(), 6u);
  for (Index i = 0; i < 6; ++i) {  // beside the number, within the frame
    EXPECT_EQ(at(png, cells->x + static_cast<double>(i % 3) * cells->width + 5,
                 cells->y + static_cast<double>(i / 3) * cells->height + 5),
              cells->colours[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(cells->colours[4], weight_colour(1));  // 0.625, the largest
  EXPECT_EQ(at(png, 1, 1), (Rgb{255, 255, 255}));
}

TEST(Picture, OfALargeMapSaysHowItWasMadeSmaller) {
  Trace trace{.model = "scaled-dot", .axes = {{"tokens", "tokens", {}}}};
  for (Index i = 0; i < 2000; ++i) trace.axes[0].labels.push_back({std::to_string(i)});
  Random random{.seed = 1};
  trace.heads = {
      {"self", 0, 0, "tokens", "tokens", {}, Tensor::uniform({2000, 2000}, 0, 1, random)}};
  const std::clock_t start = std::clock();
  const std::string svg = svg_of(trace), png = png_of(trace);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kSanitized ? 20 : 2);
  EXPECT_THAT(svg,
              HasSubstr("2000 × 2000 weights; each cell shows the largest of a block of 4 × 4"));
  EXPECT_THAT(svg, HasSubstr("data:image/png;base64,"));
  EXPECT_EQ(what_is_wrong_with_xml(svg), "");
  EXPECT_LT(svg.size(), 2'000'000u);
  EXPECT_LT(decoded(png).width, 4000);
}

TEST(Picture, SaysWhenThereIsNothingToDraw) {
  const std::string message =
      "picture: the trace has no map of attention or of a method, so there is nothing to draw";
  EXPECT_EQ(error_of([] { svg_of({}); }), message);
  EXPECT_EQ(error_of([] { png_of({}, {.heads = true}); }), message);
}

TEST(Picture, IsNeverTooLargeToLookAt) {
  Scene scene{.width = 1e5, .height = 1e5};
  EXPECT_EQ(error_of([&] { to_png(scene); }),
            "png: 200000 x 200000 pixels are too many to look at; draw an SVG or HTML file, or "
            "less at a time");
}

TEST(Font, MeasuresWhatItDraws) {
  const TextStyle style{.size = 20};
  for (const char* text : {"maison", "été", "ﬁn", "Ω я ę ő", "日本"}) {
    int right = 0, count = 0;
    for_each_covered(text, style, {.x = 0, .y = 40}, [&](int x, int y, int coverage) {
      right = std::max(right, x);
      count += coverage > 127;
      EXPECT_GT(y, 15);
      EXPECT_LT(y, 50);
    });
    EXPECT_GT(count, 20) << text;
    EXPECT_NEAR(right, text_width(text, style), 4) << text;
  }
  EXPECT_GT(text_width("maison", {.size = 20, .bold = true}), text_width("maison", style));
}

TEST(Font, TurnsLetters) {
  int top = 1000, right = 0;
  for_each_covered("maison", {.size = 20}, {.x = 50, .y = 200, .degrees = 90},
                   [&](int x, int y, int) {
                     top = std::min(top, y);
                     right = std::max(right, x);
                   });
  EXPECT_NEAR(top, 200 - text_width("maison", {.size = 20}), 4);
  EXPECT_LT(right, 60);
}

TEST(Text, IsWrappedAndCut) {
  const TextStyle style{.size = 10};
  const auto lines = wrapped("one two three four five six seven", 60, style);
  EXPECT_GT(lines.size(), 2u);
  for (const std::string& line : lines) EXPECT_LE(text_width(line, style), 60);
  const std::string cut = shortened("unreasonably", 40, style);
  EXPECT_LE(text_width(cut, style), 40);
  EXPECT_TRUE(cut.ends_with("…"));
}

}  // namespace
}  // namespace fovea
