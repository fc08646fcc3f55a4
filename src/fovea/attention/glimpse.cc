#include "fovea/attention/glimpse.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

struct Plane {  // one channel of one image
  const float* pixels;
  Index height, width;

  float at(Index y, Index x) const {
    return y >= 0 && y < height && x >= 0 && x < width ? pixels[y * width + x] : 0.0f;
  }
};

// The mean of block x block pixels from (y, x) on, for each of size x size neighbours.
void reduce(const Plane& plane, Index top, Index left, Index block, Index size, float* out) {
  const float share = 1.0f / static_cast<float>(block * block);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      float sum = 0;
      for (Index y = top + i * block; y < top + (i + 1) * block; ++y) {
        for (Index x = left + j * block; x < left + (j + 1) * block; ++x) sum += plane.at(y, x);
      }
      *out++ = sum * share;
    }
  }
}

Index first_pixel(float place, Index extent, Index patch) {
  const float centre = (place + 1) / 2 * static_cast<float>(extent);
  return static_cast<Index>(std::floor(centre - static_cast<float>(patch) / 2 + 0.5f));
}

// Filters along one axis, [batch, size, extent].
Var filters(const Var& place, const GaussianWindow& window, Index extent) {
  const Index batch = place.shape()[0], size = window.size;
  Tensor offsets({1, size, 1}), pixels({1, 1, extent});
  for (Index i = 0; i < size; ++i) {
    offsets.data()[i] = static_cast<float>(i) - static_cast<float>(size - 1) / 2;
  }
  for (Index i = 0; i < extent; ++i) pixels.data()[i] = static_cast<float>(i) + 0.5f;
  const Shape per_image{batch, 1, 1};
  const Var centre = reshape((place + 1.0f) * (static_cast<float>(extent) / 2), per_image);
  const Var at = centre + reshape(window.stride, per_image) * Var(offsets);
  const Var away = (Var(pixels) - at) / reshape(window.sigma, per_image);
  const Var weights = exp(square(away) * -0.5f);
  return weights / (sum(weights, 2, true) + 1e-8f);
}

}  // namespace

Tensor glimpse(const Tensor& images, const Tensor& places, const Retina& retina) {
  const Shape& shape = images.shape();
  if (shape.rank() != 4 || places.shape().rank() != 2 || places.shape(0) != shape[0] ||
      places.shape(1) != 2) {
    fail("glimpse: images {} and places {}; take [batch, channel, height, width] and [batch, 2]",
         shape.text(), places.shape().text());
  }
  if (retina.size < 1 || retina.scales < 1 || retina.scales > 16) {
    fail("glimpse: {} scales of {} pixels; take 1 to 16 of at least 1", retina.scales, retina.size);
  }
  const Index batch = shape[0], channels = shape[1], height = shape[2], width = shape[3];
  const Tensor pixels = images.packed(), at = places.packed();
  Tensor out({batch, retina.numbers(channels)});
  const Index area = retina.size * retina.size;
  parallel_for(batch, 8, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      float* to = out.data() + b * retina.numbers(channels);
      for (Index scale = 0, block = 1; scale < retina.scales; ++scale, block *= 2) {
        const Index patch = retina.size * block;
        const Index left = first_pixel(at.data()[2 * b], width, patch);
        const Index top = first_pixel(at.data()[2 * b + 1], height, patch);
        for (Index c = 0; c < channels; ++c, to += area) {
          const Plane plane{pixels.data() + (b * channels + c) * height * width, height, width};
          reduce(plane, top, left, block, retina.size, to);
        }
      }
    }
  });
  return out;
}

Var gaussian_glimpse(const Var& images, const GaussianWindow& window) {
  const Shape& shape = images.shape();
  if (shape.rank() != 4)
    fail("gaussian_glimpse: images {}; take [batch, channel, height, width]", shape.text());
  const Index batch = shape[0], size = window.size;
  const Var down = reshape(filters(window.y, window, shape[2]), {batch, 1, size, shape[2]});
  const Var across = reshape(filters(window.x, window, shape[3]), {batch, 1, size, shape[3]});
  return matmul(matmul(down, images), transpose(across));
}

}  // namespace fovea
