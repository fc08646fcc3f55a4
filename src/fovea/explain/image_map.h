// Maps over a picture, ready to be laid over it: where a model looked for a word, an answer or a
// class.
#pragma once

#include <string>
#include <vector>

#include "fovea/attention/trace.h"
#include "fovea/io/image.h"

namespace fovea {

struct ImageMap {
  std::string title{}, about{};
  Tensor weights{};  // [rows, columns], as a grid over the picture
  bool attention = false;
  bool has_sign = false;
  Index from = -1;  // the region that looked, of self-attention
  std::vector<Trace::Figure> figures{};

  float largest() const;  // in absolute value
  Index best() const;     // the region of the largest weight
};

bool has_picture_maps(const Trace& trace);  // its maps are over a picture

// What methods found; where none was asked, what the model looked at: a map for each word or hop.
// Heads of a layer are averaged. Of self-attention some regions spread over the picture.
std::vector<ImageMap> image_maps(const Trace& trace);

// The picture of a trace, in colours.
Image picture_in(const Trace& trace);

// The picture `scale` times as large under a map: where a model looked is light, the rest dark;
// what a method found has the colour of its weight over a grey picture.
Image under_map(const Image& picture, const ImageMap& map, Index scale);

// Every pixel `scale` times each way.
Image enlarged(const Image& picture, Index scale);

}  // namespace fovea
