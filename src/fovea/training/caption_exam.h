// How good captions are: against what people say, and in the built-in world against the truth.
//
// Every caption is the model's own, word by word; nothing is teacher-forced.
#pragma once

#include <map>

#include "fovea/models/caption_model.h"
#include "fovea/training/bleu.h"
#include "fovea/training/caption_data.h"

namespace fovea {

struct Pointing {
  Index right = 0, words = 0;

  double share() const {
    return words == 0 ? 0 : static_cast<double>(right) / static_cast<double>(words);
  }
};

// What can be known of captions of built-in scenes.
struct SceneGrades {
  double true_captions = 0;    // share of captions of which every statement is so
  double true_statements = 0;  // share of statements
  // Of words with boxes (football::grounded): those whose largest weight points into one of them.
  Pointing pointing{};
  std::map<std::string, Pointing> pointing_of{};  // each word
};

struct CaptionGrades {
  std::vector<std::string> captions{};
  BleuScore bleu{};
  std::array<double, kBleuOrder> bleu_of{};  // BLEU-1 to BLEU-4, 0 to 100
  std::optional<SceneGrades> scenes{};
  double seconds = 0;  // of saying them
};

// Of the first `count` pictures.
CaptionGrades examine(const CaptionModel& model, const CaptionData& data, Index count,
                      const SearchOptions& search = caption_search());

}  // namespace fovea
