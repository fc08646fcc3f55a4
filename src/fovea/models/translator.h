// Translators: what training, decoding and seeing need of a model that turns one sequence of words
// into another, whatever is inside (recurrent_translator.h, transformer_translator.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/attention/attended.h"
#include "fovea/autograd/ops.h"
#include "fovea/autograd/run.h"
#include "fovea/layers/parameters.h"
#include "fovea/models/decoding.h"

namespace fovea {

// Sentences side by side, the shorter ones filled up with <pad>.
struct Sentences {
  Ids words;  // [batch, time]
  std::vector<Index> lengths;

  Index batch() const { return words.shape()[0]; }
  Index time() const { return words.shape()[1]; }
};
Sentences side_by_side(std::span<const Words> sentences);

// Pairs to learn from. A decoder reads `input`, <s> and the words, and has to say the words and
// </s>.
struct TranslationBatch {
  Sentences source;  // words and </s>
  Sentences input;
  Ids labels;    // of all sentences, one behind the other, without padding
  Ids position;  // where each stands in [batch * time]
};
TranslationBatch translation_batch(std::span<const Words> source, std::span<const Words> target);

// The source as every translator reads it: its words and </s>.
Sentences source_sentences(std::span<const Words> source);

// The inside of a translator while it computes logits: what those who explain it put in, and what
// they get.
struct Insight {
  // One layer's attention. Its queries come all at once or, in a recurrent decoder, one by one.
  struct Layer {
    const char* kind;  // "cross", "encoder" or "decoder"
    Index layer;
    std::vector<Attended> looks;  // [batch, head, query, ...] each; queries follow one another
    Var value;                    // [batch, kv_head, key, dim]: what was read
    Var output{};                 // [head * dim, model_dim]: what it goes through then; or nothing
  };

  Var source{};                 // in: [batch, time, dim], in the place of source_vectors()
  std::vector<Layer> layers{};  // out
  Var states{};                 // out: [batch, time, dim], the encoder's, in the source's order
};

class Translator {
 public:
  virtual ~Translator() = default;
  virtual std::vector<Parameter> parameters() = 0;
  virtual NamedTensors tensors() = 0;
  // [label, vocab]: for each of the batch's labels, from the words before it.
  virtual Var logits(const TranslationBatch& batch, Run& run, Insight* insight = nullptr) const = 0;
  // Cross-entropy of the batch's labels, as of these logits.
  virtual Var loss(const TranslationBatch& batch, Run& run, const CrossEntropy& options) const;
  // words [...] -> [..., dim]: a source's words, before anything else happens to them.
  virtual Var source_vectors(const Ids& words) const = 0;
  virtual std::unique_ptr<Decoding> decode(const Sentences& source,
                                           const DecodingOptions& options) const = 0;
};

}  // namespace fovea
