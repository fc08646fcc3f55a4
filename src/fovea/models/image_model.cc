#include "fovea/models/image_model.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/io/base64.h"
#include "fovea/io/png.h"
#include "fovea/io/source.h"
#include "fovea/models/answer_model.h"
#include "fovea/models/caption_model.h"
#include "fovea/models/class_model.h"
#include "fovea/models/glimpse_model.h"
#include "fovea/models/image_encoder.h"
#include "fovea/models/model_file.h"

namespace fovea {
namespace {

using Load = std::unique_ptr<ImageModel> (*)(const std::string& path);

// Every task that looks at pictures, with the function that reads its models.
struct ImageTask {
  const char* name;
  Load load;
};
template <auto load_model>
std::unique_ptr<ImageModel> load(const std::string& path) {
  return std::make_unique<decltype(load_model(path))>(load_model(path));
}
constexpr ImageTask kTasks[] = {{"answer", load<load_answer_model>},
                                {"caption", load<load_caption_model>},
                                {"classify", load<load_class_model>},
                                {"glimpse", load<load_glimpse_model>}};

Trace::Box trace_box(const Box& box) { return {box.left, box.top, box.right, box.bottom}; }

}  // namespace

void save(ImageModel& model, const std::string& path) {
  write_model(path, {.task = model.task(),
                     .options = model.options_text(),
                     .parts = model.parts(),
                     .training = model.training,
                     .tensors = model.tensors()});
}

std::unique_ptr<ImageModel> load_image_model(const std::string& path) {
  const std::string task = task_of(path);
  for (const ImageTask& known : kTasks) {
    if (task == known.name) return known.load(path);
  }
  fail("{}: a model of task {}, which does not look at pictures", path, in_quotes(task));
}

bool is_image_task(const std::string& task) {
  return std::any_of(std::begin(kTasks), std::end(kTasks),
                     [&](const ImageTask& known) { return task == known.name; });
}

Image prepared(const Image& image, const ImageInput& input) {
  Image result = with_channels(image, input.channels);
  if (input.any_size || (image.width == input.width && image.height == input.height)) return result;
  return resized(result, input.width, input.height);
}

WorldPicture prepared(WorldPicture picture, const ImageInput& input) {
  const Image image = prepared(picture.image, input);
  const float x = static_cast<float>(image.width) / static_cast<float>(picture.image.width);
  const float y = static_cast<float>(image.height) / static_cast<float>(picture.image.height);
  const auto move = [&](Box& box) {
    box = {x * box.left, y * box.top, x * box.right, y * box.bottom};
  };
  move(picture.subject);
  for (NamedBox& one : picture.truth) move(one.box);
  for (WorldQuestion& one : picture.questions)
    std::for_each(one.boxes.begin(), one.boxes.end(), move);
  picture.image = image;
  return picture;
}

Trace image_trace(const ImageModel& model, const Image& image) {
  Trace trace;
  trace.task = model.task();
  trace.model = model.kind();
  trace.image = Trace::Image{image.width, image.height, to_base64(encode_png(image))};
  return trace;
}

Trace::Axis region_axis(const std::string& name, Index rows, Index columns, const Image& image) {
  Trace::Axis axis{.name = name, .kind = "regions"};
  const std::vector<Box> boxes = region_boxes(rows, columns, image.width, image.height);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto at = static_cast<Index>(i);
    axis.labels.push_back({.text = fmt::format("{},{}", at % columns, at / columns),
                           .word = at,
                           .box = trace_box(boxes[i])});
  }
  return axis;
}

Trace::Axis truth_axis(const WorldPicture& picture, const std::string& question) {
  Trace::Axis axis{.name = "truth", .kind = "regions"};
  if (question.empty()) {
    for (const NamedBox& one : picture.truth) {
      axis.labels.push_back({.text = one.name, .box = trace_box(one.box)});
    }
  } else if (const WorldQuestion* known = known_question(picture, question)) {
    for (const Box& box : known->boxes) {
      axis.labels.push_back({.text = known->answer, .box = trace_box(box)});
    }
    if (known->boxes.empty()) axis.labels.push_back({.text = known->answer});
  }
  return axis;
}

std::vector<Trace::Choice> likeliest(std::span<const float> probabilities,
                                     std::span<const std::string> classes, Index most) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return probabilities[a] > probabilities[b];
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(most)));
  std::vector<Trace::Choice> choices;
  for (const std::size_t i : order) choices.push_back({classes[i], probabilities[i]});
  return choices;
}

std::vector<ImageSaid> said_of(const Var& logits, std::span<const std::string> classes) {
  const Tensor p = softmax(logits).value().packed();
  std::vector<ImageSaid> said;
  for (Index i = 0; i < p.shape(0); ++i) {
    ImageSaid& one = said.emplace_back();
    one.choices = likeliest(p.slice(0, i, i + 1).flat(), classes);
    one.text = one.choices[0].text;
  }
  return said;
}

}  // namespace fovea
