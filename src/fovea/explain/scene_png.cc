#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error.h"
#include "fovea/explain/scene.h"
#include "fovea/io/png.h"

namespace fovea {
namespace {

constexpr double kScale = 2;
constexpr double kMostPixels = 100e6;

class Canvas {
 public:
  explicit Canvas(const Scene& scene) {
    image_.width = std::lround(std::ceil(scene.width * kScale));
    image_.height = std::lround(std::ceil(scene.height * kScale));
    if (static_cast<double>(image_.width) * static_cast<double>(image_.height) > kMostPixels) {
      fail(
          "png: {} x {} pixels are too many to look at; draw an SVG or HTML file, or less at a "
          "time",
          image_.width, image_.height);
    }
    image_.pixels.assign(static_cast<std::size_t>(3 * image_.width * image_.height), 255);
    for (const Scene::Cells& cells : scene.cells) draw(cells);
    for (const Scene::Frame& frame : scene.frames) draw(frame);
    for (const Scene::Text& text : scene.texts) draw(text);
  }

  const Image& image() const { return image_; }

 private:
  std::uint8_t* at(Index x, Index y) { return image_.pixels.data() + 3 * (y * image_.width + x); }

  void fill(double x, double y, double width, double height, Rgb colour) {
    const auto place = [](double edge, Index most) {
      return std::clamp<Index>(std::lround(edge * kScale), 0, most);
    };
    const Index x1 = place(x + width, image_.width), y1 = place(y + height, image_.height);
    for (Index j = place(y, image_.height); j < y1; ++j) {
      for (Index i = place(x, image_.width); i < x1; ++i) {
        std::uint8_t* const to = at(i, j);
        to[0] = colour.red;
        to[1] = colour.green;
        to[2] = colour.blue;
      }
    }
  }

  void draw(const Scene::Cells& c) {
    for (std::size_t i = 0; i < c.colours.size(); ++i) {
      const auto row = static_cast<Index>(i) / c.columns,
                 column = static_cast<Index>(i) % c.columns;
      fill(c.x + static_cast<double>(column) * c.width, c.y + static_cast<double>(row) * c.height,
           c.width - c.gap, c.height - c.gap, c.colours[i]);
    }
  }

  void draw(const Scene::Frame& f) {
    fill(f.x, f.y, f.width, f.thickness, f.colour);
    fill(f.x, f.y + f.height - f.thickness, f.width, f.thickness, f.colour);
    fill(f.x, f.y, f.thickness, f.height, f.colour);
    fill(f.x + f.width - f.thickness, f.y, f.thickness, f.height, f.colour);
  }

  void draw(const Scene::Text& t) {
    const TextStyle style{.size = t.style.size * kScale, .bold = t.style.bold};
    const double width = text_width(t.text, style);
    const double before = t.anchor == Scene::Anchor::kStart    ? 0
                          : t.anchor == Scene::Anchor::kMiddle ? width / 2
                                                               : width;
    const double angle = t.degrees * std::numbers::pi / 180;
    const TextPlace place{.x = t.x * kScale - before * std::cos(angle),
                          .y = t.y * kScale + before * std::sin(angle),
                          .degrees = t.degrees};
    for_each_covered(t.text, style, place, [&](int x, int y, int coverage) {
      if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
      std::uint8_t* const to = at(x, y);
      const auto blend = [&](std::uint8_t under, std::uint8_t over) {
        return static_cast<std::uint8_t>((under * (255 - coverage) + over * coverage + 127) / 255);
      };
      to[0] = blend(to[0], t.colour.red);
      to[1] = blend(to[1], t.colour.green);
      to[2] = blend(to[2], t.colour.blue);
    });
  }

  Image image_;
};

}  // namespace

std::string to_png(const Scene& scene) { return encode_png(Canvas(scene).image()); }

}  // namespace fovea
