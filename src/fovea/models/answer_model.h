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

  Tokenizer words;
  std::vector<std::string> answers;
  Answerer net;

  std::string task() const override { return "answer"; }
  std::string kind() const override { return net.options().attends ? "attention" : "mean"; }
  ImageInput input() const override;
  bool asks() const override { return true; }
  std::vector<std::string> classes() const override { return answers; }
  NamedTensors tensors() override { return named_tensors(net); }
  std::string options_text() const override;
  std::map<std::string, std::string> parts() const override;

  std::vector<ImageSaid> say(std::span<const Image> images,
                             const std::string& question) const override;
  Trace trace(const Image& image, const std::string& question) const override;
  Seen see(const Var& pixels, const std::string& question) const override;
  const ImageEncoder* encoder() const override { return &net.encoder(); }

  std::int32_t answer_id(const std::string& answer) const;  // -1: it is none of its answers

 private:
  Questions asked(const std::string& question, Index images) const;
};

AnswerModel load_answer_model(const std::string& path);

}  // namespace fovea
