#include "fovea/models/image_encoder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error.h"

namespace fovea {

ImageEncoder::ImageEncoder(const ImageEncoderOptions& o, Random& random) {
  if (o.widths.empty() || o.depth < 1) fail("ImageEncoder: at least one convolution is needed");
  Index in = o.channels, halvings = o.halvings;
  const auto add = [&](Index width, Index kernel, const Conv2d& shape) {
    layers.push_back({Conv({.in = in, .out = width, .kernel = kernel, .shape = shape}, random),
                      BatchNormLayer(width)});
    in = width;
  };
  for (const Index width : o.widths) {
    if (halvings-- > 0) {
      add(width, 4, {.stride = 2, .padding = 1});
    } else {
      add(width, 3, {.padding = 1});
    }
    for (Index i = 1; i < o.depth; ++i) add(width, 1, {});
  }
}

ImageEncoder::Grid ImageEncoder::grid_of(Index width, Index height) const {
  Grid grid{height, width};
  Index halvings = 0;
  for (const Layer& layer : layers) {
    if (layer.conv.shape.stride == 1) continue;
    grid = {grid.rows / 2, grid.columns / 2};
    ++halvings;
  }
  if (grid.rows < 1 || grid.columns < 1) {
    fail("pictures of {} x {} cannot be halved {} times; take larger ones or fewer halvings", width,
         height, halvings);
  }
  return grid;
}

Var ImageEncoder::operator()(const Var& pixels, Run& run) const {
  grid_of(pixels.shape(3), pixels.shape(2));
  Var x = pixels;
  for (const Layer& layer : layers) x = layer.norm(layer.conv(x), run, true);
  return x;
}

Var regions_of(const Var& grid) {
  return transpose(reshape(grid, {grid.shape(0), grid.shape(1), -1}));
}

Tensor place_features(Index rows, Index columns) {
  Tensor features({rows * columns, kPlaceFeatures});
  float* f = features.data();
  const auto waves = [&](Index i, Index count) {
    const double at = (2.0 * static_cast<double>(i) + 1) / static_cast<double>(count) - 1;
    *f++ = static_cast<float>(at);
    for (const double frequency : {0.5, 1.0}) {
      *f++ = static_cast<float>(std::sin(2 * std::numbers::pi * frequency * at));
      *f++ = static_cast<float>(std::cos(2 * std::numbers::pi * frequency * at));
    }
  };
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      waves(c, columns);
      waves(r, rows);
    }
  }
  return features;
}

Var with_places(const Var& regions, Index rows, Index columns) {
  const Var places = place_features(rows, columns)
                         .unsqueeze(0)
                         .broadcast_to({regions.shape(0), rows * columns, kPlaceFeatures});
  return concat({regions, places}, 2);
}

std::vector<Box> region_boxes(Index rows, Index columns, Index width, Index height) {
  std::vector<Box> boxes;
  const float w = static_cast<float>(width) / static_cast<float>(columns);
  const float h = static_cast<float>(height) / static_cast<float>(rows);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const float x = static_cast<float>(c) * w, y = static_cast<float>(r) * h;
      boxes.push_back({x, y, x + w, y + h});
    }
  }
  return boxes;
}

Box peak_of(std::span<const float> map, std::span<const Box> cells) {
  const auto columns = std::count_if(cells.begin(), cells.end(),
                                     [&](const Box& cell) { return cell.top == cells[0].top; });
  const auto count = std::ssize(map);
  const Index at = std::max_element(map.begin(), map.end()) - map.begin(), column = at % columns;
  const auto shift = [&](Index step, bool has_before, bool has_after) {
    const auto number = [&](Index i) { return map[static_cast<std::size_t>(i)]; };
    const float here = number(at), before = has_before ? number(at - step) : 0,
                after = has_after ? number(at + step) : 0, bend = 2 * here - before - after;
    return bend > 0 ? std::clamp((after - before) / (2 * bend), -0.5f, 0.5f) : 0.0f;
  };
  const Box& box = cells[static_cast<std::size_t>(at)];
  const float x = (box.right - box.left) * shift(1, column > 0, column + 1 < columns),
              y = (box.bottom - box.top) * shift(columns, at >= columns, at + columns < count);
  return {box.left + x, box.top + y, box.right + x, box.bottom + y};
}

bool points_into(const Box& region, std::span<const Box> boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    return box.contains(region.centre_x(), region.centre_y()) ||
           region.contains(box.centre_x(), box.centre_y());
  });
}

}  // namespace fovea
