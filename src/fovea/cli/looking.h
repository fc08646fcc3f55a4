// What run and explain do with models that look at pictures.
#pragma once

#include "fovea/cli/verb.h"
#include "fovea/models/image_model.h"

namespace fovea::cli {

void add_question_flag(Arguments& app, std::string& question);

// A picture that was named: a file, or one of a built-in world as "scene:17"
// (data/world_picture.h). As the model wants it, with what is known to be on it.
WorldPicture named_picture(const std::string& name, const ImageInput& input);

// Fails where a question is missing, or is of no use.
void check_question(const ImageModel& model, const std::string& path, const std::string& question);

// fovea run: a line for each picture.
struct RunPictures {
  std::string model{};
  std::vector<std::string> pictures{};
  std::string question{};
  std::string features{};  // instead of pictures, of captioners that take them
  bool json = false;
};
void run_pictures(const RunPictures& work, std::ostream& out);

}  // namespace fovea::cli
