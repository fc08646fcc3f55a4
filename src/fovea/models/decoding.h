// Decoding: sequences of words on their way, whatever they are about: what a search needs of a
// model.
#pragma once

#include <memory>
#include <vector>

#include "fovea/tensor/ids.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

using Words = std::vector<std::int32_t>;  // of a sentence, as a Tokenizer numbers them

// Where one head of one layer looked in a step.
struct Look {
  Index layer = 0, head = 0;
  Tensor scores, weights;  // [row, key]
};

struct DecodingStep {
  Tensor logits;              // [row, vocab] of the next word
  Tensor context{};           // [row, key_dim]: what was read, where there is one
  std::vector<Look> looks{};  // empty where a model does not attend, or nobody asked
};

// Sentences on their way, word by word. Beams of a sentence stand together: beam b of sentence s is
// row s * beams + b.
class Decoding {
 public:
  virtual ~Decoding() = default;
  virtual DecodingStep step(const Ids& words) = 0;  // the last word of each row
  virtual void reorder(
      const Ids& rows) = 0;  // row r goes on from row rows[r], of the same sentence
  virtual void keep(const Ids& sentences) = 0;  // only these go on
};

struct DecodingOptions {
  Index beams = 1;
  bool looks = false;
};

// Row r of x [row, ...] becomes what row rows[r] was.
Tensor rows_of(const Tensor& x, const Ids& rows);

// Rows of the beams of these sentences.
Ids beams_of(const Ids& sentences, Index beams);

// The sentence of each row, while all of `sentences` are on their way.
Ids sentence_of_rows(Index sentences, Index beams);

}  // namespace fovea
