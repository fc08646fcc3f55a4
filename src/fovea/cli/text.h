// Numbers, names and tables as a person reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"

namespace fovea::cli {

std::string with_commas(Index number);                     // 1,048,576
std::string counted(Index number, std::string_view what);  // "1 tensor", "2 tensors"
std::string byte_size(Index bytes);                        // 4.0 MiB
std::string duration(double seconds);                      // 1:23, 1:02:03
std::size_t width(std::string_view text);                  // near enough to columns of a terminal
std::string printable(std::string_view text);              // control and broken characters as \x1b

// Columns as wide as their longest cell, two spaces apart.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fovea::cli
