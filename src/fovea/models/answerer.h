// Questions about images, answered by looking: the question, and what was read so far, choose the
// regions to read next (stacked attention, Yang et al. 2016):
//
//   weights = softmax over regions of w' tanh(W known + U region)
//   known   = norm(known + what a small network makes of [known; glimpse])
//
// once for each hop, each with weights of its own. Known is the question at first; the answer is
// chosen from what is known after the last hop.
#pragma once

#include <span>
#include <vector>

#include "fovea/base/enum_names.h"
#include "fovea/layers/additive_attention.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/recurrent.h"
#include "fovea/layers/transformer_block.h"
#include "fovea/models/image_encoder.h"

namespace fovea {

enum class QuestionReader { kGru, kSelf };
constexpr std::array<const char*, 2> names_of(QuestionReader) { return {"gru", "self"}; }

struct AnswererOptions {
  ImageEncoderOptions image{};
  QuestionReader reader = QuestionReader::kGru;
  Index width = 64, height = 64;  // that it is trained with
  Index words = 0, answers = 0;   // how many there are
  Index word_dim = 64;
  Index reader_dim = 128;  // of each direction of a recurrent reader
  Index hidden = 128, attention_dim = 128;
  Index hops = 3;
  bool attends = true;          // else every region counts alike: what attention is worth
  Index heads = 4, layers = 1;  // of a self-attending reader
};

// Questions of equally many to each image; shorter ones are padded.
struct Questions {
  Ids words;                   // [image * question, time], those of an image side by side
  std::vector<Index> lengths;  // of each
};
Questions questions_of(std::span<const std::vector<std::int32_t>> questions);

struct Answering {
  Var logits;                   // [image * question, answer]
  Var grid;                     // [image, dim, rows, columns]: what was looked at
  std::vector<Attended> looks;  // of each hop, weights [image, 1, question, region]; none without
};

class Answerer {
 public:
  Answerer(const AnswererOptions& options, Random& random);

  // images [image, channel, height, width], of any size
  Answering operator()(const Var& images, const Questions& questions, Run& run) const;

  const AnswererOptions& options() const { return options_; }
  const ImageEncoder& encoder() const { return encoder_; }

  void visit(auto&& member) {
    member("image", encoder_);
    member("words", words_);
    member("recurrent", recurrent_);
    member("blocks", blocks_);
    member("question", question_);
    member("hops", hops_);
    member("hidden", hidden_);
    member("output", output_);
  }

 private:
  struct Hop {
    AdditiveAttention attention;
    Linear inner, outer;
    LayerNorm norm;

    void visit(auto&& member) {
      member("attention", attention);
      member("inner", inner);
      member("outer", outer);
      member("norm", norm);
    }
  };

  Var read(const Questions& questions, Run& run) const;  // [image * question, hidden]

  AnswererOptions options_;
  ImageEncoder encoder_;
  Embedding words_;
  RecurrentStack recurrent_;
  std::vector<EncoderBlock> blocks_;
  Linear question_;
  std::vector<Hop> hops_;
  Linear hidden_, output_;
};

}  // namespace fovea
