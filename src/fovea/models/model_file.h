// What every file that fovea train writes says about itself (docs/formats.md).
#pragma once

#include <map>
#include <string>

#include "fovea/layers/parameters.h"

namespace fovea {

struct SavedModel {
  std::string task{};                             // "translate"
  std::string options{};                          // options_text.h
  std::map<std::string, std::string> parts{};     // what else it needs: "tokenizer.source"
  std::map<std::string, std::string> training{};  // how it was trained, for people
  NamedTensors tensors{};
};

void write_model(const std::string& path, const SavedModel& model);

// Fails where the file is of another task or of a newer version.
SavedModel read_model(const std::string& path, const std::string& task);

// parts[name]; fails where it is missing.
const std::string& part_of(const SavedModel& model, const std::string& name,
                           const std::string& path);

// The task of a model file, from its header alone.
std::string task_of(const std::string& path);

}  // namespace fovea
