// The side of bench/against_torch that runs in this library. It answers, line by line:
//   check WORK THREADS FOLDER   writes what goes in (inputs.npz) and what comes out (results.npz)
//   time WORK THREADS SECONDS   -> of the calls, in ms: their median, the fastest, and the median
//                               of the processor time they took on all threads
//   peak THREADS SECONDS        -> GFLOP/s of the FMA loop of `fovea bench`
// The same work in PyTorch: against_torch.py.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "against_torch_work.h"
#include "fovea/autograd/op_recurrent.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/parallel.h"
#include "fovea/cli/machine.h"
#include "fovea/io/npz.h"
#include "fovea/layers/conv.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/norm.h"
#include "fovea/layers/recurrent.h"

namespace fovea {
namespace {

struct Layer {
  std::vector<RecurrentCell> direction;

  void visit(auto&& member) { member("direction", direction); }
};

Work recurrent_work(Cell kind, bool both_directions) {
  constexpr Index kBatch = 64, kTime = 30, kIn = 256, kHidden = 512;
  Random random{.seed = 3};
  const auto layer = std::make_shared<Layer>();
  for (int k = 0; k < (both_directions ? 2 : 1); ++k) {
    layer->direction.emplace_back(kind, kIn, kHidden, random);
    for (Var* bias : {&layer->direction.back().weights.input_bias,
                      &layer->direction.back().weights.recurrent_bias}) {
      *bias = Var::parameter(normal(bias->shape(), 0.1f, random));
    }
  }
  const Var x = Var::parameter(normal({kBatch, kTime, kIn}, 1, random));
  const Tensor d_y = normal({kBatch, kTime, (both_directions ? 2 : 1) * kHidden}, 1, random);
  std::vector<RecurrentWeights> weights;
  for (const RecurrentCell& cell : layer->direction) weights.push_back(cell.weights);
  std::vector<Parameter> leaves = parameters(*layer);
  leaves.push_back({"x", x});
  NamedTensors inputs = named_tensors(*layer);
  inputs.insert({{"x", x.value()}, {"d_y", d_y}});
  return pass(std::move(inputs), leaves, [=]() -> NamedTensors {
    const Var y = recurrent(kind, x, weights).y;
    Tensor value = y.value();
    backward(y, d_y);
    return {{"y", value}};
  });
}

struct Cnn {
  Conv first, second;
  Linear out;

  void visit(auto&& member) {
    member("first", first);
    member("second", second);
    member("out", out);
  }
};

Work cnn_work() {
  constexpr Index kBatch = 64;
  Random random{.seed = 4};
  const auto model = std::make_shared<Cnn>();
  model->first = Conv({.in = 1, .out = 32}, random);
  model->second = Conv({.in = 32, .out = 64}, random);
  model->out = Linear(64 * 7 * 7, 10, random);
  const Tensor images = Tensor::uniform({kBatch, 1, 28, 28}, 0, 1, random);
  const Tensor labels = label_numbers(kBatch, 10, random);
  const Ids ids = ids_of(labels);
  return training(model, {{"images", images}, {"labels", labels}}, [=](const Cnn& m) {
    Var x = max_pool2d(m.first(Var(images), Activation::kRelu));
    x = max_pool2d(m.second(x, Activation::kRelu));
    return cross_entropy(m.out(reshape(x, {kBatch, -1})), ids);
  });
}

struct Perceptron {
  Linear first, second;

  void visit(auto&& member) {
    member("first", first);
    member("second", second);
  }
};

Work perceptron_work() {
  constexpr Index kBatch = 64, kDim = 256;
  Random random{.seed = 5};
  const auto model = std::make_shared<Perceptron>();
  model->first = Linear(kDim, kDim, random);
  model->second = Linear(kDim, kDim, random);
  const Tensor x = normal({kBatch, kDim}, 1, random);
  const Tensor labels = label_numbers(kBatch, kDim, random);
  const Ids ids = ids_of(labels);
  return training(model, {{"x", x}, {"labels", labels}}, [=](const Perceptron& m) {
    return cross_entropy(m.second(m.first(Var(x), Activation::kRelu)), ids);
  });
}

constexpr Index kRows = 512, kDim = 128, kVocab = 10'000;
constexpr CrossEntropy kSmoothed = {.label_smoothing = 0.1f};

LayerNorm some_norm(Random& random) {
  LayerNorm norm(kDim);
  norm.gain = Var::parameter(Tensor::uniform({kDim}, 0.5f, 1.5f, random));
  norm.bias = Var::parameter(normal({kDim}, 0.1f, random));
  return norm;
}

// layer norm -> linear -> cross-entropy
struct Classifier {
  LayerNorm norm;
  Linear out;

