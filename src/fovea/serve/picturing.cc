#include "fovea/serve/picturing.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/explain/image_check.h"
#include "fovea/explain/image_methods.h"
#include "fovea/io/base64.h"
#include "fovea/io/image_file.h"
#include "fovea/io/png.h"
#include "fovea/io/source.h"
#include "fovea/serve/reply.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// A model that takes any size gets at most so many times what it was trained with.
constexpr Index kMostTimesLarger = 4;
constexpr std::size_t kLongestQuestion = 1000;
// Gradient methods look at a picture some dozens of times.
constexpr Index kMostExplainedPixels = 65'536;
constexpr std::size_t kSuggested = 8;  // questions about a built-in picture

const char* world_of(const ImageModel& model) {
  return model.input().channels == 1 ? "digit" : "scene";
}

Index side_of(const ImageModel& model) {
  return std::min(std::min(model.input().width, model.input().height), kMostPictureSize);
}

struct Looked {
  WorldPicture picture{};  // as the model wants it
  std::string question{};
  bool built_in = false;  // what is on it is known
};

Image decoded(const std::string& text, const std::string& route) {
  const std::string name = fmt::format("{}: 'image'", route);
  const std::size_t comma = text.starts_with("data:") ? text.find(',') : text.npos;
  const std::string_view letters =
      std::string_view(text).substr(comma == text.npos ? 0 : comma + 1);
  const std::optional<std::string> bytes = from_base64(letters);
  if (!bytes) {
    refuse(400,
           "{} is {}, but the name of a built-in picture (scene:17, digit:5), or a PNG or JPEG in "
           "base64 is needed",
           name, in_quotes(text.size() > 40 ? text.substr(0, 40) + "..." : text));
  }
  try {
    return decode_image(*bytes, name, kMostServedPixels);
  } catch (const Error& error) {
    refuse(400, "{}", error.what());
  }
}

// No larger than what it may cost, at the same proportions.
Image fitted(const Image& image, const ImageInput& input) {
  const Index most = kMostTimesLarger * std::max(input.width, input.height);
  const Index longest = std::max(image.width, image.height);
  if (!input.any_size || longest <= most) return image;
  return resized(image, std::max<Index>(1, image.width * most / longest),
                 std::max<Index>(1, image.height * most / longest));
}

void check_subject(const std::string& name, const ImageModel& model, const Subject& subject,
                   bool searches, const std::string& route) {
  if (subject.input) {
    refuse(400, "{}: 'input' has no meaning for {}, which looks at pictures; send 'image'", route,
           in_quotes(name));
  }
  if (searches) {
    refuse(400, "{}: 'beams' and 'best' are for translators; leave them out for {}", route,
           in_quotes(name));
  }
  if (!subject.image) {
    refuse(400,
           "{}: 'image' is missing; give it the name of a built-in picture (scene:17, digit:5), or "
           "a PNG or JPEG in base64",
           route);
  }
  if (!model.asks() && subject.question) {
    refuse(400, "{}: 'question' has no meaning for {}, which is not asked; leave it out", route,
           in_quotes(name));
  }
  if (model.asks() && plain_question(subject.question.value_or("")).empty()) {
    refuse(400, "{}: 'question' is missing; ask {} something about the picture", route,
           in_quotes(name));
  }
  if (subject.question && subject.question->size() > kLongestQuestion) {
    refuse(413, "{}: 'question' has {} bytes, but at most {} are taken", route,
           subject.question->size(), kLongestQuestion);
  }
}

Looked looked_at(const ImageModel& model, const Subject& subject, const std::string& route) {
  auto found = world_picture(*subject.image, side_of(model));
  const bool built_in = found.has_value();
  WorldPicture picture = built_in
                             ? std::move(*found)
                             : WorldPicture{fitted(decoded(*subject.image, route), model.input())};
  return {prepared(std::move(picture), model.input()), subject.question.value_or(""), built_in};
}

// Layers and heads of a Trace that look across, or at all.
struct Looks {
  Index layers = 0, heads = 0;
};
Looks looks_of(const Trace& trace) {
  Looks looks;
  for (const Trace::Head& head : trace.heads) {
    looks.layers = std::max(looks.layers, head.layer + 1);
    looks.heads = std::max(looks.heads, head.head + 1);
  }
  return looks;
}

// The easiest way to know how a model looks is to let it look.
Trace first_look(const ImageModel& model) {
  const auto picture = world_picture(fmt::format("{}:0", world_of(model)), side_of(model));
  const std::string question =
      model.asks() && !picture->questions.empty() ? picture->questions[0].text : "";
  return model.trace(prepared(picture->image, model.input()), question);
}

// They explain one thing that is said; beliefs that follow each other are not.
std::vector<std::string> methods_of(const ImageModel& model, const Trace& trace) {
  return trace.labels("target").size() == 1 ? image_method_names(model)
                                            : std::vector<std::string>();
}

