// Shapes with smooth edges, drawn over each other: what the built-in worlds of pictures are made
// of.
#pragma once

#include "fovea/base/random.h"
#include "fovea/io/image.h"

namespace fovea {

struct Point {
  float x = 0, y = 0;
};

struct Colour {
  float red = 0, green = 0, blue = 0;  // 0 to 1
};

class Canvas {
 public:
  Canvas(Index width, Index height, Colour background);

  // Lengths and places in pixels, from the upper left corner.
  void disc(Point centre, float radius, Colour colour);
  void line(Point from, Point to, float radius, Colour colour);  // with round ends
  void rectangle(const Box& box, Colour colour);
  void add_noise(float strength, Random& random);  // the same for all colours of a pixel

  Image image() const;
  Image grey() const;  // of red alone

 private:
  template <class Distance>
  void fill(const Box& within, const Distance& distance, Colour colour);

  Index width_, height_;
  std::vector<float> rgb_;
};

}  // namespace fovea
