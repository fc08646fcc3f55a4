#include "fovea/attention/glimpse.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// The part of one channel that one scale sees: size x size blocks of pixels, from (top, left) on.
struct Patch {
  Index top, left, block, size;
  Index height, width;  // of the image

  float share() const { return 1.0f / static_cast<float>(block * block); }

  // use(i, pixels, offset, count): `count` pixels, from number `offset` of row i of blocks on.
  template <class Pixels, class Use>
  void rows(Pixels* pixels, const Use& use) const {
    const Index begin = std::max<Index>(left, 0), end = std::min(left + size * block, width);
    if (begin >= end) return;
    const Index last = std::min(top + size * block, height);
    for (Index y = std::max<Index>(top, 0); y < last; ++y) {
      use((y - top) / block, pixels + y * width + begin, begin - left, end - begin);
    }
  }
};

// The means of the blocks. `columns` is memory for size * block numbers.
void reduce(const Patch& patch, const float* pixels, float* columns, float* out) {
  const Index size = patch.size, block = patch.block, wide = size * block;
  std::fill_n(out, size * size, 0.0f);
  if (block == 1) {
    patch.rows(pixels, [&](Index i, const float* row, Index offset, Index count) {
      std::copy_n(row, count, out + i * size + offset);
    });
    return;
  }
  // Down first, in rows as the image has them, then across.
  Index at = -1;
  const auto finish = [&] {
    for (Index j = 0; at >= 0 && j < size; ++j) {
      float sum = 0;
      for (Index x = j * block; x < (j + 1) * block; ++x) sum += columns[x];
      out[at * size + j] = sum * patch.share();
    }
  };
  patch.rows(pixels, [&](Index i, const float* row, Index offset, Index count) {
    if (i != at) {
      finish();
      std::fill_n(columns, wide, 0.0f);
      at = i;
    }
    for (Index x = 0; x < count; ++x) columns[offset + x] += row[x];
  });
  finish();
}

// Each pixel of a block has its share of the block's gradient.
void spread(const Patch& patch, const float* d_out, float* d_pixels) {
  patch.rows(d_pixels, [&](Index i, float* row, Index offset, Index count) {
    for (Index x = 0; x < count; ++x) {
      row[x] += d_out[i * patch.size + (offset + x) / patch.block] * patch.share();
    }
  });
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

Index first_pixel(float place, Index extent, Index patch) {
  const float centre = (place + 1) / 2 * static_cast<float>(extent);
  return static_cast<Index>(std::floor(centre - static_cast<float>(patch) / 2 + 0.5f));
}

Var glimpse(const Var& images, const Tensor& places, const Retina& retina) {
  const Shape& shape = images.shape();
  if (shape.rank() != 4 || places.shape().rank() != 2 || places.shape(0) != shape[0] ||
      places.shape(1) != 2) {
    fail("glimpse: images {} and places {}; take [batch, channel, height, width] and [batch, 2]",
         shape.text(), places.shape().text());
  }
  if (retina.size < 1 || retina.scales < 1 || retina.scales > 16) {
    fail("glimpse: {} scales of {} pixels; take 1 to 16 of at least 1", retina.scales, retina.size);
  }
  const Index channels = shape[1], height = shape[2], width = shape[3];
  const Index numbers = retina.numbers(channels), area = retina.size * retina.size;
  const Tensor at = places.packed();
  // use(patch, number of the channel's first pixel, number of the patch's first number)
  const auto patches = [=](Index image, const auto& use) {
    Index to = image * numbers;
    for (Index scale = 0, block = 1; scale < retina.scales; ++scale, block *= 2) {
      const Index extent = retina.size * block;
      const Patch patch{first_pixel(at.data()[2 * image + 1], height, extent),
                        first_pixel(at.data()[2 * image], width, extent),
                        block,
                        retina.size,
                        height,
                        width};
      for (Index c = 0; c < channels; ++c, to += area)
        use(patch, (image * channels + c) * height * width, to);
    }
  };
  const Tensor pixels = images.value().packed();
  Tensor out({shape[0], numbers});
  parallel_for(shape[0], 8, [&](Index begin, Index end) {
    std::vector<float> columns(static_cast<std::size_t>(retina.size << (retina.scales - 1)));
    for (Index b = begin; b < end; ++b) {
      patches(b, [&](const Patch& patch, Index from, Index to) {
        reduce(patch, pixels.data() + from, columns.data(), out.data() + to);
      });
    }
  });
  return record("glimpse", out, {images}, [=](const Tensor& d_y) {
    if (!wants_grad(images)) return;
    const Tensor d_out = d_y.packed();
    Tensor d_images = Tensor::zeros(images.shape());
    parallel_for(images.shape(0), 8, [&](Index begin, Index end) {
      for (Index b = begin; b < end; ++b) {
        patches(b, [&](const Patch& patch, Index from, Index to) {
          spread(patch, d_out.data() + to, d_images.data() + from);
        });
      }
    });
    add_to_grad(images, d_images);
  });
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
