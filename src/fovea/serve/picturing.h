// The work of the API for models that look at pictures, and the built-in pictures themselves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/models/image_model.h"
#include "fovea/serve/request.h"

namespace fovea {

// Larger pictures are refused before memory is taken for them.
constexpr Index kMostServedPixels = 16'000'000;

struct PictureModel {
  std::unique_ptr<ImageModel> model;
  std::function<std::unique_ptr<ImageModel>()> again;  // the same once more: to be shuffled
};

// What /api/models says of it.
nlohmann::ordered_json described(const std::string& name, const PictureModel& model);

// The answer of /api/run, but for the time it took.
nlohmann::ordered_json said_of_picture(const std::string& name, const PictureModel& model,
                                       const RunRequest& request);

// The answer of /api/explain. stop: when it becomes true, it ends with an Error before the next
// method.
Trace trace_of_picture(const std::string& name, const PictureModel& model,
                       const ExplainRequest& request, const std::atomic<bool>* stop);

// The answer of /api/pictures.
std::string pictures_answer(const PicturesRequest& request);

}  // namespace fovea
