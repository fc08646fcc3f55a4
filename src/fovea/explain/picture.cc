#include "fovea/explain/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/attention/trace_json.h"
#include "fovea/base/error.h"
#include "fovea/explain/image_picture.h"
#include "fovea/explain/panel.h"
#include "fovea/explain/sheet.h"
#include "fovea/viewer/page.h"

namespace fovea {
namespace {

constexpr double kBarWidth = 180;

class Picture : Sheet {
 public:
  Picture(const Trace& trace, const PictureOptions& options) : Sheet(trace), options_(options) {}

  Scene draw() {
    if (options_.heads) {
      draw_heads();
    } else {
      const std::vector<Map> maps = maps_of(trace_, options_.look, {.pieces = options_.pieces});
      if (maps.empty()) fail_empty();
      if (maps.size() == 1) {
        draw_one(maps[0]);
      } else {
        draw_side_by_side(maps);
      }
    }
    return finish();
  }

 private:
  [[noreturn]] void fail_empty() const {
    fail("picture: the trace has no map of attention or of a method, so there is nothing to draw");
  }

  void draw_one(const Map& map) {
    const double side = map.weights.shape(0) > 100 || map.weights.shape(1) > 100 ? 1000 : 720;
    const Panel panel(map, {.side = side, .numbers = !map.kind.empty()});
    header(panel.width());
    heading(map, panel.width());
    panel.draw(scene_, kMargin, y_ + 6);
    reach(kMargin + panel.width());
    y_ += 6 + panel.height() + 18;
    legend(kMargin + panel.left(), scale_of(map, panel), !map.links.empty());
    y_ = lines(kMargin, y_, panel.width(), map.note(), kText, kSoftInk);
    y_ = figures(kMargin, y_, map.figures);
  }

  void heading(const Map& map, double width) {
    y_ = lines(kMargin, y_, std::max(width, kLeastWidth), map.title, kTitle);
    y_ = lines(kMargin, y_, std::max(width, kLeastWidth), map.about, kText, kSoftInk);
  }

  static Scale scale_of(const Map& map, const Panel& panel) {
    return {.full = panel.full(), .has_sign = map.has_sign, .more = map.largest() > panel.full()};
  }

  // What colours and frames mean.
  void legend(double x, const Scale& scale, bool links) {
    draw_colour_bar(scene_, x, y_, kBarWidth, scale);
    if (links) {
      scene_.frames.push_back(Scene::Frame{x + kBarWidth + 26, y_ - 2, 14, 14, 2, kInk});
      text(x + kBarWidth + 46, y_ + 9.5, "largest of its row", kText, kSoftInk);
    }
    reach(x + kBarWidth + 10);
    y_ += 36;
  }

  // Panels from left to right, as many as fit, then the next row of them.
  void draw_side_by_side(const std::vector<Map>& maps) {
    constexpr double kGap = 34, kNarrowest = 240;
    const double side = 450;
    std::vector<Panel> panels;
    double widest = kNarrowest, total = 0;
    for (const Map& map : maps) {
      panels.emplace_back(map, PanelOptions{.side = side, .most_cell = 34, .numbers = false});
      widest = std::max(widest, panels.back().width());
    }
    const std::size_t most = std::clamp<std::size_t>(
        static_cast<std::size_t>((kWidest + kGap) / (widest + kGap)), 1, maps.size());
    const std::size_t rows = (maps.size() + most - 1) / most;
    const std::size_t across = (maps.size() + rows - 1) / rows;  // rows equally long
    total = static_cast<double>(across) * (widest + kGap) - kGap;
    header(total);
    for (std::size_t first = 0; first < maps.size(); first += across) {
      const std::size_t last = std::min(maps.size(), first + across);
      double top = y_, bottom = y_;  // titles and sentences end at one height, so that maps line up
      for (std::size_t i = first; i < last; ++i) {
        const double x = kMargin + static_cast<double>(i - first) * (widest + kGap);
        double y = lines(x, y_, widest, maps[i].title, kTitle);
        y = lines(x, y, widest, maps[i].about, kText, kSoftInk);
        top = std::max(top, y);
      }
      for (std::size_t i = first; i < last; ++i) {
        const double x = kMargin + static_cast<double>(i - first) * (widest + kGap);
        panels[i].draw(scene_, x, top + 8);
        reach(x + widest);
        y_ = top + 8 + panels[i].height() + 14;
        legend(x + panels[i].left(), scale_of(maps[i], panels[i]), false);
        const double y = lines(x, y_, widest, maps[i].note(), kSmall, kSoftInk);
        bottom = std::max(bottom, figures(x, y, maps[i].figures));
      }
      y_ = bottom + 26;
    }
    if (trace_.correlation) draw_correlation();
  }

