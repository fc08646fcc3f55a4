#include "fovea/tensor/shape.h"

#include <algorithm>
#include <charconv>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Calls use(i, word) for each word of a space-separated list; returns their number.
template <class Use>
int for_each_word(std::string_view words, const Use& use) {
  int count = 0;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) use(count++, words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return count;
}

std::string named(const Axes::Argument& argument) {
  std::string text = fmt::format("{} [", argument.name);
  for_each_word(argument.axes, [&](int i, std::string_view axis) {
    if (i < argument.shape.rank()) {
      text += fmt::format("{}{}={}", i == 0 ? "" : ", ", axis, argument.shape[i]);
    }
  });
  return text + "]";
}

}  // namespace

Shape::Shape(std::span<const Index> extents) {
  if (extents.size() > kMaxRank) {
    fail("shape: {} axes were given, at most {} are possible", extents.size(), kMaxRank);
  }
  for (const Index extent : extents) {
    if (extent < -1) fail("shape: an extent of {} is not possible", extent);  // -1: see reshape
    extent_[static_cast<std::size_t>(rank_++)] = extent;
  }
}

Index Shape::rows() const {
  Index rows = 1;
  for (int axis = 0; axis + 1 < rank_; ++axis) rows *= (*this)[axis];
  return rows;
}

Index Shape::size() const {
  Index size = 1;
  for (const Index extent : *this) size *= extent;
  return size;
}

int Shape::axis(std::string_view operation, int axis) const {
  if (axis < -rank_ || axis >= rank_) {
    fail("{}: axis {} does not exist in {}, which has {} axes", operation, axis, text(), rank_);
  }
  return axis < 0 ? axis + rank_ : axis;
}

Shape Shape::inserted(int axis, Index extent) const {
  std::vector<Index> extents(begin(), end());
  extents.insert(extents.begin() + (axis < 0 ? axis + rank_ + 1 : axis), extent);
  return Shape(extents);
}

Shape Shape::removed(int axis) const {
  std::vector<Index> extents(begin(), end());
  extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(index_of(axis)));
  return Shape(extents);
}

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(begin(), end(), ", ")); }

Shape broadcast(std::string_view operation, const Shape& a, const Shape& b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    if (a[-i] != b[-i] && a[-i] != 1 && b[-i] != 1) {
      fail("{}: shapes {} and {} do not broadcast: {} against {} in axis {} from the end",
           operation, a.text(), b.text(), a[-i], b[-i], i);
    }
    result[-i] = a[-i] == 1 ? b[-i] : a[-i];
  }
  return result;
}

Axes::Axes(std::string_view operation, std::initializer_list<Argument> arguments) {
  std::vector<const Argument*> owners;
  for (const Argument& argument : arguments) {
    const int rank = for_each_word(argument.axes, [](int, std::string_view) {});
    if (rank != argument.shape.rank()) {
      fail("{}: {} needs {} axes [{}] but has shape {}", operation, argument.name, rank,
           argument.axes, argument.shape.text());
    }
    for_each_word(argument.axes, [&](int i, std::string_view axis) {
      const Index extent = argument.shape[i];
      Index literal = 0;
      if (std::from_chars(axis.data(), axis.data() + axis.size(), literal).ec == std::errc()) {
        if (extent != literal) {
          fail("{}: {} needs extent {} in axis {} but has shape {}", operation, argument.name,
               literal, i, argument.shape.text());
        }
        return;
      }
      const auto known = std::find_if(extents_.begin(), extents_.end(),
                                      [&](const auto& entry) { return entry.first == axis; });
      if (known == extents_.end()) {
        extents_.emplace_back(axis, extent);
        owners.push_back(&argument);
      } else if (known->second != extent) {
        const Argument& owner = *owners[static_cast<std::size_t>(known - extents_.begin())];
        fail("{}: axis '{}' is {} in {} but {} in {}", operation, axis, known->second, named(owner),
             extent, named(argument));
      }
    });
  }
}

Index Axes::operator[](std::string_view axis) const {
  for (const auto& [name, extent] : extents_) {
    if (name == axis) return extent;
  }
  fail("Axes: no argument has an axis '{}'", axis);
}

}  // namespace fovea
