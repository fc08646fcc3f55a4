// Maps ready to be drawn: weights of a Trace with names at their sides, and few enough cells to be
// seen. Whoever draws, in a terminal or a file, draws a Map.
#pragma once

#include <string>
#include <vector>

#include "fovea/attention/trace.h"
#include "fovea/models/soft_alignment.h"

namespace fovea {

struct Map {
  std::string title{};
  std::string about{};                         // what it is, in a sentence; may be empty
  std::string kind{};                          // of a head; "" of a method
  Index layer = 0, head = 0;                   // of a head
  std::vector<std::string> rows{}, columns{};  // names
  Tensor weights{};                            // [row, column]
  std::vector<Index> links{};                  // each row's column of the largest weight; -1: none
  bool has_sign = false;
  Index of_rows = 0, of_columns = 0;  // before it was made smaller
  std::vector<Trace::Figure> figures{};

  bool smaller() const {
    return weights && (of_rows > weights.shape(0) || of_columns > weights.shape(1));
  }
  std::string note() const;  // how it was made smaller; "" if it was not
  float largest() const;     // in absolute value, of those that are numbers
  // The weight that gets the full colour: the largest; of a map that was made smaller what 99 % of
  // the cells reach at most, or a few large weights would leave all others pale.
  float full() const;
};

struct MapOptions {
  bool pieces = false;  // each for itself; else those of a word are put together
  Index most_rows = kOverviewSide, most_columns = kOverviewSide;  // more are put together in blocks
};

// What methods found, each row by its largest. Where none was asked, what the model looked at: the
// mean of the chosen heads, or each head where maps are large.
std::vector<Map> maps_of(const Trace& trace, const LookChoice& look, const MapOptions& options);

// Every head by itself.
std::vector<Map> maps_of_heads(const Trace& trace, const MapOptions& options);

// At most so many rows and columns: of each block of cells the one that is largest in absolute
// value, so that nothing vanishes.
Tensor aggregated(const Tensor& weights, Index most_rows, Index most_columns);

// Text that can stand in any picture: what is not UTF-8, controls a screen or changes the direction
// of writing becomes U+FFFD; marks of how pieces join are left out.
std::string clean(std::string_view text);

}  // namespace fovea
