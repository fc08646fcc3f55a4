// One map of a picture: names, cells, frames, numbers.
#pragma once

#include "fovea/explain/map.h"
#include "fovea/explain/sheet.h"

namespace fovea {

struct PanelOptions {
  double side = 720;      // that its cells may take, each way
  double most_cell = 42;  // a cell's side
  float full = 0;         // the weight of the full colour; 0: the map's own
  bool row_names = true, column_names = true;
  bool numbers = true;  // in percent, where cells have room
};

// How large a map will be, and how it is drawn.
class Panel {
 public:
  Panel(const Map& map, const PanelOptions& options);

  double left() const { return left_; }    // of the cells: room for names of rows
  double above() const { return above_; }  // room for names of columns
  double width() const;                    // with names
  double height() const;
  double cells_width() const { return cell_ * static_cast<double>(map_.weights.shape(1)); }
  double cells_height() const { return cell_ * static_cast<double>(map_.weights.shape(0)); }
  double overhang() const { return right_; }  // of the last columns' names
  float full() const { return full_; }

  void draw(Scene& scene, double x, double y) const;  // its upper left corner, with names

 private:
  TextStyle name_style() const;
  Index every() const;  // how many rows or columns share a name
  bool upright() const { return cell_ < 18; }
  double name_width(const std::string& name) const;
  void draw_names(Scene& scene, double x, double y) const;
  void draw_links(Scene& scene, double x, double y) const;
  void draw_numbers(Scene& scene, double x, double y) const;

  const Map& map_;
  PanelOptions options_;
  double cell_ = 1, left_ = 0, above_ = 0, right_ = 0;
  float full_ = 1;
};

// What the colours of maps mean.
struct Scale {
  float full = 1;  // the weight of the full colour
  bool has_sign = false;
  bool more = false;  // there are larger ones
};
// From 0 (or -full) to full, with its numbers at the ends.
void draw_colour_bar(Scene& scene, double x, double y, double width, const Scale& scale);

}  // namespace fovea
