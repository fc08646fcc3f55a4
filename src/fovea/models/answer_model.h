// A model that answers questions about pictures, with its words and answers: what a model file
// holds.
#pragma once

#include "fovea/data/tokenizer.h"
#include "fovea/models/answerer.h"
#include "fovea/models/image_model.h"

namespace fovea {

class AnswerModel final : public ImageModel {
 public:
  // Sizes of the vocabularies are set to what `words` and `answers` have.
  AnswerModel(AnswererOptions options, Tokenizer words, std::vector<std::string> answers,
              Random random);
  static AnswerModel load(const std::string& path);
  void save(const std::string& path) const;

  std::string task() const override { return "answer"; }
  std::string kind() const override { return options_.attends ? "attention" : "mean"; }
  ImageInput input() const override;
  bool asks() const override { return true; }
  std::vector<std::string> classes() const override { return answers_; }
  NamedTensors tensors() override { return named_tensors(net_); }
  const std::map<std::string, std::string>& training() const override { return training_; }

  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  Seen see(const Var& pixels, const std::string& question) const override;
  const ImageEncoder* encoder() const override { return &net_.encoder(); }

  Answerer& net() { return net_; }
  const Answerer& net() const { return net_; }
  const Tokenizer& words() const { return words_; }
  std::int32_t answer_id(const std::string& answer) const;  // -1: it is none of its answers
  std::string options_text() const;
  std::map<std::string, std::string>& training_notes() { return training_; }

 private:
  Questions asked(const std::string& question, Index images) const;

  AnswererOptions options_;
  Tokenizer words_;
  std::vector<std::string> answers_;
  Answerer net_;
  std::map<std::string, std::string> training_;
};

std::unique_ptr<ImageModel> load_answer_model(const std::string& path);

}  // namespace fovea
