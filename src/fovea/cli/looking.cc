#include "fovea/cli/looking.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fovea/cli/captioning.h"
#include "fovea/cli/text.h"
#include "fovea/data/utf8.h"
#include "fovea/io/image_file.h"
#include "fovea/models/caption_model.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string as_json(const std::string& name, const ImageSaid& said, const std::string& question) {
  Json json = {{"picture", name}};
  if (!question.empty()) json["question"] = question;
  json["text"] = said.text;
  for (const Trace::Choice& choice : said.choices) {
    json["choices"].push_back({{"text", choice.text}, {"probability", choice.probability}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void run_features(const RunPictures& work, std::ostream& out) {
  const CaptionModel model = load_reader_of_features(work.model);
  if (!work.pictures.empty()) {
    throw UsageError("--features: they stand for the pictures, so name none");
  }
  const Tensor features = read_features(work.features);
  for (Index row = 0; row < features.shape(0); ++row) {
    const std::string said = model.captions(annotations_of(model, features, row))[0];
    out << (work.json ? as_json(std::to_string(row), {.text = said}, {}) : said + "\n")
        << std::flush;
  }
}

}  // namespace

void add_question_flag(Arguments& app, std::string& question) {
  app.add_option("--question", question, "for a model that answers questions about pictures")
      ->type_name("TEXT");
}

WorldPicture named_picture(const std::string& name, const ImageInput& input) {
  auto found = world_picture(name, input.width);
  std::error_code unknown;
  if (!found && (name.starts_with("scene:") || name.starts_with("digit:")) &&
      !std::filesystem::exists(name, unknown)) {
    fail("{}: pictures of the built-in worlds have numbers, as {}1", in_quotes(name),
         name.substr(0, 6));
  }
  return prepared(found ? std::move(*found) : WorldPicture{read_image(name)}, input);
}

void check_question(const ImageModel& model, const std::string& path, const std::string& question) {
  if (model.asks() && question.empty()) {
    throw UsageError(fmt::format("{} answers questions about pictures: ask with --question \"...\"",
                                 printable(path)));
  }
  if (!model.asks() && !question.empty()) {
    throw UsageError(fmt::format("--question: {} is a model of task '{}', which takes none",
                                 printable(path), model.task()));
  }
}

void run_pictures(const RunPictures& work, std::ostream& out) {
  if (!work.features.empty()) return run_features(work, out);
  const auto model = load_image_model(work.model);
  check_question(*model, work.model, work.question);
  if (work.pictures.empty()) {
    throw UsageError(
        fmt::format("{} looks at pictures: name some, files or of a built-in world as {}",
                    printable(work.model), model->input().channels == 1 ? "digit:1" : "scene:1"));
  }
  for (const std::string& name : work.pictures) {
    const Image image = named_picture(name, model->input()).image;
    const ImageSaid said = model->say(std::span(&image, 1), work.question)[0];
    if (work.json) {
      out << as_json(name, said, work.question);
    } else if (work.pictures.size() > 1) {
      out << printable(name) << '\t' << said.text << '\n';
    } else {
      out << said.text << '\n';
    }
    out << std::flush;
  }
}

}  // namespace fovea::cli
