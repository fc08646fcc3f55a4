#include "fovea/models/class_model.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/models/model_file.h"
#include "fovea/models/names_text.h"
#include "fovea/models/options_text.h"

namespace fovea {

void fields(auto& o, auto&& field) requires is_options<ClassifierOptions, decltype(o)> {
  fields(o.image, field);
  field("width", o.width);
  field("height", o.height);
  field("classes", o.classes);
  field("self_attention", o.self_attention);
}

namespace {

ClassifierOptions sized(ClassifierOptions options, const std::vector<std::string>& classes) {
  options.classes = std::ssize(classes);
  return options;
}

}  // namespace

ClassModel::ClassModel(ClassifierOptions options, std::vector<std::string> its_names, Random random)
    : names(std::move(its_names)), net(sized(std::move(options), names), random) {}

std::string ClassModel::options_text() const { return options_to_text(kind(), net.options()); }

std::map<std::string, std::string> ClassModel::parts() const {
  return {{"classes", names_to_text(names)}};
}

ClassModel load_class_model(const std::string& path) {
  SavedModel saved = read_model(path, "classify");
  OptionsReader reader(saved.options, path);
  const auto options = options_from<ClassifierOptions>(reader);
  std::vector<std::string> names = names_from_text(part_of(saved, "classes", path));
  if (options.classes != std::ssize(names)) {
    fail("{}: the model has {} classes, but {} are listed; is it damaged?", path, options.classes,
         names.size());
  }
  ClassModel model(options, std::move(names), {.zeros = true});
  load_tensors(path, saved.tensors, model.tensors());
  model.training = std::move(saved.training);
  return model;
}

ImageInput ClassModel::input() const {
  const ClassifierOptions& o = net.options();
  return {.width = o.width, .height = o.height, .channels = o.image.channels};
}

std::int32_t ClassModel::class_id(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<std::int32_t>(found - names.begin());
}

std::vector<ImageSaid> ClassModel::say(std::span<const Image> images, const std::string&) const {
  const NoGrad guard;
  Run run;
  return said_of(net(Var(image_tensor(images)), run).logits, names);
}

Trace ClassModel::trace(const Image& image, const std::string&) const {
  const NoGrad guard;
  Run run;
  const Classifying seen = net(Var(image_tensor(std::span(&image, 1))), run);
  Trace trace = image_trace(*this, image);
  trace.steps.push_back({likeliest(softmax(seen.logits).value().packed().flat(), names), {}});
  trace.output = trace.steps[0].choices[0].text;
  trace.axes.push_back(region_axis("regions", seen.grid.shape(2), seen.grid.shape(3), image));
  trace.axes.push_back({"target", "words", {{trace.output, 0}}});
  if (net.options().self_attention) {
    trace.heads.push_back(
        {"self", 0, 0, "regions", "regions", seen.look.scores({}), seen.look.weights({})});
  }
  return trace;
}

ImageModel::Seen ClassModel::see(const Var& pixels, const std::string&) const {
  Run run;
  const Classifying seen = net(pixels, run);
  return {seen.logits, seen.grid};
}

}  // namespace fovea
