// Deletion and insertion curves (Petsiuk et al. 2018) of a translation: does an output become
// unlikely when the words that a map puts first are taken away, and likely when they are all there
// is?
//
// A word is taken away by leaving it out, all of its pieces, as if it had never been written; </s>
// stays. Every output has an order of its own, that of its row of the map, the largest first; what
// is measured is the mean of p(y_t | y_1 ... y_{t-1}, what is left) over the outputs before </s>.
#pragma once

#include "fovea/explain/said.h"
#include "fovea/models/soft_alignment.h"

namespace fovea {

struct RemovalOptions {
  Index points = 10;  // of a curve, beside its start: fewer where there are fewer words
  Index orders = 5;   // random ones, each the same for all outputs
  std::uint64_t seed = 1;
};

struct RemovalCurves {
  std::vector<double> share{};      // of words taken away, or put back: 0 to 1
  std::vector<double> deletion{};   // mean probability, from the whole source to none of it
  std::vector<double> insertion{};  // and from none to all

  // Under a curve, by trapezoids: small after deletion and large after insertion is good.
  double deletion_area() const;
  double insertion_area() const;
};

struct Removal {
  std::vector<RemovalCurves> maps;  // one for each
  RemovalCurves random;             // the mean over random orders
};

// maps: [output, unit] of pieces each; source: which word each of its pieces belongs to.
Removal remove_words(const Said& said, const SpelledWords& source, std::span<const Tensor> maps,
                     const RemovalOptions& options = {});

// Maps of pieces [output, unit] -> [output, word]: weights of a word's pieces are added.
Tensor columns_of_words(const Tensor& map, const SpelledWords& source);

}  // namespace fovea
