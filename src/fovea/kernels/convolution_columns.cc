// Convolution as matrix products: columns[c u v, i j] is what weight[o, c, u, v] meets at pixel
// (i, j).
#include <algorithm>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution_engines.h"

namespace fovea::kernels {
namespace {

constexpr Index kColumnNumbers = 1 << 16;  // of one product: half of a small second cache

// Some rows of the output image, of one group of channels.
struct Block {
  const ConvShape& shape;
  Index image, group, row_begin, row_end;

  Index pixels() const { return (row_end - row_begin) * shape.out_width(); }
  Index channels_out() const { return shape.channel_out / shape.groups; }
  Index region() const { return shape.out_height() * shape.out_width(); }
  // Where the block starts in x, y and weight.
  Index in_x() const {
    return (image * shape.channel_in + group * (shape.channel_in / shape.groups)) * shape.height *
           shape.width;
  }
  Index in_y() const {
    return (image * shape.channel_out + group * channels_out()) * region() +
           row_begin * shape.out_width();
  }
  Index in_weight() const { return group * channels_out() * shape.depth(); }
};

Index rows_per_block(const ConvShape& s) {
  return std::clamp<Index>(kColumnNumbers / (s.depth() * s.out_width()), 1, s.out_height());
}

// Calls use(block) for all blocks of the images in [begin, end), group by group.
template <class Use>
void for_each_block(const ConvShape& s, Index begin, Index end, const Use& use) {
  const Index rows = rows_per_block(s);
  for (Index group = 0; group < s.groups; ++group) {
    for (Index image = begin; image < end; ++image) {
      for (Index row = 0; row < s.out_height(); row += rows) {
        use(Block{s, image, group, row, std::min(row + rows, s.out_height())});
      }
    }
  }
}

// For each row of the columns and row i of the block: calls row(columns, x, first, last), where
// columns[j] belongs to x[j * stride] for j in [first, last), and to no pixel of x elsewhere.
// `columns` and `x` are positions.
template <class Row>
void for_each_row(const Block& b, const Row& row) {
  const ConvShape& s = b.shape;
  const Index out_width = s.out_width();
  Index columns = 0;
  for (Index c = 0; c < s.channel_in / s.groups; ++c) {
    for (Index u = 0; u < s.kernel_height; ++u) {
      for (Index v = 0; v < s.kernel_width; ++v) {
        const Index shift = v * s.dilation - s.padding;
        const Index first = std::clamp<Index>(ceil_div(-shift, s.stride), 0, out_width);
        const Index last = std::clamp<Index>(ceil_div(s.width - shift, s.stride), first, out_width);
        for (Index i = b.row_begin; i < b.row_end; ++i, columns += out_width) {
          const Index y = i * s.stride + u * s.dilation - s.padding;
          const bool inside = 0 <= y && y < s.height;
          row(columns, (c * s.height + y) * s.width + shift, inside ? first : 0, inside ? last : 0);
        }
      }
    }
  }
}

void to_columns(const Block& b, const float* x, float* columns) {
  const Index width = b.shape.out_width(), stride = b.shape.stride;
  for_each_row(b, [=](Index at, Index from, Index first, Index last) {
    float* to = columns + at;
    std::fill(to, to + first, 0.0f);
    if (stride == 1) {
      std::copy(x + from + first, x + from + last, to + first);
    } else {
      for (Index j = first; j < last; ++j) to[j] = x[from + j * stride];
    }
    std::fill(to + last, to + width, 0.0f);
  });
}

void add_columns(const Block& b, const float* columns, float* x) {
  const Index stride = b.shape.stride;
  for_each_row(b, [=](Index at, Index to, Index first, Index last) {
    for (Index j = first; j < last; ++j) x[to + j * stride] += columns[at + j];
  });
}

}  // namespace

void columns_forward(const ConvForward& work, Index slice) {
  const ConvShape& s = work.shape;
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Buffer columns(s.depth() * rows_per_block(s) * s.out_width());
    for_each_block(s, begin, end, [&](const Block& b) {
      to_columns(b, work.x + b.in_x(), columns.data());
      float* y = work.y + b.in_y();
      for (Index o = 0; work.bias != nullptr && o < b.channels_out(); ++o) {
        std::fill_n(y + o * b.region(), b.pixels(), work.bias[b.group * b.channels_out() + o]);
      }
      matmul({.rows = b.channels_out(),
              .columns = b.pixels(),
              .depth = s.depth(),
              .a = {work.weight + b.in_weight(), s.depth(), 1},
              .b = {columns.data(), b.pixels(), 1},
              .c = y,
              .c_row = b.region(),
              .accumulate = work.bias != nullptr,
              .activation = work.relu ? Activation::kRelu : Activation::kNone});
    });
  });
}

// columns = x's patches, y = weight columns:  d_columns = weight^T d_y, and d_x gathers d_columns.
void columns_backward_input(const ConvBackwardInput& work, Index slice) {
  const ConvShape& s = work.shape;
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Buffer d_columns(s.depth() * rows_per_block(s) * s.out_width());
    std::fill(work.d_x + begin * s.in_image(), work.d_x + end * s.in_image(), 0.0f);
    for_each_block(s, begin, end, [&](const Block& b) {
      matmul({.rows = s.depth(),
              .columns = b.pixels(),
              .depth = b.channels_out(),
              .a = {work.weight + b.in_weight(), 1, s.depth()},
              .b = {work.d_y + b.in_y(), b.region(), 1},
              .c = d_columns.data(),
              .c_row = b.pixels()});
      add_columns(b, d_columns.data(), work.d_x + b.in_x());
    });
  });
}

}  // namespace fovea::kernels
