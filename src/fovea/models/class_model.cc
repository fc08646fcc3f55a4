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

ClassModel::ClassModel(ClassifierOptions options, std::vector<std::string> classes, Random random)
    : options_(sized(std::move(options), classes)),
      classes_(std::move(classes)),
      net_(options_, random) {}

std::string ClassModel::options_text() const { return options_to_text(kind(), options_); }

void ClassModel::save(const std::string& path) const {
  ClassModel shared = *this;  // its tensors are ours
  write_model(path, {.task = task(),
                     .options = options_text(),
                     .parts = {{"classes", names_to_text(classes_)}},
                     .training = training_,
                     .tensors = shared.tensors()});
}

ClassModel ClassModel::load(const std::string& path) {
  SavedModel saved = read_model(path, "classify");
  OptionsReader reader(saved.options, path);
  const auto options = options_from<ClassifierOptions>(reader);
  std::vector<std::string> classes = names_from_text(part_of(saved, "classes", path));
  if (options.classes != std::ssize(classes)) {
    fail("{}: the model has {} classes, but {} are listed; is it damaged?", path, options.classes,
         classes.size());
  }
  ClassModel model(options, std::move(classes), {.zeros = true});
  load_tensors(path, saved.tensors, model.tensors());
  model.training_ = std::move(saved.training);
  return model;
}

std::unique_ptr<ImageModel> load_class_model(const std::string& path) {
  return std::make_unique<ClassModel>(ClassModel::load(path));
}

ImageInput ClassModel::input() const {
  return {.width = options_.width, .height = options_.height, .channels = options_.image.channels};
}

std::int32_t ClassModel::class_id(const std::string& name) const {
  const auto found = std::find(classes_.begin(), classes_.end(), name);
  return found == classes_.end() ? -1 : static_cast<std::int32_t>(found - classes_.begin());
}

std::vector<ImageSaid> ClassModel::say(std::span<const Image> images, const std::string&) const {
  const NoGrad guard;
  Run run;
  const Tensor p = softmax(net_(Var(image_tensor(images)), run).logits).value().packed();
  std::vector<ImageSaid> said;
  for (Index i = 0; i < p.shape(0); ++i) {
    ImageSaid& one = said.emplace_back();
    one.choices = likeliest(p.slice(0, i, i + 1).flat(), classes_);
    one.text = one.choices[0].text;
  }
  return said;
}

Trace ClassModel::trace(const Image& image, const std::string&) const {
  const NoGrad guard;
  Run run;
  const Classifying seen = net_(Var(image_tensor(std::span(&image, 1))), run);
  Trace trace = image_trace(*this, image);
  trace.steps.push_back({likeliest(softmax(seen.logits).value().packed().flat(), classes_), {}});
  trace.output = trace.steps[0].choices[0].text;
  trace.axes.push_back(region_axis("regions", seen.grid.shape(2), seen.grid.shape(3), image));
  trace.axes.push_back({"target", "words", {{trace.output, 0}}});
  if (options_.self_attention) {
    trace.heads.push_back(
        {"self", 0, 0, "regions", "regions", seen.look.scores({}), seen.look.weights({})});
  }
  return trace;
}

ImageModel::Seen ClassModel::see(const Var& pixels, const std::string&) const {
  Run run;
  const Classifying seen = net_(pixels, run);
  return {seen.logits, seen.grid};
}

}  // namespace fovea
