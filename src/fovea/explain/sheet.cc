#include "fovea/explain/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/explain/map.h"

namespace fovea {

void Sheet::text(double x, double y, const std::string& text, const TextStyle& style, Rgb colour,
                 Scene::Anchor anchor) {
  scene_.texts.push_back(Scene::Text{
      .x = x, .y = y, .text = text, .style = style, .colour = colour, .anchor = anchor});
  if (anchor == Scene::Anchor::kStart) reach(x + text_width(text, style));
}

void Sheet::reach(double x) { scene_.width = std::max(scene_.width, x); }

double Sheet::lines(double x, double y, double width, const std::string& what,
                    const TextStyle& style, Rgb colour) {
  for (const std::string& line : wrapped(what, width, style)) {
    y += 1.35 * style.size;
    text(x, y - 0.3 * style.size, line, style, colour);
  }
  return y;
}

double Sheet::figures(double x, double y, const std::vector<Trace::Figure>& figures) {
  for (const Trace::Figure& figure : figures) {
    y += 17;
    text(x, y - 4, clean(figure.name), kText, kSoftInk);
    text(x + 150, y - 4, std::isfinite(figure.value) ? fmt::format("{:.3f}", figure.value) : "–",
         kText);
  }
  return y;
}

void Sheet::header(double width) {
  width = std::max(width, kLeastWidth);
  y_ = kMargin - 6;
  y_ = lines(kMargin, y_, width, clean(trace_.input), kHeading);
  y_ = lines(kMargin, y_, width, clean(trace_.output), kOutput);
  std::string about;
  for (const std::string& part : {trace_.task, trace_.model}) {
    if (!part.empty()) about += (about.empty() ? "" : " · ") + clean(part);
  }
  y_ = lines(kMargin, y_ + 2, width, about, kText, kSoftInk) + 12;
}

Scene Sheet::finish() {
  scene_.height = y_ + kMargin - 8;
  scene_.width = std::max(scene_.width, kLeastWidth) + kMargin;
  scene_.title = fmt::format("Where {} looked: {} → {}", clean(trace_.model), clean(trace_.input),
                             clean(trace_.output));
  return std::move(scene_);
}

}  // namespace fovea
