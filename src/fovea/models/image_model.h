// What every model that looks at pictures offers to those who run, explain or serve it.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "fovea/attention/trace.h"
#include "fovea/data/world_picture.h"
#include "fovea/layers/parameters.h"

namespace fovea {

struct ImageInput {
  Index width = 0, height = 0, channels = 0;
  bool any_size = false;  // width and height are what it was trained with, others are fine
};

struct ImageSaid {
  std::string text{};                    // a caption, an answer, a class
  std::vector<Trace::Choice> choices{};  // the likeliest, the best first; of a caption none
};

struct ImageEncoder;

class ImageModel {
 public:
  virtual ~ImageModel() = default;

  virtual std::string task() const = 0;  // "caption"
  virtual std::string kind() const = 0;  // how it looks: "soft"
  virtual ImageInput input() const = 0;
  virtual bool asks() const { return false; }            // wants a question beside the picture
  virtual std::vector<std::string> classes() const = 0;  // that it chooses from; of captions none
  virtual NamedTensors tensors() = 0;
  virtual std::string options_text() const = 0;
  virtual std::map<std::string, std::string> parts() const = 0;  // what else its file holds

  std::map<std::string, std::string> training{};  // how it was trained, by name

  // About each picture; they are as prepared() made them. `question` is empty unless asks().
  virtual std::vector<ImageSaid> say(std::span<const Image> images,
                                     const std::string& question) const = 0;
  // The same for one, and where it looked.
  virtual Trace trace(const Image& image, const std::string& question) const = 0;

  // From pixels to classes, for those who explain it from outside.
  struct Seen {
    Var logits;  // [row, class]
    Var grid;    // [row, dim, rows, columns] behind the last convolution; none where there is none
  };
  // pixels [row, channel, height, width], from 0 to 1
  virtual Seen see(const Var& pixels, const std::string& question) const = 0;
  virtual const ImageEncoder* encoder() const { return nullptr; }  // that made the grid
};

void save(ImageModel& model, const std::string& path);

// By what the file says its task is.
std::unique_ptr<ImageModel> load_image_model(const std::string& path);
bool is_image_task(const std::string& task);

// As the model wants it: resized, grey or in colours.
Image prepared(const Image& image, const ImageInput& input);
// With all its boxes.
WorldPicture prepared(WorldPicture picture, const ImageInput& input);

// --- what their Traces share (docs/formats.md)

// With task, kind and the picture.
Trace image_trace(const ImageModel& model, const Image& image);

// A label for each cell of a grid over the picture, row by row.
Trace::Axis region_axis(const std::string& name, Index rows, Index columns, const Image& image);

// What is known: of a question its answer and where that is to be seen, else all that is there.
Trace::Axis truth_axis(const WorldPicture& picture, const std::string& question);

// The likeliest of probabilities [class], the best first.
std::vector<Trace::Choice> likeliest(std::span<const float> probabilities,
                                     std::span<const std::string> classes, Index most = 10);

// Of logits [picture, class]: the likeliest class of each picture.
std::vector<ImageSaid> said_of(const Var& logits, std::span<const std::string> classes);

}  // namespace fovea
