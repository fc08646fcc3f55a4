// Grades of a network that reads images by glimpses, on pictures that are the same each time.
#pragma once

#include <optional>
#include <vector>

#include "fovea/data/digit_world.h"
#include "fovea/models/glimpse_reader.h"

namespace fovea {

struct GlimpseExam {
  LabelledImages images{};
  std::optional<ClutterOptions> placing{};  // in larger pictures; none: as they are
  std::uint64_t seed = 1;                   // of places in pictures, and of what is drawn
  // Of each picture, at places that are drawn, whose beliefs are averaged; none: one, at the
  // likeliest.
  std::optional<Index> readings{};
};

struct GlimpseGrades {
  Index images = 0, wrong = 0;
  std::vector<std::vector<Index>> said;  // [true class][answer]: how often
  double spread = 0;                     // of the places (spread_of)
  std::optional<double> inside{};        // share of glimpses whose centre is within the digit's box

  double error() const { return 100 * static_cast<double>(wrong) / static_cast<double>(images); }
};

GlimpseGrades examine(const GlimpseReader& reader, const GlimpseExam& exam);

// Pictures [count, 1, height, width] of images number `begin` to `end`, and where the digits are.
struct PlacedBatch {
  Tensor pictures;
  std::vector<Box> boxes;
};
PlacedBatch exam_pictures(const GlimpseExam& exam, Index begin, Index end);

}  // namespace fovea
