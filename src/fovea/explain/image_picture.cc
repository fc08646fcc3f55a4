#include "fovea/explain/image_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/explain/map.h"
#include "fovea/explain/sheet.h"

namespace fovea {
namespace {

constexpr double kSide = 208;  // of a panel
constexpr double kLargeSide = 360;
constexpr double kImageGap = 22;
constexpr Rgb kTruth{0xff, 0xb0, 0x00}, kLooked{0x3d, 0x9b, 0xff};

// `box` of a picture that is drawn at x, y with `unit` units a pixel.
Scene::Frame frame_of(const Trace::Box& box, double x, double y, double unit, Rgb colour) {
  return {.x = x + unit * static_cast<double>(box.x0),
          .y = y + unit * static_cast<double>(box.y0),
          .width = unit * static_cast<double>(box.x1 - box.x0),
          .height = unit * static_cast<double>(box.y1 - box.y0),
          .thickness = 2,
          .colour = colour};
}

// Part of a picture as it was looked at; black outside of it.
Image cut(const Image& picture, const Trace::Box& box, Index side) {
  Image part{.width = side, .height = side};
  for (Index y = 0; y < side; ++y) {
    for (Index x = 0; x < side; ++x) {
      const auto at = [side](float from, float to, Index i) {
        const float share = (static_cast<float>(i) + 0.5f) / static_cast<float>(side);
        return static_cast<Index>(std::floor(from + share * (to - from)));
      };
      const Index px = at(box.x0, box.x1, x), py = at(box.y0, box.y1, y);
      const bool inside = px >= 0 && py >= 0 && px < picture.width && py < picture.height;
      for (Index c = 0; c < 3; ++c) {
        const auto from = static_cast<std::size_t>(3 * (py * picture.width + px) + c);
        part.pixels.push_back(inside ? picture.pixels[from] : std::uint8_t{0});
      }
    }
  }
  return part;
}

Trace::Box around(const Trace::Box& box, float times) {
  const float x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2;
  const float w = times * (box.x1 - box.x0) / 2, h = times * (box.y1 - box.y0) / 2;
  return {x - w, y - h, x + w, y + h};
}

// The part of a box that lies on the picture.
Trace::Box within(const Trace::Box& box, const Image& picture) {
  const auto x = [&](float at) { return std::clamp(at, 0.0f, static_cast<float>(picture.width)); };
  const auto y = [&](float at) { return std::clamp(at, 0.0f, static_cast<float>(picture.height)); };
  return {x(box.x0), y(box.y0), x(box.x1), y(box.y1)};
}

class ImagePicture : Sheet {
 public:
  explicit ImagePicture(const Trace& trace)
      : Sheet(trace), picture_(picture_in(trace)), maps_(image_maps(trace)) {}

  Scene draw() {
    const std::vector<Trace::Label>& glimpses = trace_.labels("glimpses");
    if (maps_.empty() && glimpses.empty()) {
      fail("picture: the trace has no map over its picture, so there is nothing to draw");
    }
    if (!glimpses.empty() && trace_.methods.empty()) {
      draw_glimpses(glimpses);
    } else {
      draw_maps();
    }
    return finish();
  }

 private:
  double height_of(double width) const {
    return width * static_cast<double>(picture_.height) / static_cast<double>(picture_.width);
  }

  void place(const Image& image, double x, double y, double width) {
    const double cell = width / static_cast<double>(image.width);
    Scene::Cells cells{.x = x,
                       .y = y,
                       .width = cell,
                       .height = cell,
                       .columns = image.width,
                       .colours = {},
                       .picture = true};
    for (std::size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
      cells.colours.push_back({image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]});
    }
    scene_.cells.push_back(std::move(cells));
    reach(x + width);
  }

  Index scale(double width) const {
    return std::max<Index>(1, static_cast<Index>(1.5 * width) / picture_.width);
  }

  void draw_truth(double x, double y, double width) {
    const double unit = width / static_cast<double>(picture_.width);
    for (const Trace::Label& label : trace_.labels("truth")) {
      if (label.box) scene_.frames.push_back(frame_of(*label.box, x, y, unit, kTruth));
    }
  }

