// The work of the API for models that look at pictures, and the built-in pictures themselves.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/models/image_model.h"
#include "fovea/serve/request.h"

namespace fovea {

// Larger pictures are refused before memory is taken for them.
constexpr Index kMostServedPixels = 16'000'000;

// What /api/models says of it.
nlohmann::ordered_json described_picture_model(const std::string& name, ImageModel& model);

// The answer of /api/run, but for the time it took.
nlohmann::ordered_json run_picture(const std::string& name, const ImageModel& model,
                                   const RunRequest& request);

// stop: when it becomes true, it ends with an Error before the next method.
Trace explain_picture(const std::string& name, const ImageModel& model,
                      const ExplainRequest& request, const std::atomic<bool>* stop = nullptr);

// The answer of /api/pictures.
std::string pictures_answer(const PicturesRequest& request);

}  // namespace fovea