  void draw_correlation() {
    const Index count = trace_.correlation.shape(0);
    Map map{.weights = trace_.correlation.packed(),
            .has_sign = true,
            .of_rows = count,
            .of_columns = count};
    for (const Trace::Method& method : trace_.methods) map.rows.push_back(clean(method.name));
    map.columns = map.rows;
    const Panel panel(map, {.side = 340, .most_cell = 34, .full = 1});
    y_ = lines(kMargin, y_, kWidest, "Rank correlation of the methods, in percent", kTitle);
    panel.draw(scene_, kMargin, y_ + 6);
    reach(kMargin + panel.width());
    y_ += 6 + panel.height() + 18;
    legend(kMargin + panel.left(), {.full = 1, .has_sign = true}, false);
  }

  static std::string kind_heading(const std::string& kind) {
    if (kind == "cross") return "Cross-attention: what was said looks at what was read";
    if (kind == "encoder") return "Encoder: what was read looks at itself";
    if (kind == "decoder") return "Decoder: each word looks at those before it";
    if (kind == "self") return "Self-attention";
    return kind.empty() ? "Attention" : kind;
  }

  void draw_heads() {
    std::vector<std::string> kinds;
    Index most = 1;  // heads side by side
    for (const Trace::Head& head : trace_.heads) {
      if (std::find(kinds.begin(), kinds.end(), head.kind) == kinds.end()) {
        kinds.push_back(head.kind);
      }
      const auto same = [&](const Trace::Head& other) {
        return other.kind == head.kind && other.layer == head.layer;
      };
      most = std::max<Index>(most, std::count_if(trace_.heads.begin(), trace_.heads.end(), same));
    }
    const Index across = std::min<Index>(most, 16);
    const double side =
        std::clamp(std::floor((kWidest - 120) / static_cast<double>(across)) - 16, 64.0, 360.0);
    const auto cells = static_cast<Index>(2 * side);
    const std::vector<Map> maps = maps_of_heads(
        trace_, {.pieces = options_.pieces, .most_rows = cells, .most_columns = cells});
    if (maps.empty()) fail_empty();
    float full = 0, largest = 0;
    for (const Map& map : maps) {
      full = std::max(full, map.full());
      largest = std::max(largest, map.largest());
    }
    header(kWidest / 2);
    for (const std::string& kind : kinds) draw_kind(maps, clean(kind), side, across, full);
    legend(kMargin, {.full = full, .more = largest > full}, false);
    y_ = lines(kMargin, y_, kWidest, maps[0].note(), kText, kSoftInk);
  }

  // A row of panels a layer; names of rows at the left, names of columns above the first layer.
  void draw_kind(const std::vector<Map>& maps, const std::string& kind, double side, Index across,
                 float full) {
    constexpr double kGap = 16;
    std::vector<const Map*> of_kind;
    std::set<Index> layers;
    for (const Map& map : maps) {
      if (map.kind != kind) continue;
      of_kind.push_back(&map);
      layers.insert(map.layer);
    }
    if (of_kind.empty()) return;
    y_ = lines(kMargin, y_, kWidest, kind_heading(kind), kTitle) + 4;
    for (const Index layer : layers) {
      Index n = 0;
      double x = kMargin, bottom = y_;
      for (const Map* map : of_kind) {
        if (map->layer != layer) continue;
        if (n > 0 && n % across == 0) {
          x = kMargin;
          y_ = bottom + kGap;
        }
        const Panel panel(*map, {.side = side,
                                 .most_cell = 26,
                                 .full = full,
                                 .row_names = n % across == 0,
                                 .column_names = layer == *layers.begin(),
                                 .numbers = false});
        text(x + panel.left(), y_ + 12, map->title, kSmall, kSoftInk);
        panel.draw(scene_, x, y_ + 16);
        bottom = std::max(bottom, y_ + 16 + panel.height());
        x += panel.left() + std::max(panel.cells_width(), text_width(map->title, kSmall)) + kGap;
        reach(x - kGap + panel.overhang());
        ++n;
      }
      y_ = bottom + kGap;
    }
    y_ += 10;
  }

  const PictureOptions& options_;
};

}  // namespace

Scene picture_of(const Trace& trace, const PictureOptions& options) {
  if (has_picture_maps(trace)) return image_picture_of(trace);
  return Picture(trace, options).draw();
}

std::string svg_of(const Trace& trace, const PictureOptions& options) {
  return to_svg(picture_of(trace, options));
}

std::string png_of(const Trace& trace, const PictureOptions& options) {
  return to_png(picture_of(trace, options));
}

std::string html_of(const Trace& trace) { return standalone_page(to_json(trace)); }

}  // namespace fovea
