// A small model that answers questions, for tests.
#pragma once

#include "fovea/models/answer_model.h"

namespace fovea {

inline AnswererOptions small_answerer(bool attends = true,
                                      QuestionReader reader = QuestionReader::kGru) {
  return {.image = {.widths = {4, 6}},
          .reader = reader,
          .width = 16,
          .height = 12,
          .words = 9,
          .answers = 5,
          .word_dim = 8,
          .reader_dim = 6,
          .hidden = 10,
          .attention_dim = 7,
          .hops = 2,
          .attends = attends,
          .heads = 2};
}

inline const std::vector<std::string> kQuestions = {
    "what colour is the ball", "where is the player in red", "how many players are there"};

inline AnswerModel small_answer_model(bool attends = true) {
  const Tokenizer words = train_tokenizer(
      kQuestions, {.pieces = Pieces::kWords, .vocab_size = 100, .lower_case = true});
  return AnswerModel(small_answerer(attends), words, {"red", "left", "two"}, {.seed = 6});
}

inline Image some_picture(std::uint64_t seed = 1, Index width = 16, Index height = 12) {
  Image image{width, height, 3, {}};
  Random random{.seed = seed};
  for (Index i = 0; i < 3 * width * height; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  return image;
}

}  // namespace fovea
