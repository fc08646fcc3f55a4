#include "fovea/models/translation_model.h"

#include "fovea/base/error.h"
#include "fovea/io/safetensors.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

constexpr const char* kTask = "translate";
constexpr const char* kVersion = "1";
constexpr std::string_view kTrainingPrefix = "training.";

const std::string& metadata(const ModelFile& file, const std::string& key,
                            const std::string& path) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    fail("{}: '{}' is missing; is it a model that fovea train translate has written?", path, key);
  }
  return found->second;
}

}  // namespace

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
  ModelFile file;
  file.tensors = model.net->tensors();
  file.metadata = {{"fovea.task", kTask},
                   {"fovea.version", kVersion},
                   {"fovea.model", to_text(model.options)},
                   {"fovea.tokenizer.source", model.source.serialize()}};
  if (!model.joint) file.metadata["fovea.tokenizer.target"] = model.target.serialize();
  for (const auto& [key, value] : model.training) {
    file.metadata["fovea." + std::string(kTrainingPrefix) + key] = value;
  }
  write_safetensors(path, file);
}

TranslationModel load_translation_model(const std::string& path) {
  const ModelFile file = read_safetensors(path);
  const std::string& task = metadata(file, "fovea.task", path);
  if (task != kTask)
    fail("{}: a model of task {}, but '{}' is needed", path, in_quotes(task), kTask);
  const std::string& version = metadata(file, "fovea.version", path);
  if (version != kVersion) {
    fail("{}: a model of version {}, but this program reads version {}; use a newer fovea", path,
         in_quotes(version), kVersion);
  }
  const Tokenizer source =
      Tokenizer::parse(metadata(file, "fovea.tokenizer.source", path), path + ": source tokenizer");
  const bool joint = !file.metadata.contains("fovea.tokenizer.target");
  const Tokenizer target = joint ? source
                                 : Tokenizer::parse(metadata(file, "fovea.tokenizer.target", path),
                                                    path + ": target tokenizer");
  const TranslatorOptions options =
      parse_translator_options(metadata(file, "fovea.model", path), path);
  std::visit(
      [&](const auto& o) {
        if (o.source_vocab != source.size() || o.target_vocab != target.size()) {
          fail("{}: the model has {} and {} words but its tokenizers {} and {}; is it damaged?",
               path, o.source_vocab, o.target_vocab, source.size(), target.size());
        }
      },
      options);
  TranslationModel model = make_translation_model(options, source, target, joint, {.zeros = true});
  load_tensors(path, file.tensors, model.net->tensors());
  const std::string prefix = "fovea." + std::string(kTrainingPrefix);
  for (const auto& [key, value] : file.metadata) {
    if (key.starts_with(prefix)) model.training[key.substr(prefix.size())] = value;
  }
  return model;
}

}  // namespace fovea
