#include "fovea/cli/explain_pictures.h"

#include <ostream>

#include "fovea/cli/looking.h"
#include "fovea/cli/text.h"
#include "fovea/data/scene_world.h"
#include "fovea/explain/image_check.h"

namespace fovea::cli {
namespace {

// A picture to explain, with where what it is about is to be seen, if that is known.
struct Case {
  WorldPicture picture;
  std::string question{};
  std::vector<Box> boxes{};
};

// The box that a whole picture is about: the digit, or the player who kicks the ball.
std::vector<Box> main_box(const WorldPicture& picture) {
  for (const NamedBox& one : picture.truth) {
    if (picture.truth.size() == 1 || one.name.ends_with("kicking")) return {one.box};
  }
  return {};
}

Case given_case(const ExplainPictures& work, const ImageModel& model, const std::string& name) {
  Case result{.picture = named_picture(name, model.input()), .question = work.question};
  if (!model.asks()) result.boxes = main_box(result.picture);
  return result;
}

// Picture i of the built-in world that a model of this task is at home in.
Case world_case(const ImageModel& model, std::uint64_t seed, Index i) {
  const bool digits = model.input().channels == 1;
  const auto number = static_cast<std::uint64_t>(i) + seed * 1'000'000;
  Case result{.picture = named_picture(fmt::format("{}:{}", digits ? "digit" : "scene", number),
                                       model.input())};
  if (!model.asks()) {
    result.boxes = main_box(result.picture);
    return result;
  }
  const football::Scene scene = football::world_scene(1, Split::kTest, number, model.input().width);
  Random random = football::scene_random(1, Split::kTest, number).split(7);
  const football::SceneQuestion asked = football::sample_question(scene, random);
  result.question = asked.text;
  result.boxes = asked.boxes;
  return result;
}

class Explainer {
 public:
  explicit Explainer(const ExplainPictures& work)
      : work_(work), model_(load_image_model(work.model)) {
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
    if (!one.picture.truth.empty()) trace.axes.push_back(truth_axis(one.picture.truth));
    std::vector<std::string> names = names_;
    const bool looked = !trace.heads.empty() || !trace.labels("glimpses").empty();
    if (names.empty() && !looked) names = {default_image_method(*model_)};
    if (!names.empty()) {
      explain_picture(*model_, one.picture.image, one.question, names, {}, trace);
    }
    if (check_) {
      (*check_)(one.picture.image, one.question, one.boxes, trace);
      figures_.push_back(trace.methods);
      for (Trace::Method& method : figures_.back()) method.weights = Tensor();
    }
    return trace;
  }

  const std::vector<std::vector<Trace::Method>>& figures() const { return figures_; }

 private:
  const ExplainPictures& work_;
  std::unique_ptr<ImageModel> model_;
  std::vector<std::string> names_;
  std::optional<ImageCheck> check_;
  std::vector<std::vector<Trace::Method>> figures_;
};

}  // namespace

void explain_pictures(const ExplainPictures& work, const std::function<void(Trace)>& draw,
                      std::ostream& out) {
  Explainer explainer(work);
  const MethodFlags& f = work.methods;
  if (f.world == 0 && work.pictures.empty()) {
    throw UsageError(
        fmt::format("{} looks at pictures: name some, or pass --world N", printable(work.model)));
  }
  for (const std::string& name : work.pictures) {
    Trace trace = explainer.explain(given_case(work, explainer.model(), name));
    if (trace.input.empty()) trace.input = name;
    draw(std::move(trace));
  }
  for (Index i = 0; i < f.world; ++i) {
    Trace trace = explainer.explain(world_case(explainer.model(), f.seed, i));
    if (!f.check) draw(std::move(trace));
  }
  if (explainer.figures().size() > 1) {
    out << figure_means(explainer.figures(), "picture");
  }
}

}  // namespace fovea::cli
