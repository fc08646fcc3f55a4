#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fovea/explain/scene.h"
#include "fovea/io/base64.h"
#include "fovea/io/png.h"

namespace fovea {
namespace {

constexpr std::size_t kMostRectangles = 10'000;  // of one map; more are an image inside the SVG

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

class Svg {
 public:
  explicit Svg(const Scene& scene) {
    add(R"(<?xml version="1.0" encoding="UTF-8"?>)"
        "\n"
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" )"
        R"(role="img" font-family="'DejaVu Sans', Verdana, 'Segoe UI', sans-serif">)"
        "\n<title>{}</title>\n"
        R"(<rect width="100%" height="100%" fill="#ffffff"/>)"
        "\n",
        number(scene.width), number(scene.height), number(scene.width), number(scene.height),
        escaped(scene.title));
    for (const Scene::Cells& cells : scene.cells) draw(cells);
    for (const Scene::Frame& frame : scene.frames) draw(frame);
    for (const Scene::Text& text : scene.texts) draw(text);
    out_ += "</svg>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  static std::string number(double x) {
    std::string text = fmt::format("{:.2f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
  }

  void draw(const Scene::Cells& c) {
    if (c.picture || c.colours.size() > kMostRectangles) return draw_image(c);
    out_ += "<g shape-rendering=\"crispEdges\">\n";
    for (std::size_t i = 0; i < c.colours.size(); ++i) {
      const auto row = static_cast<Index>(i) / c.columns,
                 column = static_cast<Index>(i) % c.columns;
      add(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>)"
          "\n",
          number(c.x + static_cast<double>(column) * c.width),
          number(c.y + static_cast<double>(row) * c.height), number(c.width - c.gap),
          number(c.height - c.gap), hex(c.colours[i]));
    }
    out_ += "</g>\n";
  }

  void draw_image(const Scene::Cells& c) {
    const Index rows = static_cast<Index>(c.colours.size()) / c.columns;
    Image image{.width = c.columns, .height = rows};
    for (const Rgb& colour : c.colours) {
      image.pixels.insert(image.pixels.end(), {colour.red, colour.green, colour.blue});
    }
    add(R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" )"
        R"(style="image-rendering:pixelated" href="data:image/png;base64,{}"/>)"
        "\n",
        number(c.x), number(c.y), number(c.width * static_cast<double>(c.columns)),
        number(c.height * static_cast<double>(rows)), to_base64(encode_png(image)));
  }

  void draw(const Scene::Frame& f) {
    const double half = f.thickness / 2;
    add(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="{}"/>)"
        "\n",
        number(f.x + half), number(f.y + half), number(f.width - f.thickness),
        number(f.height - f.thickness), hex(f.colour), number(f.thickness));
  }

  void draw(const Scene::Text& t) {
    const std::string_view anchor = t.anchor == Scene::Anchor::kMiddle ? R"( text-anchor="middle")"
                                    : t.anchor == Scene::Anchor::kEnd  ? R"( text-anchor="end")"
                                                                       : "";
    const std::string turn = t.degrees == 0
                                 ? ""
                                 : fmt::format(" transform=\"rotate({} {} {})\"",
                                               number(-t.degrees), number(t.x), number(t.y));
    add(R"(<text x="{}" y="{}" font-size="{}" fill="{}"{}{}{}>{}</text>)"
        "\n",
        number(t.x), number(t.y), number(t.style.size), hex(t.colour),
        t.style.bold ? R"( font-weight="600")" : "", anchor, turn, escaped(t.text));
  }

  std::string out_;
};

}  // namespace

std::string to_svg(const Scene& scene) { return Svg(scene).take(); }

}  // namespace fovea
