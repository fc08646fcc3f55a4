#include "fovea/models/model_file.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/io/safetensors.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

constexpr const char* kVersion = "1";
constexpr std::string_view kPrefix = "fovea.", kTraining = "training.";

using Metadata = std::map<std::string, std::string>;

const std::string& entry(const Metadata& metadata, const std::string& name,
                         const std::string& path) {
  const auto found = metadata.find(name);
  if (found == metadata.end()) {
    fail("{}: '{}' is missing; is it a model that fovea train has written?", path, name);
  }
  return found->second;
}

}  // namespace

void write_model(const std::string& path, const SavedModel& model) {
  ModelFile file;
  file.tensors = model.tensors;
  file.metadata = {
      {"fovea.task", model.task}, {"fovea.version", kVersion}, {"fovea.model", model.options}};
  for (const auto& [name, value] : model.parts) file.metadata["fovea." + name] = value;
  for (const auto& [name, value] : model.training) file.metadata["fovea.training." + name] = value;
  write_safetensors(path, file);
}

SavedModel read_model(const std::string& path, const std::string& task) {
  ModelFile file = read_safetensors(path);
  SavedModel model;
  model.task = entry(file.metadata, "fovea.task", path);
  if (model.task != task) {
    fail("{}: a model of task {}, but '{}' is needed", path, in_quotes(model.task), task);
  }
  const std::string& version = entry(file.metadata, "fovea.version", path);
  if (version != kVersion) {
    fail("{}: a model of version {}, but this program reads version {}; use a newer fovea", path,
         in_quotes(version), kVersion);
  }
  for (const auto& [name, tensor] : file.tensors) {
    const std::span<const float> numbers = tensor.flat();
    if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); })) {
      fail("{}: tensor '{}' holds a number that is not finite; the file is damaged", path, name);
    }
  }
  model.options = entry(file.metadata, "fovea.model", path);
  model.tensors = std::move(file.tensors);
  for (const auto& [key, value] : file.metadata) {
    if (!key.starts_with(kPrefix)) continue;
    const std::string name = key.substr(kPrefix.size());
    if (name == "task" || name == "version" || name == "model") continue;
    if (name.starts_with(kTraining)) {
      model.training[name.substr(kTraining.size())] = value;
    } else {
      model.parts[name] = value;
    }
  }
  return model;
}

const std::string& part_of(const SavedModel& model, const std::string& name,
                           const std::string& path) {
  const auto found = model.parts.find(name);
  if (found == model.parts.end()) {
    fail("{}: 'fovea.{}' is missing; is it a model that fovea train has written?", path, name);
  }
  return found->second;
}

std::string task_of(const std::string& path) {
  const ModelHeader header = read_safetensors_header(path);
  const auto format = header.metadata.find("format");
  if (format != header.metadata.end() && format->second.starts_with("fovea checkpoint")) {
    fail("{}: a checkpoint; the command that left it makes a model of it with --finish", path);
  }
  const auto task = header.metadata.find("fovea.task");
  if (task == header.metadata.end()) {
    fail("{}: does not say what it was trained for; is it a model that fovea train has written?",
         path);
  }
  return task->second;
}

}  // namespace fovea
