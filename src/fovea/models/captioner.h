// Captions of pictures, looking at a region for each word: Show, Attend and Tell (Xu et al. 2015).
#pragma once

#include "fovea/base/enum_names.h"
#include "fovea/layers/additive_attention.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/recurrent.h"
#include "fovea/models/decoding.h"
#include "fovea/models/image_encoder.h"

namespace fovea {

enum class CaptionAttention {
  kSoft,  // the mean of all regions by their weights
  kHard,  // one region, drawn by them; learnt by reward (4.1)
};
constexpr std::array<const char*, 2> names_of(CaptionAttention) { return {"soft", "hard"}; }

struct CaptionerOptions {
  CaptionAttention attention = CaptionAttention::kSoft;
  ImageEncoderOptions encoder{};
  Index width = 64, height = 64;  // of pictures it was trained with
  bool features = false;          // annotations are given, and there is no encoder
  Index feature_dim = 1;          // of those
  Index vocab = 0;
  Index embedding_dim = 128;
  Index hidden = 256;         // of the LSTM
  Index attention_dim = 128;  // of the score
  // The last word asks along with the state. In the paper only the state does, which has not read
  // it yet: then what was just said cannot tell where to look for the next word.
  bool word_asks = true;
  // The state remembers what was looked at, as in the paper. Else it knows the words alone, and
  // what depends on the picture has to be looked at when it is said (as in Lu et al. 2017, 2.3).
  bool recalls = true;
  float dropout = 0;  // of words on their way in, and of what speaks
};

// Captions to learn from, without padding: the longest first, and word t of all that have one
// behind word t - 1 of all.
struct CaptionBatch {
  Ids picture;              // [caption]: which it is about
  std::vector<Index> rows;  // [time]: captions that have a word t, </s> included
  Ids input;                // [label]: <s> and the words
  Ids labels;               // [label]: the words and </s>
  Ids caption;              // [label]: whose it is
};
// picture[i]: the one captions[i] is about.
CaptionBatch caption_batch(std::span<const Words> captions, std::span<const Index> picture);

// How captions were said.
struct CaptionReading {
  Var logits;   // [label, vocab]
  Var weights;  // [label, region]
  // Where regions are drawn, of every label; else none.
  Var log_weights;  // [label, region]
  Ids region;       // [label]: the one drawn
  Tensor drawn;     // [label]: 1; 0 where the caption was read softly
  Tensor softly;    // [label]: log probability of the label, had its regions been read softly
};

class Captioner {
 public:
  Captioner(const CaptionerOptions& options, Random& random);

  // [picture, channel, height, width] -> [picture, region, dim], each with its place; or given
  // features as they are
  Var annotations(const Var& pictures, Run& run) const;
  const ImageEncoder& encoder() const { return encoder_; }  // none where features are given

  // annotations [picture, region, dim]. Hard, while training: half of the captions, drawn, have
  // their regions drawn, the others are read softly, and gradients pass.
  CaptionReading read(const Var& annotations, const CaptionBatch& batch, Run& run) const;

  // A caption of each picture, word by word. Hard: the likeliest region is read.
  std::unique_ptr<Decoding> decode(const Tensor& annotations, const DecodingOptions& options) const;

  const CaptionerOptions& options() const { return options_; }
  Index annotation_dim() const;
  // Mean log probability of a word, as it moves along while training a hard one: the reward that is
  // to be expected.
  Tensor& baseline() { return baseline_; }

  void visit(auto&& member) {
    member("encoder", encoder_);
    member("words", words_);
    member("start_state", start_state_);
    member("start_memory", start_memory_);
    member("attention", attention_);
    member("word_query", word_query_);
    member("gate", gate_);
    member("word", word_);
    member("cell", cell_);
    member("speak_state", speak_state_);
    member("speak_context", speak_context_);
    member("output", output_);
    member("baseline", baseline_);
  }

 private:
  friend class CaptionDecoding;

  struct Mlp {
    Linear inner, outer;
    Var operator()(const Var& x) const {
      return outer(inner(x, Activation::kTanh), Activation::kTanh);
    }
    void visit(auto&& member) {
      member("inner", inner);
      member("outer", outer);
    }
  };
  // Regions as the decoder reads them, and its weights ready for many steps.
  struct Memory {
    Var regions;        // [batch, region, dim]
    Var projected;      // [batch, 1, region, attention_dim]
    Tensor key_powers;  // of `projected`
    Linear query;
    RecurrentCell cell;

    Memory first(Index rows) const;
  };
  struct Moved {
    RecurrentState state;
    Var context;          // z: [row, dim]
    Var scores, weights;  // [row, region]
    // While regions are drawn:
    Var log_weights{};
    Ids region{};
    Var soft_h{}, soft_context{};  // had they been read softly; no gradients
  };

  Memory remember(const Var& regions) const;
  RecurrentState start(const Var& regions) const;
  // What a word, of one or of all steps, does to the next one.
  struct Heard {
    Var word;   // [row, embedding_dim]
    Var gates;  // [row, 4 hidden]: what it adds
    Var query;  // [row, attention_dim]: how it asks; or none

    Heard part(Index begin, Index end) const;
  };
  Heard hear(const Var& word) const;
  // One step. drawn [row, 1]: which rows read a drawn region; none: all read softly, or the
  // likeliest if this one is hard and not training.
  Moved advance(const Memory& memory, const RecurrentState& state, const Heard& heard,
                const Tensor& drawn, Run& run) const;
  Var speak(const Var& word, const Var& state, const Var& context, Run& run) const;

  CaptionerOptions options_;
  ImageEncoder encoder_;
  Embedding words_;
  Mlp start_state_, start_memory_;
  AdditiveAttention attention_;
  Linear word_query_;  // where the last word asks
  Linear gate_;        // beta
  Linear word_;        // what a word adds to the gates
  RecurrentCell cell_;
  Linear speak_state_, speak_context_;  // L_h, L_z
  Linear output_;                       // L_o
  Tensor baseline_;                     // hard: [1]
};

struct CaptionLossOptions {
  // Of the doubly stochastic penalty, sum over regions of (1 - sum over words of weights)^2
  // (4.2.1): every region is to be looked at sometime.
  float penalty = 1;
  float reward = 1;        // of the score-function term, lambda_r
  float entropy = 0.002f;  // of the entropy bonus, lambda_e
  float label_smoothing = 0;
  // Of how far the eyes move, sum over words of |weights - weights of the word before|^2: they rest
  // on what is spoken of until they have to move. Most words are settled by those before them, and
  // without this nothing tells where to look for such a word. Not in the paper.
  float rest = 0;
};

// What training makes small, summed over captions. Of a drawn region counts what depends on it: the
// word it is drawn for, and those behind it if the state recalls looks. The baseline of the word is
// what reading softly would have given (the paper: as of all others); of those behind it the moving
// average 0.9 / 0.1 of a word's log probability, which moves.
struct CaptionLoss {
  Var total;
  double cross_entropy = 0;
};
CaptionLoss caption_loss(Captioner& captioner, const CaptionReading& reading,
                         const CaptionBatch& batch, const CaptionLossOptions& options);

}  // namespace fovea
