#include "fovea/explain/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea {
namespace {

constexpr double kLongestName = 190;  // units
constexpr double kRoomForNumbers = 26;
constexpr double kSlant = std::numbers::sqrt2 / 2;

double cell_size(const Map& map, const PanelOptions& options) {
  const Index most = std::max(map.weights.shape(0), map.weights.shape(1));
  const double cell = std::min(options.most_cell, options.side / static_cast<double>(most));
  return cell >= 4 ? std::floor(cell) : std::max(0.5, std::floor(2 * cell) / 2);  // whole pixels
}

}  // namespace

Panel::Panel(const Map& map, const PanelOptions& options)
    : map_(map),
      options_(options),
      cell_(cell_size(map, options)),
      full_(options.full > 0 ? options.full : map.full()) {
  const auto widest = [&](const std::vector<std::string>& names) {
    double most = 0;
    for (std::size_t i = 0; i < names.size(); i += static_cast<std::size_t>(every())) {
      most = std::max(most, name_width(names[i]));
    }
    return most;
  };
  if (options.row_names) left_ = std::ceil(widest(map.rows)) + 8;
  if (!options.column_names) return;
  const double wide = widest(map.columns);
  above_ = upright() ? wide + 8 : wide * kSlant + name_style().size * kSlant + 6;
  if (!upright()) {
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const double end =
          (static_cast<double>(j) + 0.6) * cell_ + name_width(map.columns[j]) * kSlant;
      right_ = std::max(right_, end - cells_width() + name_style().size / 2);
    }
  }
}

double Panel::width() const { return left_ + cells_width() + right_; }
double Panel::height() const { return above_ + cells_height(); }

TextStyle Panel::name_style() const { return {.size = std::clamp(0.62 * cell_, 9.0, 14.0)}; }

Index Panel::every() const {
  return cell_ >= 10 ? 1 : static_cast<Index>(std::ceil((cell_ < 4 ? 50 : 16) / cell_));
}

double Panel::name_width(const std::string& name) const {
  return std::min(kLongestName, text_width(name, name_style()));
}

void Panel::draw(Scene& scene, double x, double y) const {
  x += left_;
  y += above_;
  Scene::Cells cells{.x = x,
                     .y = y,
                     .width = cell_,
                     .height = cell_,
                     .columns = map_.weights.shape(1),
                     .colours = {},
                     .gap = cell_ >= 12  ? 1.0
                            : cell_ >= 6 ? 0.5
                                         : 0.0};
  for (const float w : map_.weights.packed().flat()) {
    cells.colours.push_back(weight_colour(full_ > 0 ? w / full_ : w));
  }
  const double edge = cells.gap > 0 ? 0 : 1;
  if (edge > 0) {
    scene.frames.push_back(Scene::Frame{x - edge, y - edge, cells_width() + 2 * edge,
                                        cells_height() + 2 * edge, edge, kLine});
  }
  scene.cells.push_back(std::move(cells));
  draw_links(scene, x, y);
  draw_names(scene, x, y);
  if (options_.numbers && cell_ >= kRoomForNumbers) draw_numbers(scene, x, y);
}

void Panel::draw_names(Scene& scene, double x, double y) const {
  const TextStyle style = name_style();
  const auto step = static_cast<std::size_t>(every());
  const double middle = 0.36 * style.size;  // from the middle of letters down to their baseline
  for (std::size_t i = 0; options_.row_names && i < map_.rows.size(); i += step) {
    const double centre = y + (static_cast<double>(i) + 0.5) * cell_;
    scene.texts.push_back(Scene::Text{.x = x - 7,
                                      .y = centre + middle,
                                      .text = shortened(map_.rows[i], kLongestName, style),
                                      .style = style,
                                      .colour = kInk,
                                      .anchor = Scene::Anchor::kEnd});
  }
  for (std::size_t j = 0; options_.column_names && j < map_.columns.size(); j += step) {
    const double centre = x + (static_cast<double>(j) + 0.5) * cell_;
    scene.texts.push_back(Scene::Text{.x = upright() ? centre + middle : centre + 0.1 * cell_,
                                      .y = y - 6,
                                      .text = shortened(map_.columns[j], kLongestName, style),
                                      .style = style,
                                      .colour = kInk,
                                      .degrees = upright() ? 90.0 : 45.0});
  }
}

void Panel::draw_links(Scene& scene, double x, double y) const {
  if (cell_ < 10) return;  // they would hide what they mark
  for (std::size_t i = 0; i < map_.links.size(); ++i) {
    if (map_.links[i] < 0) continue;
    scene.frames.push_back(Scene::Frame{.x = x + static_cast<double>(map_.links[i]) * cell_,
                                        .y = y + static_cast<double>(i) * cell_,
                                        .width = cell_ - (cell_ >= 12 ? 1.0 : 0.5),
                                        .height = cell_ - (cell_ >= 12 ? 1.0 : 0.5),
                                        .thickness = cell_ >= 20   ? 2.0
                                                     : cell_ >= 12 ? 1.5
                                                                   : 1.0,
                                        .colour = kInk});
  }
}

void Panel::draw_numbers(Scene& scene, double x, double y) const {
  const Tensor weights = map_.weights.packed();
  const Index columns = weights.shape(1);
  for (Index at = 0; at < weights.size(); ++at) {
    const float w = weights.data()[at];
    if (!(std::abs(w) >= 0.005f) || std::abs(w) > 9.99f) continue;  // 0 percent, or no percent
    const float share = full_ > 0 ? w / full_ : w;
    scene.texts.push_back(
        Scene::Text{.x = x + (static_cast<double>(at % columns) + 0.5) * cell_ - 0.5,
                    .y = y + (static_cast<double>(at / columns) + 0.5) * cell_ + 3.5,
                    .text = fmt::format("{}", std::lround(100 * w)),
                    .style = {.size = 11},
                    .colour = wants_light_ink(share) ? Rgb{255, 255, 255} : kInk,
                    .anchor = Scene::Anchor::kMiddle});
  }
}

void draw_colour_bar(Scene& scene, double x, double y, double width, const Scale& scale) {
  constexpr int kSteps = 60;  // whole pixels each
  Scene::Cells bar{
      .x = x, .y = y, .width = width / kSteps, .height = 10, .columns = kSteps, .colours = {}};
  for (int i = 0; i < kSteps; ++i) {
    const float t = static_cast<float>(i) / (kSteps - 1);
    bar.colours.push_back(weight_colour(scale.has_sign ? 2 * t - 1 : t));
  }
  scene.frames.push_back(Scene::Frame{x - 1, y - 1, width + 2, 12, 1, kLine});
  scene.cells.push_back(std::move(bar));
  const auto label = [&](double at, const std::string& number, Scene::Anchor anchor) {
    scene.texts.push_back(Scene::Text{.x = at,
                                      .y = y + 23,
                                      .text = number,
                                      .style = {.size = 10.5},
                                      .colour = kSoftInk,
                                      .anchor = anchor});
  };
  const std::string end = fmt::format("{:.2g}{}", scale.full, scale.more ? " and more" : "");
  label(x, scale.has_sign ? "-" + end : "0", Scene::Anchor::kStart);
  if (scale.has_sign) label(x + width / 2, "0", Scene::Anchor::kMiddle);
  label(x + width, end, Scene::Anchor::kEnd);
}

}  // namespace fovea
