// Ids: whole numbers with a shape: words, labels, positions. Copying shares them; they are never
// changed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/tensor/shape.h"

namespace fovea {

class Ids {
 public:
  Ids() = default;
  Ids(std::vector<std::int32_t> values)  // NOLINT: a list of ids is Ids
      : shape_{static_cast<Index>(values.size())},
        values_(std::make_shared<const std::vector<std::int32_t>>(std::move(values))) {}
  Ids(const Shape& shape, std::vector<std::int32_t> values) : Ids(std::move(values)) {
    if (shape.size() != shape_.size()) {
      fail("Ids: {} values do not fill shape {}", shape_.size(), shape.text());
    }
    shape_ = shape;
  }

  const Shape& shape() const { return shape_; }
  Index size() const { return shape_.size(); }
  std::int32_t operator[](Index i) const { return (*values_)[static_cast<std::size_t>(i)]; }
  std::span<const std::int32_t> values() const {
    return values_ ? std::span<const std::int32_t>(*values_) : std::span<const std::int32_t>();
  }

 private:
  Shape shape_{0};
  std::shared_ptr<const std::vector<std::int32_t>> values_;
};

}  // namespace fovea
