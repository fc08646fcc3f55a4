// A picture as shapes with places, before it becomes SVG or PNG: both show the same.
#pragma once

#include <string>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/explain/colour.h"
#include "fovea/explain/font.h"

namespace fovea {

struct Scene {
  enum class Anchor { kStart, kMiddle, kEnd };

  struct Frame {  // lines within a rectangle's edge
    double x, y, width, height, thickness;
    Rgb colour;
  };
  struct Text {
    double x, y;  // of the baseline, where the anchor is
    std::string text;
    TextStyle style{};
    Rgb colour{};
    Anchor anchor = Anchor::kStart;
    double degrees = 0;  // anticlockwise
  };
  struct Cells {
    double x, y, width, height;  // of one cell
    Index columns;
    std::vector<Rgb> colours;  // row by row
    double gap = 0;            // between cells, out of their right and lower edges
    bool picture = false;      // one image, however few they are
  };
  double width = 0, height = 0;
  std::string title{};          // for those who cannot see it
  std::vector<Cells> cells{};   // below,
  std::vector<Frame> frames{};  // between
  std::vector<Text> texts{};    // and on top
};

// The lines of a text that is at most so wide, broken between words.
std::vector<std::string> wrapped(const std::string& text, double width, const TextStyle& style);

// Cut with "…" where it is wider.
std::string shortened(const std::string& text, double width, const TextStyle& style);

std::string to_svg(const Scene& scene);

// Two pixels for each unit of the scene.
std::string to_png(const Scene& scene);

}  // namespace fovea
