#include "fovea/cli/explain_pictures.h"

#include <cmath>
#include <ostream>

#include "fovea/cli/captioning.h"
#include "fovea/cli/looking.h"
#include "fovea/cli/text.h"
#include "fovea/explain/image_check.h"
#include "fovea/io/image_file.h"

namespace fovea::cli {
namespace {

struct Case {
  WorldPicture picture;
  std::string question{};
};

// Picture i of the built-in world that a model of this task is at home in.
Case world_case(const ImageModel& model, std::uint64_t seed, Index i) {
  const bool digits = model.input().channels == 1;
  const auto number = static_cast<std::uint64_t>(i) + seed * 1'000'000;
  Case result{.picture = named_picture(fmt::format("{}:{}", digits ? "digit" : "scene", number),
                                       model.input())};
  // A kind of question after the other, as they stand there.
  const auto& asked = result.picture.questions;
  if (model.asks()) result.question = asked[static_cast<std::size_t>(i) % asked.size()].text;
  return result;
}

class Explainer {
 public:
  explicit Explainer(const ExplainPictures& work) : model_(load_image_model(work.model)) {
    const MethodFlags& f = work.methods;
    if (!f.data.empty()) {
      throw UsageError("--data: name the pictures themselves; this model looks at pictures");
    }
    if (f.world == 0) check_question(*model_, work.model, work.question);
    if (!f.names.empty() || f.check) {
      names_ = parse_image_methods(f.names.empty() ? "all" : f.names, *model_);
    }
    if (f.check) check_.emplace(*model_, load_image_model(work.model));
  }

  const ImageModel& model() const { return *model_; }

  Trace explain(const Case& one) {
    Trace trace = model_->trace(one.picture.image, one.question);
    const bool built_in = !one.picture.truth.empty();
    if (built_in) trace.axes.push_back(truth_axis(one.picture, one.question));
    std::vector<std::string> names = names_;
    const bool looked = !trace.heads.empty() || !trace.labels("glimpses").empty();
    if (names.empty() && !looked) names = {default_image_method(*model_)};
    if (!names.empty()) {
      explain_picture(*model_, one.picture.image, one.question, names, {}, trace);
    }
    if (check_) {
      const auto boxes = built_in ? boxes_about(one.picture, one.question) : std::vector<Box>();
      (*check_)(one.picture.image, one.question, boxes, trace);
      figures_.push_back(trace.methods);
      for (Trace::Method& method : figures_.back()) method.weights = Tensor();
    }
    return trace;
  }

  const std::vector<std::vector<Trace::Method>>& figures() const { return figures_; }

 private:
  std::unique_ptr<ImageModel> model_;
  std::vector<std::string> names_;
  std::optional<ImageCheck> check_;
  std::vector<std::vector<Trace::Method>> figures_;
};

// Small enough for a page that holds it.
Image for_drawing(const Image& image) {
  constexpr Index kLongest = 512;
  const double scale = std::min(1.0, static_cast<double>(kLongest) /
                                         static_cast<double>(std::max(image.width, image.height)));
  const auto scaled = [&](Index side) {
    return std::max<Index>(1, std::lround(static_cast<double>(side) * scale));
  };
  return prepared(
      image,
      {.width = scaled(image.width), .height = scaled(image.height), .channels = image.channels});
}

void explain_features(const ExplainPictures& work, const std::function<void(Trace)>& draw) {
  const CaptionModel model = load_reader_of_features(work.model);
  const Tensor features = read_features(work.features);
  const Index count = features.shape(0), regions = features.shape(1);
  if (std::ssize(work.pictures) != count) {
    throw UsageError(
        fmt::format("--features: {} has {}, so name as many pictures, in their order, not {}",
                    printable(work.features), counted(count, "row"), work.pictures.size()));
  }
  const Index side = std::lround(std::sqrt(static_cast<double>(regions)));
  if (side * side != regions) {
    fail("{}: {} regions are no square grid, so it is not known where they lie",
         printable(work.features), regions);
  }
  for (Index row = 0; row < count; ++row) {
    const std::string& name = work.pictures[static_cast<std::size_t>(row)];
    Trace trace = model.trace(for_drawing(read_image(name)), annotations_of(model, features, row),
                              {.rows = side, .columns = side});
    trace.input = name;
    draw(std::move(trace));
  }
}

}  // namespace

void explain_pictures(const ExplainPictures& work, const std::function<void(Trace)>& draw,
                      std::ostream& out) {
  if (!work.features.empty()) return explain_features(work, draw);
  Explainer explainer(work);
  const MethodFlags& f = work.methods;
  if (f.world == 0 && work.pictures.empty()) {
    throw UsageError(
        fmt::format("{} looks at pictures: name some, or pass --world N", printable(work.model)));
  }
  for (const std::string& name : work.pictures) {
    Trace trace =
        explainer.explain({named_picture(name, explainer.model().input()), work.question});
    if (trace.input.empty()) trace.input = name;
    draw(std::move(trace));
  }
  for (Index i = 0; i < f.world; ++i) {
    Trace trace = explainer.explain(world_case(explainer.model(), f.seed, i));
    if (!f.check || work.files) draw(std::move(trace));  // else the means say it all
  }
  if (explainer.figures().size() > 1 && work.summary) {
    out << figure_means(explainer.figures(), "picture");
  }
}

}  // namespace fovea::cli
