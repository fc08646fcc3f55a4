// From a picture to a grid of vectors, its regions, by convolutions that learn along with the model
// they are part of.
#pragma once

#include <span>

#include "fovea/io/image.h"
#include "fovea/layers/conv.h"
#include "fovea/layers/norm.h"
#include "fovea/models/options_text.h"

namespace fovea {

struct ImageEncoderOptions {
  Index channels = 3;
  std::vector<Index> widths = {32, 64, 128};  // of stages
  Index halvings = 6;  // of the first stages, by their first convolution; others keep the size
  Index depth = 1;     // convolutions of a stage; further ones are 1x1
};

void fields(auto& o, auto&& field) requires is_options<ImageEncoderOptions, decltype(o)> {
  field("channels", o.channels);
  field("widths", o.widths);
  field("halvings", o.halvings);
  field("depth", o.depth);
}

// Convolutions, each with batch norm and ReLU: 4x4 where they halve, so that a region sees as far
// to every side; 3x3 at the head of other stages; else 1x1, so that a region sees little more than
// what it stands for. Pictures of any size.
struct ImageEncoder {
  struct Layer {
    Conv conv;
    BatchNormLayer norm;

    void visit(auto&& member) {
      member("conv", conv);
      member("norm", norm);
    }
  };
  std::vector<Layer> layers;

  ImageEncoder() = default;
  ImageEncoder(const ImageEncoderOptions& options, Random& random);

  struct Grid {
    Index rows, columns;
  };
  Grid grid_of(Index width, Index height) const;  // of a picture; fails where nothing would be left

  Index dim() const { return layers.back().conv.weight.shape(0); }

  // [batch, channel, height, width], numbers from 0 to 1 -> [batch, dim, rows, columns]
  Var operator()(const Var& pixels, Run& run) const;

  void visit(auto&& member) { member("layers", layers); }
};

// [batch, dim, rows, columns] -> [batch, region, dim], row by row
Var regions_of(const Var& grid);

// Where each region of a grid lies, as waves across the picture: [region, kPlaceFeatures], the same
// for a place whatever the grid's size.
constexpr Index kPlaceFeatures = 10;
Tensor place_features(Index rows, Index columns);

// place_features behind the vector of each region: [batch, region, dim + kPlaceFeatures]
Var with_places(const Var& regions, Index rows, Index columns);

// The part of a picture that each region of a grid stands for, row by row.
std::vector<Box> region_boxes(Index rows, Index columns, Index width, Index height);

// A region's box where a map over a grid of cells is highest: that of the largest number, moved
// towards neighbours that share it, to the top of the parabola through the three of them each way.
Box peak_of(std::span<const float> map, std::span<const Box> cells);

// Does a look at a region count as one into one of the boxes? It does if the middle of one lies in
// the other.
bool points_into(const Box& region, std::span<const Box> boxes);

}  // namespace fovea
