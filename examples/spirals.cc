// Learns to tell two spirals apart, in a second or two, and draws what it learned in the terminal.
#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "fovea/base/error.h"
#include "fovea/layers/linear.h"
#include "fovea/training/optimizer.h"
#include "fovea/training/schedule.h"

using namespace fovea;

struct Points {
  Tensor places;  // [point, 2], from -1 to 1
  Ids labels;     // 0 or 1
};

Points spirals(Index count) {
  Tensor places({count, 2});
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::int32_t>(i % 2));
    const float radius = 0.05f + 0.9f * static_cast<float>(i) / static_cast<float>(count);
    const float angle = 9 * radius + 3.14159265f * static_cast<float>(i % 2);
    places.data()[2 * i] = radius * std::cos(angle);
    places.data()[2 * i + 1] = radius * std::sin(angle);
  }
  return {places, Ids(labels)};
}

struct Net {
  std::vector<Linear> layers;

  explicit Net(Random& random)
      : layers{Linear(2, 64, random), Linear(64, 64, random), Linear(64, 2, random)} {}

  Var operator()(const Var& places) const {
    return layers[2](layers[1](layers[0](places * 3.0f, Activation::kTanh), Activation::kTanh));
  }

  void visit(auto&& member) { member("layers", layers); }
};

// One character for each place, from sure of 0 to sure of 1.
void draw(const Net& net) {
  const NoGrad guard;
  const Index rows = 24, columns = 56;
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  Tensor places({rows * columns, 2});
  for (Index i = 0; i < rows * columns; ++i) {
    places.data()[2 * i] =
        2 * (static_cast<float>(i % columns) + 0.5f) / static_cast<float>(columns) - 1;
    places.data()[2 * i + 1] =
        1 - 2 * (static_cast<float>(i / columns) + 0.5f) / static_cast<float>(rows);
  }
  const Tensor belief = softmax(net(places)).value();
  for (Index i = 0; i < rows * columns; ++i) {
    const float one = belief.data()[2 * i + 1];
    if (colour) {
      const auto mix = [&](float a, float b) {
        return static_cast<std::uint8_t>(a + (b - a) * one);
      };
      fmt::print(fmt::bg(fmt::rgb(mix(33, 253), mix(102, 231), mix(172, 37))), " ");
    } else {
      fmt::print("{}", " .:-=+*#%@"[static_cast<std::size_t>(one * 9.99f)]);
    }
    if (i % columns == columns - 1) fmt::print("\n");
  }
}

int main() try {
  const Points points = spirals(400);
  Random random{.seed = 3};
  Net net(random);
  Optimizer optimizer(parameters(net), Adam{});
  const Index steps = 1500;
  for (Index step = 1; step <= steps; ++step) {
    const Var loss = cross_entropy(net(points.places), points.labels);
    if (step % 300 == 0) fmt::print("step {:4}: loss {:.4f}\n", step, loss.value().item());
    backward(loss);
    optimizer.step(rate_at(Cosine{.rate = 1e-2f, .steps = steps}, step));
  }
  const Ids guess = argmax(net(points.places).value());
  Index right = 0;
  for (Index i = 0; i < guess.size(); ++i) right += guess[i] == points.labels[i];
  draw(net);
  fmt::print("{} of {} points on the right side\n", right, guess.size());
  return right == guess.size() ? 0 : 1;
} catch (const Error& error) {
  fmt::print(stderr, "spirals: {}\n", error.what());
  return 1;
}
