// Learns in some seconds to read digits by six small glimpses, then reads one it has never seen and
// says where it looked and what it believed after each glimpse.
#include <fmt/format.h>

#include "fovea/base/error.h"
#include "fovea/training/glimpse_task.h"

using namespace fovea;

int main() try {
  // Yours: read_idx("images.gz", "labels.gz").
  const LabelledImages learnt = world_digits(1, Split::kTrain, 8'000),
                       held_out = world_digits(1, Split::kValid, 500);
  GlimpseModel model = make_glimpse_model(
      {.retina = {.size = 8}, .glimpses = 6, .patch_dim = 64, .glimpse_dim = 128, .hidden = 128},
      {.seed = 1});
  GlimpseTask task(model, learnt, held_out, {.batch = 64});
  const TrainResult result = train(task, {.steps = 800,
                                          .schedule = LinearDecay{.rate = 3e-3f, .steps = 800},
                                          .max_norm = 1,
                                          .validate_every = 400});
  fmt::print("{} of digits it has not learnt from are read right\n", result.best.score.text);
  save(model, "glimpse.safetensors");  // for `fovea run glimpse.safetensors IMAGE`

  const LabelledImages digit = world_digits(1, Split::kTest, 1);
  Run run{.random = {.seed = 1}};  // of the first glimpse; the network chooses the others
  const GlimpseReading reading =
      model.net.read(digit.images.reshape({1, 1, kDigitSize, kDigitSize}), run, {.beliefs = true});
  fmt::print("a {}:\n", digit.labels[0]);
  for (std::size_t i = 0; i < reading.places.size(); ++i) {
    const float* place = reading.places[i].data();
    const Tensor& belief = reading.beliefs[i];
    const Index best = argmax(belief)[0];
    fmt::print("  glimpse {} at ({:5.2f}, {:5.2f}): {}, {:3.0f} %\n", i + 1, place[0], place[1],
               model.names[static_cast<std::size_t>(best)], 100 * belief.data()[best]);
  }
  return result.best.score.value > 80 ? 0 : 1;
} catch (const Error& error) {
  fmt::print(stderr, "glimpse: {}\n", error.what());
  return 1;
}
