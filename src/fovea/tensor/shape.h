// Shapes, and the named-axis check whose error message is also the documentation.
#pragma once

#include <array>
#include <cassert>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

// Up to six extents, stored inline.
class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;  // rank 0: one number
  Shape(std::initializer_list<Index> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const Index> extents);

  int rank() const { return rank_; }
  Index size() const;                 // how many numbers
  Index rows() const;                 // along the last axis: the product of the others
  Index operator[](int axis) const {  // negative axes count from the end
    return extent_[index_of(axis)];
  }
  Index& operator[](int axis) { return extent_[index_of(axis)]; }

  const Index* begin() const { return extent_.data(); }
  const Index* end() const { return extent_.data() + rank_; }

  // axis in [0, rank), from one in [-rank, rank); fails with `operation`'s name otherwise.
  int axis(std::string_view operation, int axis) const;

  Shape with(int axis, Index extent) const {
    Shape changed = *this;
    changed[axis] = extent;
    return changed;
  }
  Shape inserted(int axis, Index extent) const;
  Shape removed(int axis) const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

  std::string text() const;  // "[2, 8, 5]"

 private:
  std::size_t index_of(int axis) const {
    const int from_start = axis < 0 ? axis + rank_ : axis;
    assert(from_start >= 0 && from_start < rank_);
    return static_cast<std::size_t>(from_start);
  }

  std::array<Index, kMaxRank> extent_{};
  int rank_ = 0;
};

// The shape that both broadcast to: axes align at the end, an extent of 1 stretches.
Shape broadcast(std::string_view operation, const Shape& a, const Shape& b);

// The axes of several arguments by name; an axis named twice must have one extent.
//   const Axes n("attend", {{"query", query.shape(), "batch head query dim"},
//                           {"key", key.shape(), "batch head key dim"}});
// fails with: attend: axis 'dim' is 64 in query [batch=2, head=8, query=5, dim=64] but 32 in key
// [...] A name that starts with a digit stands for exactly that extent.
class Axes {
 public:
  struct Argument {
    std::string_view name;
    Shape shape;
    std::string_view axes;
  };

  Axes(std::string_view operation, std::initializer_list<Argument> arguments);
  Index operator[](std::string_view axis) const;

 private:
  std::vector<std::pair<std::string_view, Index>> extents_;
};

}  // namespace fovea