  void visit(auto&& member) {
    member("norm", norm);
    member("out", out);
  }
};

Work classifier_work() {
  Random random{.seed = 6};
  const auto model =
      std::make_shared<Classifier>(Classifier{some_norm(random), Linear(kDim, kVocab, random)});
  const Var x = Var::parameter(normal({kRows, kDim}, 1, random));
  const Tensor labels = label_numbers(kRows, kVocab, random);
  const Ids ids = ids_of(labels);
  std::vector<Parameter> leaves = parameters(*model);
  leaves.push_back({"x", x});
  NamedTensors inputs = named_tensors(*model);
  inputs.insert({{"x", x.value()}, {"labels", labels}});
  return pass(std::move(inputs), leaves, [=]() -> NamedTensors {
    const Var loss = cross_entropy(model->out(model->norm(x)), ids, kSmoothed);
    backward(loss);
    return {{"loss", loss.value()}};
  });
}

// layer norm, and cross-entropy of logits that are there already
Work norm_and_loss_work() {
  Random random{.seed = 7};
  const auto norm = std::make_shared<LayerNorm>(some_norm(random));
  const Var x = Var::parameter(normal({kRows, kDim}, 1, random));
  const Var logits = Var::parameter(normal({kRows, kVocab}, 1, random));
  const Tensor d_y = normal({kRows, kDim}, 1, random);
  const Tensor labels = label_numbers(kRows, kVocab, random);
  const Ids ids = ids_of(labels);
  std::vector<Parameter> leaves = parameters(*norm);
  leaves.push_back({"x", x});
  leaves.push_back({"logits", logits});
  NamedTensors inputs = named_tensors(*norm);
  inputs.insert({{"x", x.value()}, {"logits", logits.value()}, {"d_y", d_y}, {"labels", labels}});
  return pass(std::move(inputs), leaves, [=]() -> NamedTensors {
    const Var y = (*norm)(x);
    Tensor value = y.value();
    backward(y, d_y);
    const Var loss = cross_entropy(logits, ids, kSmoothed);
    backward(loss);
    return {{"y", value}, {"loss", loss.value()}};
  });
}

Work linear_work() {
  constexpr Index kSize = 1024;
  Random random{.seed = 8};
  const auto layer = std::make_shared<Linear>(kSize, kSize, random);
  layer->bias = Var::parameter(normal({kSize}, 1, random));
  const Var x(normal({kSize, kSize}, 1, random));
  NamedTensors inputs = named_tensors(*layer);
  inputs.emplace("x", x.value());
  return pass(std::move(inputs), {}, [=]() -> NamedTensors {
    const NoGrad guard;
    return {{"y", (*layer)(x).value()}};
  });
}

Work make_work(const std::string& name) {
  if (const std::optional<Work> attention = attention_work(name)) return *attention;
  if (const std::optional<Work> translate = translate_work(name)) return *translate;
  if (const std::optional<Work> image = image_work(name)) return *image;
  if (name == "gru") return recurrent_work(Cell::kGru, false);
  if (name == "bigru") return recurrent_work(Cell::kGru, true);
  if (name == "lstm") return recurrent_work(Cell::kLstm, false);
  if (name == "cnn") return cnn_work();
  if (name == "perceptron") return perceptron_work();
  if (name == "classifier") return classifier_work();
  if (name == "norm_and_loss") return norm_and_loss_work();
  if (name == "linear") return linear_work();
  fail("against_torch: there is no work '{}'", name);
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

// Single calls, after one or two that wake threads and fill caches.
std::string call_times(const std::function<void()>& run, double budget) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto warm = Clock::now();
  run();
  if (since(warm) < budget / 4) run();
  std::vector<double> times, processor_times;
  const auto begin = Clock::now();
  while (times.size() < 2 || since(begin) < budget) {
    const std::clock_t processor_start = std::clock();
    const auto start = Clock::now();
    run();
    times.push_back(since(start) * 1e3);
    processor_times.push_back(static_cast<double>(std::clock() - processor_start) * 1e3 /
                              CLOCKS_PER_SEC);
  }
  return fmt::format("{} {} {}", median(times), *std::min_element(times.begin(), times.end()),
                     median(processor_times));
}

class Worker {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb, name, folder;
    int team = 0;
    double seconds = 0;
    words >> verb;
    if (verb == "peak" && words >> team >> seconds) {
      set_threads(team);
      return fmt::format("{}", cli::measure_fma(seconds).flops * 1e-9);
    }
    if (verb == "check" && words >> name >> team >> folder) {
      set_threads(team);
      works_[name] = make_work(name);
      write_npz(folder + "/inputs.npz", works_[name].inputs);
      write_npz(folder + "/results.npz", works_[name].results());
      return "ok";
    }
    if (verb == "time" && words >> name >> team >> seconds) {
      set_threads(team);
      return call_times(works_.at(name).run, seconds);
    }
    fail("against_torch: cannot understand '{}'", line);
  }

 private:
  std::map<std::string, Work> works_;
};

}  // namespace
}  // namespace fovea

int main() {
  fovea::Worker worker;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << worker.answer(line) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "error: " << error.what() << std::endl;
    }
  }
}