std::vector<std::string> chosen_methods(const std::vector<std::string>& wanted,
                                        const std::vector<std::string>& known,
                                        const std::string& name) {
  if (wanted == std::vector<std::string>{"all"}) return known;
  std::vector<std::string> chosen;
  for (const std::string& one : wanted) {
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      refuse(400, "/api/explain: there is no method {} for {}; there are {}", in_quotes(one),
             in_quotes(name), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
    }
    if (std::find(chosen.begin(), chosen.end(), one) == chosen.end()) chosen.push_back(one);
  }
  return chosen;
}

void check_pixels(const Image& image) {
  const Index pixels = image.width * image.height;
  if (pixels > kMostExplainedPixels) {
    refuse(413,
           "/api/explain: 'methods' take up to {} pixels, but the picture has {}; make it "
           "smaller, or use fovea explain",
           kMostExplainedPixels, pixels);
  }
}

Json box_of(const Box& box) { return {box.left, box.top, box.right, box.bottom}; }

}  // namespace

Json described(const std::string& name, const PictureModel& served) {
  ImageModel& model = *served.model;
  Index parameters = 0;
  for (const auto& [path, tensor] : model.tensors()) parameters += tensor.size();
  const ImageInput input = model.input();
  const Trace trace = first_look(model);
  const Looks looks = looks_of(trace);
  return {
      {"name", name},
      {"task", model.task()},
      {"model", model.kind()},
      {"parameters", parameters},
      {"attends", looks.heads > 0 || trace.find_axis("glimpses") != nullptr},
      {"layers", looks.layers},
      {"heads", looks.heads},
      {"methods", methods_of(model, trace)},
      {"examples", Json::array()},
      {"image", {{"width", input.width}, {"height", input.height}, {"channels", input.channels}}},
      {"asks", model.asks()},
      {"world", world_of(model)}};
}

Json said_of_picture(const std::string& name, const PictureModel& served,
                     const RunRequest& request) {
  const ImageModel& model = *served.model;
  check_subject(name, model, request.subject, request.searches, "/api/run");
  const Looked looked = looked_at(model, request.subject, "/api/run");
  const ImageSaid said = model.say(std::span(&looked.picture.image, 1), looked.question).front();
  Json choices = Json::array();
  for (const Trace::Choice& choice : said.choices) {
    choices.push_back({{"text", choice.text}, {"probability", choice.probability}});
  }
  return {{"model", name},
          {"question", looked.question},
          {"text", said.text},
          {"choices", std::move(choices)}};
}

Trace trace_of_picture(const std::string& name, const PictureModel& served,
                       const ExplainRequest& request, const std::atomic<bool>* stop) {
  const ImageModel& model = *served.model;
  check_subject(name, model, request.subject, request.searches, "/api/explain");
  const Looked looked = looked_at(model, request.subject, "/api/explain");
  Trace trace = model.trace(looked.picture.image, looked.question);
  if (looked.built_in) trace.axes.push_back(truth_axis(looked.picture, looked.question));
  const std::vector<std::string> known = methods_of(model, trace);
  std::vector<std::string> names = chosen_methods(request.methods, known, name);
  if (names.empty() && request.check) {
    if (known.empty()) refuse(400, "/api/explain: {} has no methods to check", in_quotes(name));
    names = {default_image_method(model)};
  }
  if (names.empty()) return trace;
  check_pixels(looked.picture.image);
  const auto go_on = [&] {
    if (stop != nullptr && *stop) fail("explain: stopped, as was asked");
  };
  for (const std::string& method : names) {
    go_on();
    explain_picture(model, looked.picture.image, looked.question, {method}, {}, trace);
  }
  go_on();
  if (request.check) {
    const ImageCheck measure(model, served.again());
    const auto boxes =
        looked.built_in ? boxes_about(looked.picture, looked.question) : std::vector<Box>();
    measure(looked.picture.image, looked.question, boxes, trace);
  }
  return trace;
}

std::string pictures_answer(const PicturesRequest& request) {
  Json pictures = Json::array();
  for (Index i = request.first; i < request.first + request.count; ++i) {
    const std::string name = fmt::format("{}:{}", request.world, i);
    const auto picture = world_picture(name, request.size);
    Json questions = Json::array(), boxes = Json::array();
    for (const WorldQuestion& one : picture->questions) {
      if (questions.size() < kSuggested) questions.push_back(one.text);
    }
    for (const NamedBox& one : picture->truth) {
      boxes.push_back({{"text", one.name}, {"box", box_of(one.box)}});
    }
    pictures.push_back({{"name", name},
                        {"width", picture->image.width},
                        {"height", picture->image.height},
                        {"png", to_base64(encode_png(picture->image))},
                        {"about", picture->about},
                        {"questions", std::move(questions)},
                        {"boxes", std::move(boxes)}});
  }
  return Json{{"pictures", std::move(pictures)}}.dump();
}

}  // namespace fovea
