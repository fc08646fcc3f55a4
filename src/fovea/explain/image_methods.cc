#include "fovea/explain/image_methods.h"

#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/explain/grad_cam.h"
#include "fovea/explain/input_gradient.h"
#include "fovea/explain/integrated_gradients.h"
#include "fovea/explain/map.h"
#include "fovea/explain/occlusion.h"
#include "fovea/explain/saliency.h"
#include "fovea/explain/smooth_grad.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

constexpr Index kMostCells = 64;  // each way, of a map by pixels

struct Subject {
  const ImageModel& model;
  const Image& image;
  const std::string& question;
  Index label;
  ImageMethodOptions options;

  // The class's logit, of pixels as units: x [row, pixel, channel]
  Explained logit() const {
    const auto of = [this](const Var& x, const Ids&) {
      const Var pixels =
          reshape(transpose(x), {x.shape(0), image.channels, image.height, image.width});
      return squeeze(slice(model.see(pixels, question).logits, 1, label, label + 1), 1);
    };
    return {.outputs = 1, .one = of};
  }
  Tensor pixels() const {  // [pixel, channel]
    const Tensor planes = image_tensor(std::span(&image, 1));
    return planes.reshape({image.channels, -1}).transpose().packed();
  }
};

// A map over the picture, and the axis of its cells.
struct Found {
  Tensor map;  // [rows, columns]
  const char* axis;
  std::string about{};  // "": as the method's
};

Found by_pixels(const Subject& s, const Tensor& map) {
  return {aggregated(map.reshape({s.image.height, s.image.width}), kMostCells, kMostCells),
          "pixels"};
}

// The grid behind the last convolution, and what it says for the class.
struct Looked {
  Tensor pixels;
  GradCam cam;
};
Looked look_at(const Subject& s) {
  const Tensor pixels = image_tensor(std::span(&s.image, 1));
  const ImageModel::Seen seen = s.model.see(Var::parameter(pixels), s.question);
  return {pixels, grad_cam(seen.grid, squeeze(slice(seen.logits, 1, s.label, s.label + 1), 1))};
}

struct Method {
  const char* name;
  const char* about;
  bool has_sign;
  bool needs_grid;  // of a convolutional network
  Found (*map)(const Subject&);
};

constexpr Method kMethods[] = {
    {"saliency", "how much the class's score changes with each pixel", false, false,
     [](const Subject& s) { return by_pixels(s, saliency(s.logit(), s.pixels())); }},
    {"input-gradient", "what each pixel adds to the score, were it linear", true, false,
     [](const Subject& s) { return by_pixels(s, input_gradient(s.logit(), s.pixels())); }},
    {"integrated-gradients", "what each pixel adds to the score on the way from black", true, false,
     [](const Subject& s) {
       return by_pixels(
           s, integrated_gradients(s.logit(), s.pixels(), {.steps = s.options.steps}).map);
     }},
    {"smooth-grad", "saliency of the mean gradient over pictures with a little noise", false, false,
     [](const Subject& s) {
       return by_pixels(
           s, smooth_grad(s.logit(), s.pixels(),
                          {.samples = s.options.samples, .random = {.seed = s.options.seed}}));
     }},
    {"occlusion", "how much the class's probability falls when a cell is hidden", true, false,
     [](const Subject& s) -> Found {
       const Index side = s.options.cells;
       const Explained shown = shown_cells(s.model, s.image, s.question, s.label, side, side);
       const Tensor map = occlusion(shown, Tensor::full({side * side, 1}, 1));
       return {map.reshape({side, side}), "cells"};
     }},
    {"grad-cam", "", true, true,
     [](const Subject& s) -> Found {
       const GradCam cam = look_at(s).cam;
       return {cam.map.select(0, 0).packed(), "grid", cam.about(0)};
     }},
    {"guided-grad-cam", "Grad-CAM's positive part times guided backpropagation, by pixels", true,
     true,
     [](const Subject& s) {
       const Looked looked = look_at(s);
       return by_pixels(s, guided_grad_cam(looked.cam, *s.model.encoder(), looked.pixels));
     }},
};

const Method* find(const std::string& name) {
  const auto* const found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                         [&](const Method& m) { return name == m.name; });
  return found == std::end(kMethods) ? nullptr : found;
}

// An axis for a grid over the picture, once.
void need_axis(Trace& trace, const std::string& name, Index rows, Index columns,
               const Image& image) {
  if (trace.find_axis(name) == nullptr) {
    trace.axes.push_back(region_axis(name, rows, columns, image));
  }
}

// An axis with one label: the class that is explained. A model that believes something after every
// glimpse has several targets.
std::string class_axis(Trace& trace) {
  if (trace.labels("target").size() == 1) return "target";
  if (trace.find_axis("class") == nullptr) {
    trace.axes.push_back({.name = "class", .kind = "words", .labels = {{.text = trace.output}}});
  }
  return "class";
}

