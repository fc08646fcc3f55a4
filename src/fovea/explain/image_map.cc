#include "fovea/explain/image_map.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/explain/colour.h"
#include "fovea/explain/map.h"
#include "fovea/io/base64.h"
#include "fovea/io/png.h"

namespace fovea {
namespace {

constexpr Index kSelfMaps = 9;

// The grid that an axis's boxes make, row by row; nothing where they make none.
struct Grid {
  Index rows = 0, columns = 0;
};
Grid grid_of(const Trace& trace, const std::string& axis) {
  const std::vector<Trace::Label>& labels = trace.labels(axis);
  if (labels.empty() || !labels[0].box) return {};
  Index columns = 0;
  for (const Trace::Label& label : labels) {
    if (!label.box) return {};
    if (label.box->y0 != labels[0].box->y0) break;
    ++columns;
  }
  const auto count = static_cast<Index>(labels.size());
  return count % columns == 0 ? Grid{count / columns, columns} : Grid{};
}

// Row `query` of weights [query, key] as a grid.
Tensor row_of(const Tensor& weights, Index query, const Grid& grid) {
  return weights.slice(0, query, query + 1).copy().reshape({grid.rows, grid.columns});
}

void add_methods(const Trace& trace, std::vector<ImageMap>& maps) {
  for (const Trace::Method& method : trace.methods) {
    const Grid grid = grid_of(trace, method.keys);
    if (grid.rows == 0 || !method.weights) continue;
    const std::vector<Trace::Label>& queries = trace.labels(method.queries);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const bool several = queries.size() > 1;
      maps.push_back({.title = clean(several ? method.name + ": " + queries[q].text : method.name),
                      .about = clean(method.about),
                      .weights = row_of(method.weights, static_cast<Index>(q), grid),
                      .has_sign = method.has_sign,
                      .figures = method.figures});
    }
  }
}

// The mean over the heads of a layer.
Tensor mean_of(const Trace& trace, const Trace::Head& like) {
  Tensor sum;
  float count = 0;
  for (const Trace::Head& head : trace.heads) {
    if (head.kind != like.kind || head.layer != like.layer || head.keys != like.keys) continue;
    const Tensor weights = head.weights.packed();
    if (!sum) sum = Tensor::zeros(weights.shape());
    for (Index i = 0; i < sum.size(); ++i) sum.data()[i] += weights.data()[i];
    ++count;
  }
  for (Index i = 0; i < sum.size(); ++i) sum.data()[i] /= count;
  return sum;
}

// Queries of self-attention that are shown: spread over the grid.
std::vector<Index> spread(const Grid& grid) {
  std::vector<Index> some;
  const Index across = std::min<Index>(3, grid.columns), down = std::min(kSelfMaps / 3, grid.rows);
  for (Index r = 0; r < down; ++r) {
    for (Index c = 0; c < across; ++c) {
      some.push_back((2 * r + 1) * grid.rows / (2 * down) * grid.columns +
                     (2 * c + 1) * grid.columns / (2 * across));
    }
  }
  return some;
}

void add_heads(const Trace& trace, std::vector<ImageMap>& maps) {
  const Trace::Head* last = nullptr;
  for (const Trace::Head& head : trace.heads) {
    const Grid grid = grid_of(trace, head.keys);
    const bool same = last != nullptr && last->kind == head.kind && last->layer == head.layer;
    if (grid.rows == 0 || !head.weights || same) continue;
    last = &head;
    const Tensor weights = mean_of(trace, head);
    const std::vector<Trace::Label>& queries = trace.labels(head.queries);
    if (head.queries == head.keys) {
      for (const Index q : spread(grid)) {
        maps.push_back({.title = "from " + clean(queries[static_cast<std::size_t>(q)].text),
                        .weights = row_of(weights, q, grid),
                        .attention = true,
                        .from = q});
      }
      continue;
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const std::string name = clean(queries[q].text);
      maps.push_back(
          {.title = queries.size() > 1 ? name : fmt::format("{}, look {}", name, head.layer + 1),
           .weights = row_of(weights, static_cast<Index>(q), grid),
           .attention = true});
    }
  }
}

// Between the centres of cells as a smooth surface; `x`, `y` in cells.
float smooth(const Tensor& grid, float x, float y) {
  const Index rows = grid.shape(0), columns = grid.shape(1);
  const auto cell = [](float at, Index count) {
    const float inside = std::clamp(at - 0.5f, 0.0f, static_cast<float>(count - 1));
    const auto first = std::min(static_cast<Index>(inside), std::max<Index>(0, count - 2));
    return std::pair(first, inside - static_cast<float>(first));
  };
  const auto [c, right] = cell(x, columns);
  const auto [r, down] = cell(y, rows);
  const Index c1 = std::min(c + 1, columns - 1), r1 = std::min(r + 1, rows - 1);
  const float* w = grid.data();
  const float upper = (1 - right) * w[r * columns + c] + right * w[r * columns + c1];
  const float lower = (1 - right) * w[r1 * columns + c] + right * w[r1 * columns + c1];
  return (1 - down) * upper + down * lower;
}

std::uint8_t byte(float x) { return static_cast<std::uint8_t>(std::clamp(x, 0.0f, 255.0f) + 0.5f); }

// `share`: of the map's largest weight
void spotlight(std::uint8_t* pixel, float share) {
  const float light = 0.22f + 0.78f * std::clamp(share, 0.0f, 1.0f);
  for (int i = 0; i < 3; ++i) pixel[i] = byte(light * static_cast<float>(pixel[i]));
}

void tint(std::uint8_t* pixel, float share) {
  const float grey = 0.299f * static_cast<float>(pixel[0]) + 0.587f * static_cast<float>(pixel[1]) +
                     0.114f * static_cast<float>(pixel[2]);
  const float paper = 140 + 0.45f * grey;  // pale, so that colours tell
  const Rgb colour = weight_colour(share);
  const float strength = std::min(0.85f, std::abs(share));
  const std::uint8_t over[] = {colour.red, colour.green, colour.blue};
  for (int i = 0; i < 3; ++i) {
    pixel[i] = byte((1 - strength) * paper + strength * static_cast<float>(over[i]));
  }
}

}  // namespace

