// A picture that grows downwards, with its heading: what pictures of words and of images share.
#pragma once

#include "fovea/attention/trace.h"
#include "fovea/explain/scene.h"

namespace fovea {

constexpr Rgb kInk{0x1c, 0x20, 0x27}, kSoftInk{0x5d, 0x66, 0x73}, kLine{0xd8, 0xda, 0xe0};

constexpr double kMargin = 28;
constexpr double kWidest = 1720;     // that panels side by side may take
constexpr double kLeastWidth = 460;  // of a picture

constexpr TextStyle kHeading{.size = 17, .bold = true}, kOutput{.size = 17};
constexpr TextStyle kTitle{.size = 14, .bold = true}, kText{.size = 12}, kSmall{.size = 10.5};

// Everything is drawn at y_, which moves on.
class Sheet {
 protected:
  explicit Sheet(const Trace& trace) : trace_(trace) {}

  void text(double x, double y, const std::string& text, const TextStyle& style, Rgb colour = kInk,
            Scene::Anchor anchor = Scene::Anchor::kStart);
  void reach(double x);  // the picture goes at least so far

  // Lines below each other, from y downwards; returns where they end.
  double lines(double x, double y, double width, const std::string& what, const TextStyle& style,
               Rgb colour = kInk);
  double figures(double x, double y, const std::vector<Trace::Figure>& figures);

  void header(double width);  // what went in, what came out, of which model
  Scene finish();

  const Trace& trace_;
  Scene scene_;
  double y_ = 0;
};

}  // namespace fovea
