// chrF (Popović 2015) and chrF++ (2017), equal to what sacreBLEU 2 prints.
#pragma once

#include <span>
#include <string>

#include "fovea/training/segments.h"

namespace fovea {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2: chrF++
  int beta = 2;        // recall counts beta times as much as precision
  bool lower_case = false;
  bool keep_space = false;  // count white space among the characters
  // Orders that have n-grams on both sides are averaged; if set, all are, with next to nothing for
  // the others.
  bool epsilon_smoothing = false;
};
inline ChrfOptions chrf_plus_plus() { return {.word_order = 2}; }

struct ChrfScore {
  double score = 0;       // 0 to 100
  std::string name;       // "chrF2", "chrF2++"
  std::string signature;  // "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:fovea-0.1.0"

  std::string text() const;  // "chrF2 = 59.73"
};

// Of several references, the one that gives a sentence its best score is taken.
ChrfScore chrf(std::span<const std::string> hypotheses, References references,
               const ChrfOptions& options = {});

}  // namespace fovea
