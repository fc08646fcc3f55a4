#include "fovea/models/translation_model.h"

#include "fovea/base/error.h"
#include "fovea/models/model_file.h"

namespace fovea {

TranslationModel make_translation_model(TranslatorOptions options, const Tokenizer& source,
                                        const Tokenizer& target, bool joint, Random random) {
  std::visit(
      [&](auto& o) {
        o.source_vocab = source.size();
        o.target_vocab = target.size();
      },
      options);
  auto net = make_translator(options, random);
  return {options, source, target, joint, std::move(net)};
}

void save(const TranslationModel& model, const std::string& path) {
  SavedModel saved{.task = "translate",
                   .options = to_text(model.options),
                   .parts = {{"tokenizer.source", model.source.serialize()}},
                   .training = model.training,
                   .tensors = model.net->tensors()};
  if (!model.joint) saved.parts["tokenizer.target"] = model.target.serialize();
  write_model(path, saved);
}

TranslationModel load_translation_model(const std::string& path) {
  SavedModel saved = read_model(path, "translate");
  const auto tokenizer = [&](const std::string& side) {
    return Tokenizer::parse(part_of(saved, "tokenizer." + side, path),
                            path + ": " + side + " tokenizer");
  };
  const Tokenizer source = tokenizer("source");
  const bool joint = !saved.parts.contains("tokenizer.target");
  const Tokenizer target = joint ? source : tokenizer("target");
  const TranslatorOptions options = parse_translator_options(saved.options, path);
  std::visit(
      [&](const auto& o) {
        if (o.source_vocab != source.size() || o.target_vocab != target.size()) {
          fail("{}: the model has {} and {} words but its tokenizers {} and {}; is it damaged?",
               path, o.source_vocab, o.target_vocab, source.size(), target.size());
        }
      },
      options);
  TranslationModel model = make_translation_model(options, source, target, joint, {.zeros = true});
  load_tensors(path, saved.tensors, model.net->tensors());
  model.training = std::move(saved.training);
  return model;
}

}  // namespace fovea