float ImageMap::largest() const {
  float most = 0;
  for (const float w : weights.packed().flat()) {
    if (std::isfinite(w)) most = std::max(most, std::abs(w));
  }
  return most;
}

Index ImageMap::best() const {
  const Tensor w = weights.packed();
  Index best = 0;
  for (Index i = 1; i < w.size(); ++i) {
    if (w.data()[i] > w.data()[best]) best = i;
  }
  return best;
}

bool has_picture_maps(const Trace& trace) { return trace.image.has_value(); }

std::vector<ImageMap> image_maps(const Trace& trace) {
  std::vector<ImageMap> maps;
  add_methods(trace, maps);
  if (maps.empty()) add_heads(trace, maps);
  return maps;
}

Image picture_in(const Trace& trace) {
  const auto bytes = from_base64(trace.image->png);
  if (!bytes) fail("the trace's picture is not base64");
  const Image image = with_channels(decode_png(*bytes, "the trace's picture"), 3);
  if (image.width != trace.image->width || image.height != trace.image->height) {
    fail("the trace's picture has {} x {} pixels, but the trace says {} x {}", image.width,
         image.height, trace.image->width, trace.image->height);
  }
  return image;
}

Image enlarged(const Image& picture, Index scale) {
  Image large{.width = scale * picture.width,
              .height = scale * picture.height,
              .channels = picture.channels};
  large.pixels.reserve(static_cast<std::size_t>(large.width * large.height * large.channels));
  for (Index y = 0; y < large.height; ++y) {
    for (Index x = 0; x < large.width; ++x) {
      const auto at =
          static_cast<std::ptrdiff_t>((y / scale * picture.width + x / scale) * picture.channels);
      large.pixels.insert(large.pixels.end(), picture.pixels.begin() + at,
                          picture.pixels.begin() + at + picture.channels);
    }
  }
  return large;
}

Image under_map(const Image& picture, const ImageMap& map, Index scale) {
  Image image = enlarged(picture, scale);
  const Tensor weights = map.weights.packed();
  const float most = map.largest();
  const float across = static_cast<float>(weights.shape(1)) / static_cast<float>(image.width);
  const float down = static_cast<float>(weights.shape(0)) / static_cast<float>(image.height);
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      const float w = smooth(weights, (static_cast<float>(x) + 0.5f) * across,
                             (static_cast<float>(y) + 0.5f) * down);
      const float share = most > 0 && std::isfinite(w) ? w / most : 0;
      std::uint8_t* pixel = image.pixels.data() + 3 * (y * image.width + x);
      map.attention ? spotlight(pixel, share) : tint(pixel, share);
    }
  }
  return image;
}

}  // namespace fovea
