// Decoding: sequences of words on their way, whatever they are about: what a search needs of a
// model.
#pragma once

#include <memory>
#include <vector>

#include "fovea/models/next_words.h"
#include "fovea/tensor/ids.h"

namespace fovea {

using Words = std::vector<std::int32_t>;  // of a sentence, as a Tokenizer numbers them

// Where one head of one layer looked in a step.
struct Look {
  Index layer = 0, head = 0;
  Tensor scores, weights;  // [row, key]
};

struct DecodingStep {
  NextWords next;
  Tensor context{};           // [row, key_dim]: what was read, where there is one
  std::vector<Look> looks{};  // empty where a model does not attend, or nobody asked
};

// Sentences on their way, word by word: at first a row for each. Rows of a sentence, its beams,
// stand together, and there are as many of each.
class Decoding {
 public:
  virtual ~Decoding() = default;
  virtual DecodingStep step(const Ids& words) = 0;  // the last word of each row
  virtual void reorder(const Ids& rows) = 0;        // row r goes on from row rows[r]
  virtual void keep(const Ids& sentences) = 0;      // only these go on: before rows do
};

struct DecodingOptions {
  bool looks = false;
};

// Row r of x [row, ...] becomes what row rows[r] was.
Tensor rows_of(const Tensor& x, const Ids& rows);

}  // namespace fovea
