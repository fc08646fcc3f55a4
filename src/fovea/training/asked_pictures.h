// Pictures with questions and answers: drawn from the built-in world of football scenes without
// end, or read from files. A label is the answer to a question without words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/data/augment.h"
#include "fovea/data/picture_texts.h"
#include "fovea/data/split.h"

namespace fovea {

struct AskedQuestion {
  std::string text{}, answer{};
  std::string kind{};        // "colour"; empty where kinds are not known
  std::vector<Box> boxes{};  // where the answer is to be seen; empty where that is not known
};

struct AskedPicture {
  Image image{};
  std::vector<AskedQuestion> questions{};
};

struct AskedBatches {
  Index pictures = 32;  // of a batch
  Index questions = 8;  // about each, at most
  std::uint64_t seed = 1;
};

class AskedPictures {
 public:
  virtual ~AskedPictures() = default;

  // Batch `number` (from 0, without end) to learn from.
  virtual std::vector<AskedPicture> batch(Index number) const = 0;
  // Pictures [begin, end) of those that are never learnt from, with all their questions.
  virtual std::vector<AskedPicture> held_out(Index begin, Index end) const = 0;
  virtual Index held_out_count() const = 0;

  // Of what is learnt from: enough to know all words and all answers.
  virtual std::vector<AskedQuestion> texts() const = 0;
  virtual std::string fingerprint() const = 0;  // of other data, another one
};

struct AskedScenes {
  // kQuestions: several about each picture to learn from; one of each kind where it is held out.
  // kKicker: which colour the one who kicks the ball wears, as a label.
  enum class What { kQuestions, kKicker };
  What what = What::kQuestions;
  Index size = 64;
  Split held_out = Split::kValid;
  Index held_out_count = 500;
};
std::unique_ptr<AskedPictures> asked_scenes(const AskedScenes& scenes, const AskedBatches& batches);

// Pictures of files, each seen once in an epoch, with questions that are drawn anew.
struct AskedFiles {
  QuestionedPictures train{}, held_out{};
  AugmentOptions augment{};  // of those to learn from
};
std::unique_ptr<AskedPictures> asked_files(AskedFiles files, const AskedBatches& batches);

QuestionedPictures questioned(LabelledPictures pictures);

}  // namespace fovea
