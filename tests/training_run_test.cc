// Whole training runs: they learn, give the same file on any number of threads, and ask the system
// for no memory.
#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/autograd/ops.h"
#include "fovea/base/buffer.h"
#include "fovea/base/files.h"
#include "fovea/base/parallel.h"
#include "fovea/io/safetensors.h"
#include "fovea/layers/conv.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/norm.h"
#include "fovea/layers/recurrent.h"
#include "fovea/training/optimizer.h"
#include "fovea/training/schedule.h"

namespace fovea {
namespace {

// Which of two symbols stands more often in a sequence of words: needs memory over time.
struct Counter {
  Embedding words;
  RecurrentStack encoder;
  LayerNorm norm;
  Linear output;
  Dropout drop{0.1f};

  explicit Counter(Random& random)
      : words(5, 24, random),
        encoder({.in = 24, .hidden = 40, .both_directions = true}, random),
        norm(80),
        output(80, 2, random) {}

  void visit(auto&& member) {
    member("words", words);
    member("encoder", encoder);
    member("norm", norm);
    member("output", output);
  }

  struct Batch {
    Ids words, label;
    std::vector<Index> lengths;
  };
  static Batch batch(Random& random) {
    std::vector<std::int32_t> words, label;
    std::vector<Index> lengths;
    for (Index b = 0; b < 32; ++b) {
      lengths.push_back(3 + random.below(8));
      Index score = 0;
      for (Index t = 0; t < 10; ++t) {
        words.push_back(static_cast<std::int32_t>(random.below(5)));
        if (t < lengths.back()) score += words.back() == 0 ? 1 : words.back() == 1 ? -1 : 0;
      }
      label.push_back(score > 0);
    }
    return {Ids({32, 10}, words), Ids(label), lengths};
  }

  Var loss(Run& run, double* right) const {
    const Batch b = batch(run.random);
    const Var y = encoder(drop(words(b.words), run), run, b.lengths).y;
    const Var logits = output(norm(mean(y, 1)));
    if (right != nullptr) {
      const Ids guess = argmax(logits.value());
      for (Index i = 0; i < 32; ++i) *right += (guess[i] == b.label[i]) / 32.0;
    }
    return cross_entropy(logits, b.label, {.label_smoothing = 0.05f});
  }
};

// Where in a noisy image a bright square stands: a quadrant.
struct Finder {
  Conv first, second;
  BatchNormLayer norm;
  Linear output;

  explicit Finder(Random& random)
      : first({.in = 1, .out = 8}, random),
        second({.in = 8, .out = 16}, random),
        norm(8),
        output(16 * 16, 4, random) {}

  void visit(auto&& member) {
    member("first", first);
    member("norm", norm);
    member("second", second);
    member("output", output);
  }

  Var loss(Run& run, double* right) {
    Tensor images = Tensor::uniform({32, 1, 16, 16}, 0, 1, run.random);
    std::vector<std::int32_t> label;
    for (Index b = 0; b < 32; ++b) {
      label.push_back(static_cast<std::int32_t>(run.random.below(4)));
      const Index top = label.back() / 2 * 8 + 2, left = label.back() % 2 * 8 + 2;
      for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < 3; ++j) images.data()[b * 256 + (top + i) * 16 + left + j] += 0.7f;
      }
    }
    Var x = max_pool2d(relu(norm(first(images), run)));
    x = average_pool2d(relu(second(x)));
    const Var logits = output(reshape(x, {32, -1}));
    if (right != nullptr) {
      const Ids guess = argmax(logits.value());
      for (Index i = 0; i < 32; ++i)
        *right += (guess[i] == label[static_cast<std::size_t>(i)]) / 32.0;
    }
    return cross_entropy(logits, Ids(label));
  }
};

// Trains for `steps`; returns how much of the last 20 batches was right.
template <class Model>
double train(Model& model, int steps, const std::function<void(int)>& after_step = {}) {
  Run run{.training = true, .random = {.seed = 5}};
  Optimizer optimizer(parameters(model), adam_w());
  double right = 0;
  for (int step = 1; step <= steps; ++step) {
    backward(model.loss(run, step > steps - 20 ? &right : nullptr));
    optimizer.step(rate_at(Cosine{.rate = 5e-3f, .steps = steps, .warmup = 10}, step), 1);
    if (after_step) after_step(step);
  }
  return right / 20;
}

template <class Model>
class TrainingRun : public testing::Test {};
using Models = testing::Types<Counter, Finder>;
TYPED_TEST_SUITE(TrainingRun, Models);

// Over ten seeds both read more than 97 % right.
TYPED_TEST(TrainingRun, Learns) {
  Random random{.seed = 8};
  TypeParam model(random);
  EXPECT_GT(train(model, 300), 0.93);
}

TYPED_TEST(TrainingRun, OneThreadAndTwoWriteTheSameFile) {
  const std::string folder = testing::TempDir() + "training_run";
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    Random random{.seed = 8};
    TypeParam model(random);
    train(model, 25);
    const std::string path = folder + "/" + std::to_string(count) + ".safetensors";
    write_safetensors(path, {.tensors = named_tensors(model)});
    files.push_back(read_file(path));
  }
  set_threads(before);
  EXPECT_EQ(files[0] == files[1], true);
  EXPECT_EQ(files[0] == files[2], true);
  std::filesystem::remove_all(folder);
}

template <class Model>
std::size_t requests_of_a_run() {
  const std::size_t before = pool_statistics().system_requests;
  Random random{.seed = 8};
  Model model(random);
  train(model, 25);
  return pool_statistics().system_requests - before;
}

TYPED_TEST(TrainingRun, OnceSteadyAsksTheSystemForNoMemory) {
  const int before = threads();
  set_threads(1);
  requests_of_a_run<TypeParam>();
  EXPECT_EQ(requests_of_a_run<TypeParam>(), 0u);
  // Two threads hold workspaces at once at moments that chance decides, so what they ask for may
  // come late; once it is there it is enough.
  set_threads(2);
  std::size_t late = 1;
  for (int run = 0; run < 30 && late > 0; ++run) late = requests_of_a_run<TypeParam>();
  EXPECT_EQ(late, 0u);
  set_threads(before);
}

}  // namespace
}  // namespace fovea
