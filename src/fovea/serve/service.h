// Service: the answers of the API, without any network: JSON in, JSON out, by the library.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fovea/models/translation_model.h"
#include "fovea/serve/picturing.h"

namespace fovea {

struct ServedModel {
  std::string name;
  std::variant<TranslationModel, PictureModel> model;
};

// Any file that fovea train has written and that can be served.
ServedModel load_served_model(const std::string& name, const std::string& path);

// Names for model files: without folder and ending; what is there twice gets a number.
std::vector<std::string> served_names(const std::vector<std::string>& paths);

// One request on its way.
struct Effort {
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, decoding ends with an Error
  Index input_pieces = 0, output_pieces = 0;
};

// Any number of threads may ask at once; an answer depends on its request alone, apart from the
// seconds in it. All throw Refusal.
class Service {
 public:
  Service(std::vector<ServedModel> models, Index longest);  // in pieces of an input

  const std::string& models() const { return list_; }
  std::string run(std::string_view body, Effort& effort) const;
  std::string explain(std::string_view body, Effort& effort) const;
  std::string pictures(std::string_view body) const;
  std::string attend(std::string_view body) const;

 private:
  const ServedModel& find(const std::string& name) const;
  // The sentence that is asked about.
  const std::string& sentence(const TranslationModel& model, const std::string& name,
                              const Subject& subject, const char* route, Effort& effort) const;

  std::vector<ServedModel> models_;
  Index longest_;
  std::string list_;
};

}  // namespace fovea
