// Reads handwritten digits: a small convolutional network, trained in under a minute to more than
// 99 %.
//
//   mnist train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz [digits.safetensors]
//
// The last sixth of the file is never trained on; the share of it that is read right is printed
// after each epoch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "fovea/data/idx.h"
#include "fovea/io/safetensors.h"
#include "fovea/layers/conv.h"
#include "fovea/layers/linear.h"
#include "fovea/training/optimizer.h"
#include "fovea/training/schedule.h"

using namespace fovea;

struct Reader {
  Conv first, second, third;
  Linear output;

  Reader(Index height, Index width, Random& random)
      : first({.in = 1, .out = 16}, random),
        second({.in = 16, .out = 32}, random),
        third({.in = 32, .out = 64}, random),
        output((height / 4) * (width / 4) * 64, 10, random) {}

  // images [batch, height, width] -> [batch, class]
  Var operator()(const Tensor& images) const {
    Var x = unsqueeze(images, 1);                  // [batch, channel, height, width]
    x = max_pool2d(first(x, Activation::kRelu));   // [batch, 16, height / 2, width / 2]
    x = max_pool2d(second(x, Activation::kRelu));  // [batch, 32, height / 4, width / 4]
    x = third(x, Activation::kRelu);               // [batch, 64, height / 4, width / 4]
    return output(reshape(x, {x.shape(0), -1}));
  }

  void visit(auto&& member) {
    member("first", first);
    member("second", second);
    member("third", third);
    member("output", output);
  }
};

// Images and labels at the positions `order[begin, begin + count)`.
LabelledImages pick(const LabelledImages& data, const std::vector<Index>& order, Index begin,
                    Index count) {
  const Index height = data.images.shape(1), width = data.images.shape(2);
  Tensor images({count, height, width});
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < count; ++i) {
    const Index at = order[static_cast<std::size_t>(begin + i)];
    std::copy_n(data.images.data() + at * height * width, height * width,
                images.data() + i * height * width);
    labels.push_back(data.labels[at]);
  }
  return {images, Ids(labels)};
}

double share_right(const Reader& read, const LabelledImages& data,
                   const std::vector<Index>& order) {
  const NoGrad guard;
  const Index batch = 500, total = static_cast<Index>(order.size());
  Index right = 0;
  for (Index begin = 0; begin < total; begin += batch) {
    const LabelledImages some = pick(data, order, begin, std::min(batch, total - begin));
    const Ids guess = argmax(read(some.images).value());
    for (Index i = 0; i < guess.size(); ++i) right += guess[i] == some.labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(total);
}

int main(int argc, char** argv) try {
  if (argc < 3) {
    fmt::print(stderr, "usage: mnist IMAGES LABELS [MODEL.safetensors]\n");
    return 2;
  }
  const LabelledImages data = read_idx(argv[1], argv[2]);
  const Index count = data.labels.size(), batch = 64, epochs = 5;
  std::vector<Index> train(static_cast<std::size_t>(count - count / 6)),
      valid(static_cast<std::size_t>(count / 6));
  std::iota(train.begin(), train.end(), Index{0});
  std::iota(valid.begin(), valid.end(), static_cast<Index>(train.size()));

  Random random{.seed = 1};
  Reader read(data.images.shape(1), data.images.shape(2), random);
  Optimizer optimizer(parameters(read), Adam{});
  const Index steps = static_cast<Index>(train.size()) / batch;
  const Schedule schedule = Cosine{.rate = 2e-3f, .steps = epochs * steps, .warmup = 100};

  const auto start = std::chrono::steady_clock::now();
  for (Index epoch = 1; epoch <= epochs; ++epoch) {
    for (std::size_t i = train.size(); i > 1; --i) {  // shuffled anew, the same way in every run
      std::swap(train[i - 1], train[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
    }
    double loss = 0;
    for (Index step = 0; step < steps; ++step) {
      const LabelledImages some = pick(data, train, step * batch, batch);
      const Var error = cross_entropy(read(some.images), some.labels);
      loss += static_cast<double>(error.value().item());
      backward(error);
      optimizer.step(rate_at(schedule, optimizer.steps() + 1));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("epoch {}: loss {:.4f}, {:.2f} % right on {} unseen digits, {:.0f} s\n", epoch,
               loss / static_cast<double>(steps), 100 * share_right(read, data, valid),
               valid.size(), seconds.count());
  }
  if (argc > 3)
    write_safetensors(argv[3], {.tensors = named_tensors(read), .metadata = {{"task", "digits"}}});
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "mnist: {}\n", error.what());
  return 1;
}
