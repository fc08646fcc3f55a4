#include "fovea/models/glimpse_model.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/models/model_file.h"
#include "fovea/models/names_text.h"

namespace fovea {
namespace {

constexpr const char* kTask = "glimpse";
constexpr const char* kClasses = "classes";

Run same_for_each() { return {.random = {.seed = 1}}; }

Trace::Box box_around(const float* place, float side, const Image& image) {
  const auto pixels = static_cast<Index>(side + 0.5f);
  const auto left = static_cast<float>(first_pixel(place[0], image.width, pixels)),
             top = static_cast<float>(first_pixel(place[1], image.height, pixels));
  return {left, top, left + static_cast<float>(pixels), top + static_cast<float>(pixels)};
}

void add_glimpses(const GlimpseReading& reading, const GlimpseReaderOptions& o, const Image& image,
                  Trace& trace) {
  Trace::Axis glimpses{.name = "glimpses", .kind = "glimpses"};
  for (std::size_t i = 0; i < reading.places.size(); ++i) {
    const Tensor place = reading.places[i].packed();
    glimpses.labels.push_back({.text = std::to_string(i + 1),
                               .word = static_cast<Index>(i),
                               .box = box_around(place.data(), reading.sides[i].data()[0], image)});
  }
  Trace::Axis retina{.name = "retina", .kind = "scales"};
  for (Index scale = 0; scale < o.retina.scales; ++scale) {
    retina.labels.push_back({.text = std::to_string(o.retina.size << scale), .word = scale});
  }
  trace.axes.push_back(std::move(glimpses));
  trace.axes.push_back(std::move(retina));
}

void add_tiles(const GlimpseReading& reading, const GlimpseReaderOptions& o, const Image& image,
               Trace& trace) {
  trace.axes.push_back(region_axis("regions", o.tiles, o.tiles, image));
  const Index count = o.tiles * o.tiles;
  Tensor weights({static_cast<Index>(reading.tiles.size()), count});
  for (std::size_t i = 0; i < reading.tiles.size(); ++i) {
    const Tensor row = reading.tiles[i].packed();
    std::copy_n(row.data(), count, weights.data() + static_cast<Index>(i) * count);
  }
  trace.heads.push_back(
      {.kind = "cross", .queries = "glimpses", .keys = "regions", .weights = weights});
}

}  // namespace

GlimpseModel::GlimpseModel(const GlimpseReaderOptions& options,
                           std::vector<std::string> class_names, Random random)
    : net(options, random), names(std::move(class_names)) {
  if (static_cast<Index>(names.size()) != options.classes)
    fail("glimpse model: {} names for {} classes", names.size(), options.classes);
}

std::string GlimpseModel::kind() const { return name_of(net.options().looking); }

std::string GlimpseModel::options_text() const { return options_to_text(kTask, net.options()); }

std::map<std::string, std::string> GlimpseModel::parts() const {
  return {{kClasses, names_to_text(names)}};
}

ImageInput GlimpseModel::input() const {
  const GlimpseReaderOptions& o = net.options();
  return {o.width, o.height, o.channels, o.looking != Looking::kWhole};
}

std::vector<ImageSaid> GlimpseModel::say(std::span<const Image> images, const std::string&) const {
  const NoGrad guard;
  std::vector<ImageSaid> said;
  for (const Image& image : images) {
    Run run = same_for_each();
    said.push_back(said_of(net.read(image_tensor({&image, 1}), run).logits, names)[0]);
  }
  return said;
}

Trace GlimpseModel::trace(const Image& image, const std::string&) const {
  const NoGrad guard;
  const GlimpseReaderOptions& o = net.options();
  Run run = same_for_each();
  const GlimpseReading reading = net.read(image_tensor({&image, 1}), run, {.beliefs = true});
  Trace trace = image_trace(*this, image);
  if (!reading.places.empty()) add_glimpses(reading, o, image, trace);
  if (!reading.tiles.empty()) add_tiles(reading, o, image, trace);
  Trace::Axis target{.name = "target", .kind = "beliefs"};
  for (const Tensor& belief : reading.beliefs) {
    const Tensor p = belief.packed();
    trace.steps.push_back({.choices = likeliest(p.flat(), names, o.classes)});
    target.labels.push_back({.text = trace.steps.back().choices[0].text,
                             .word = static_cast<Index>(target.labels.size())});
  }
  trace.output = target.labels.back().text;
  trace.axes.push_back(std::move(target));
  return trace;
}

ImageModel::Seen GlimpseModel::see(const Var& pixels, const std::string&) const {
  Run run = same_for_each();
  if (!net.draws({})) return {net.read(pixels, run).logits, {}};
  std::vector<Var> rows;
  for (Index i = 0; i < pixels.shape(0); ++i) {
    run = same_for_each();
    rows.push_back(net.read(slice(pixels, 0, i, i + 1), run).logits);
  }
  return {concat(rows, 0), {}};
}

GlimpseModel make_glimpse_model(const GlimpseReaderOptions& options, Random random) {
  std::vector<std::string> names;
  for (Index i = 0; i < options.classes; ++i) names.push_back(std::to_string(i));
  return {options, std::move(names), random};
}

GlimpseModel load_glimpse_model(const std::string& path) {
  SavedModel saved = read_model(path, kTask);
  OptionsReader reader(saved.options, path);
  const auto options = options_from<GlimpseReaderOptions>(reader);
  std::vector<std::string> names = names_from_text(part_of(saved, kClasses, path));
  if (static_cast<Index>(names.size()) != options.classes) {
    fail("{}: the model has {} classes but {} names of them; is it damaged?", path, options.classes,
         names.size());
  }
  GlimpseModel model(options, std::move(names), {.zeros = true});
  load_tensors(path, saved.tensors, model.tensors());
  model.training = std::move(saved.training);
  return model;
}

}  // namespace fovea