  // The picture, then a panel for each map, as many as fit side by side.
  void draw_maps() {
    const std::size_t count = maps_.size() + 1;
    const auto most = static_cast<std::size_t>((kWidest + kImageGap) / (kSide + kImageGap));
    const std::size_t rows = (count + most - 1) / most;
    const std::size_t across = (count + rows - 1) / rows;  // rows equally long
    const double height = height_of(kSide);
    header(static_cast<double>(across) * (kSide + kImageGap) - kImageGap);
    for (std::size_t first = 0; first < count; first += across) {
      double top = y_, bottom = y_;
      const std::size_t last = std::min(count, first + across);
      const auto x_of = [&](std::size_t i) {
        return kMargin + static_cast<double>(i - first) * (kSide + kImageGap);
      };
      for (std::size_t i = first; i < last; ++i) {
        const std::string title = i == 0 ? "the picture" : maps_[i - 1].title;
        const std::string about = i == 0 ? "" : maps_[i - 1].about;
        const double y = lines(x_of(i), y_, kSide, title, kTitle);
        top = std::max(top, lines(x_of(i), y, kSide, about, kSmall, kSoftInk));
      }
      for (std::size_t i = first; i < last; ++i) {
        if (i == 0) {
          place(picture_, x_of(i), top + 4, kSide);
          draw_truth(x_of(i), top + 4, kSide);
          bottom = std::max(bottom, top + 4 + height);
        } else {
          bottom = std::max(bottom, draw_map(maps_[i - 1], x_of(i), top + 4));
        }
      }
      y_ = bottom + 16;
    }
    if (!trace_.labels("truth").empty()) legend("what is there", kTruth, kMargin);
    legend("where the largest weight is", kLooked, kMargin);
  }

  double draw_map(const ImageMap& map, double x, double y) {
    place(under_map(picture_, map, scale(kSide)), x, y, kSide);
    const Index columns = map.weights.shape(1);
    const double w = kSide / static_cast<double>(columns);
    const double height = height_of(kSide);
    const double h = height / static_cast<double>(map.weights.shape(0));
    const auto mark = [&](Index region, Rgb colour) {
      scene_.frames.push_back({.x = x + static_cast<double>(region % columns) * w,
                               .y = y + static_cast<double>(region / columns) * h,
                               .width = w,
                               .height = h,
                               .thickness = 2,
                               .colour = colour});
    };
    if (map.from >= 0) mark(map.from, kTruth);
    if (w >= 8 && map.largest() > 0) mark(map.best(), kLooked);
    return figures(x, y + height + 4, map.figures);
  }

  void legend(const std::string& meaning, Rgb colour, double x) {
    scene_.frames.push_back({x, y_, 14, 14, 2, colour});
    text(x + 22, y_ + 11, meaning, kText, kSoftInk);
    y_ += 22;
  }

  void draw_glimpses(const std::vector<Trace::Label>& glimpses) {
    const double height = height_of(kLargeSide),
                 unit = kLargeSide / static_cast<double>(picture_.width);
    const std::size_t scales = std::max<std::size_t>(1, trace_.labels("retina").size());
    const double column = std::max(96.0, 64.0 * 1.25);
    header(kLargeSide + kImageGap + column * static_cast<double>(glimpses.size()));
    const double top = y_ + 4;
    place(picture_, kMargin, top, kLargeSide);
    draw_truth(kMargin, top, kLargeSide);
    double bottom = top + height;
    for (std::size_t i = 0; i < glimpses.size(); ++i) {
      if (!glimpses[i].box) continue;
      const Trace::Box& box = *glimpses[i].box;
      const Trace::Box seen = within(box, picture_);
      scene_.frames.push_back(frame_of(seen, kMargin, top, unit, kLooked));
      text(kMargin + unit * static_cast<double>(seen.x0) + 5,
           top + unit * static_cast<double>(seen.y0) + 15, clean(glimpses[i].text), kTitle,
           kLooked);
      const double x = kMargin + kLargeSide + kImageGap + column * static_cast<double>(i);
      double y = top;
      text(x, y + 12, fmt::format("glimpse {}", clean(glimpses[i].text)), kSmall, kSoftInk);
      y += 20;
      for (std::size_t s = 0; s < scales; ++s) {
        place(cut(picture_, around(box, std::ldexp(1.0f, static_cast<int>(s))), 48), x, y, 72);
        y += 80;
      }
      bottom = std::max(bottom, belief(i, x, y));
    }
    y_ = bottom + 16;
    if (!trace_.labels("truth").empty()) legend("what is there", kTruth, kMargin);
    legend("glimpses, in their order; beside them what each saw, and what is believed after it",
           kLooked, kMargin);
  }

  // The three likeliest classes after glimpse i.
  double belief(std::size_t i, double x, double y) {
    if (i >= trace_.steps.size()) return y;
    const std::vector<Trace::Choice>& choices = trace_.steps[i].choices;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, choices.size()); ++k) {
      y += 16;
      text(x, y - 4, clean(choices[k].text), k == 0 ? TextStyle{.size = 12, .bold = true} : kText);
      text(x + 70, y - 4, fmt::format("{:.0f} %", 100 * choices[k].probability), kText, kSoftInk,
           Scene::Anchor::kEnd);
    }
    return y;
  }

  Image picture_;
  std::vector<ImageMap> maps_;
};

}  // namespace

Scene image_picture_of(const Trace& trace) { return ImagePicture(trace).draw(); }

}  // namespace fovea