// Attention as one map among others: the last look before the class.
void add_attention(Trace& trace) {
  const Trace::Head* last = nullptr;
  for (const Trace::Head& head : trace.heads) {
    if (head.kind == "cross" && head.queries == "target" && head.weights) last = &head;
  }
  if (last == nullptr) return;
  trace.methods.push_back({.name = "attention",
                           .about = "the weights of the last look",
                           .queries = last->queries,
                           .keys = last->keys,
                           .weights = last->weights.packed()});
}

}  // namespace

Explained shown_cells(const ImageModel& model, const Image& image, const std::string& question,
                      Index label, Index rows, Index columns) {
  const Tensor picture = image_tensor(std::span(&image, 1)).packed();
  const Index plane = image.width * image.height;
  std::vector<float> mean;
  for (Index c = 0; c < image.channels; ++c) {
    double sum = 0;
    for (Index i = 0; i < plane; ++i) sum += static_cast<double>(picture.data()[c * plane + i]);
    mean.push_back(static_cast<float>(sum / static_cast<double>(plane)));
  }
  const Index width = image.width, height = image.height, channels = image.channels;
  const auto of = [&model, question, label, rows, columns, picture, mean, plane, width, height,
                   channels](const Var& x, const Ids&) {
    const Tensor shown = x.value().packed();
    const Index count = x.shape(0);
    Tensor pixels({count, channels, height, width});
    for (Index r = 0; r < count; ++r) {
      const float* cells = shown.data() + r * rows * columns;
      for (Index c = 0; c < channels; ++c) {
        float* to = pixels.data() + (r * channels + c) * plane;
        for (Index i = 0; i < plane; ++i) {
          const float share =
              cells[i / width * rows / height * columns + i % width * columns / width];
          to[i] = share * picture.data()[c * plane + i] +
                  (1 - share) * mean[static_cast<std::size_t>(c)];
        }
      }
    }
    const Var p = softmax(model.see(Var(pixels), question).logits);
    return squeeze(slice(p, 1, label, label + 1), 1);
  };
  return {.outputs = 1, .one = of};
}

Index chosen_class(const ImageModel& model, const Trace& trace) {
  const std::vector<std::string> classes = model.classes();
  const auto found = std::find(classes.begin(), classes.end(), trace.output);
  if (found == classes.end()) {
    fail("explain: {} is no class of this model, so that no method can explain it",
         in_quotes(trace.output));
  }
  return found - classes.begin();
}

std::vector<std::string> image_method_names() {
  std::vector<std::string> names = {"attention"};
  for (const Method& method : kMethods) names.push_back(method.name);
  return names;
}

std::vector<std::string> image_method_names(const ImageModel& model) {
  if (model.classes().empty()) return {};
  std::vector<std::string> names;
  if (model.task() == "answer" && model.kind() == "attention") names.push_back("attention");
  for (const Method& method : kMethods) {
    if (!method.needs_grid || model.encoder() != nullptr) names.push_back(method.name);
  }
  return names;
}

std::string default_image_method(const ImageModel& model) {
  return model.encoder() != nullptr ? "grad-cam" : "saliency";
}

std::vector<std::string> parse_image_methods(const std::string& names, const ImageModel& model) {
  const std::vector<std::string> known = image_method_names(model);
  if (known.empty()) {
    fail("--method: a model of task '{}' says words, not one class; its attention can be drawn",
         model.task());
  }
  if (names == "all") return known;
  std::vector<std::string> wanted;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail("--method {}: not known for this model; it has all, {}", in_quotes(name),
           fmt::join(known, ", "));
    }
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.push_back(name);
    begin = end + 1;
  }
  return wanted;
}

void explain_picture(const ImageModel& model, const Image& image, const std::string& question,
                     const std::vector<std::string>& names, const ImageMethodOptions& options,
                     Trace& trace) {
  const Subject subject{model, image, question, chosen_class(model, trace), options};
  const std::string queries = class_axis(trace);
  for (const std::string& name : names) {
    if (name == "attention") {
      add_attention(trace);
      continue;
    }
    const Method* method = find(name);
    const Found found = method->map(subject);
    const Index rows = found.map.shape(0), columns = found.map.shape(1);
    need_axis(trace, found.axis, rows, columns, image);
    trace.methods.push_back({.name = name,
                             .about = found.about.empty() ? method->about : found.about,
                             .has_sign = method->has_sign,
                             .queries = queries,
                             .keys = found.axis,
                             .weights = found.map.reshape({1, rows * columns})});
  }
}

}  // namespace fovea
