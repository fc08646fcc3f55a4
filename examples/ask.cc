// Learns for some seconds to answer questions about pictures of football players, then asks about
// one it has never seen, and says where it looked.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/models/answer_model.h"
#include "fovea/training/answer_task.h"

using namespace fovea;

int main() try {
  // Yours: asked_files(), of pictures and a .tsv with a question and its answer a line.
  const auto scenes =
      asked_scenes({.size = 32, .held_out_count = 100}, {.pictures = 16, .questions = 12});
  AnswerModel model = make_answer_model({.image = {.widths = {16, 32}},
                                         .width = 32,
                                         .height = 32,
                                         .hidden = 64,
                                         .attention_dim = 64,
                                         .hops = 2},
                                        *scenes, {.seed = 1});
  AnswerTask task(model, *scenes);
  const TrainResult result =
      train(task, {.steps = 300,
                   .schedule = Cosine{.rate = 3e-3f, .steps = 300, .warmup = 30},
                   .max_norm = 1,
                   .validate_every = 300});
  fmt::print("right answers: {}; with `fovea train answer` more will be\n", result.best.score.text);
  save(model, "ask.safetensors");  // for `fovea run ask.safetensors picture.png --question "..."`

  const Image picture = scenes->held_out(7, 8)[0].image;
  const Trace trace =
      model.trace(picture, "What colour is the shirt of the player kicking the ball?");
  fmt::print("{}\n", trace.input);
  for (const Trace::Choice& choice : trace.steps[0].choices) {
    if (choice.probability > 0.05) fmt::print("  {:.2f} {}\n", choice.probability, choice.text);
  }
  const std::vector<float> weights = trace.heads.back().weights.values();
  const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
  const Trace::Box box = *trace.labels("regions")[static_cast<std::size_t>(most)].box;
  fmt::print("it looked most at pixels {} to {} from the left, {} to {} from the top\n", box.x0,
             box.x1, box.y0, box.y1);
  return result.best.score.value > 38 ? 0 : 1;  // who guesses by the kind of question gets 33
} catch (const Error& error) {
  fmt::print(stderr, "ask: {}\n", error.what());
  return 1;
}
