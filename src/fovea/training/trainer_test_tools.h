// A task that learns within some dozens of steps, and what tests of the training loop do with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fovea/autograd/ops.h"
#include "fovea/io/safetensors.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/norm.h"
#include "fovea/training/trainer.h"

namespace fovea {

// Which of two words stands more often in a sentence: rows of a table, dropout and running
// statistics, all of which a resumed run must take up where they were.
struct MoreOften {
  Embedding words;
  Linear hidden;
  BatchNormLayer norm;
  Linear output;
  Dropout drop{0.1f};
  bool each_alone = false;  // no sentence's output depends on the others of its batch

  explicit MoreOften(Random random)
      : words(7, 8, random), hidden(8, 16, random), norm(16), output(16, 2, random) {}

  void visit(auto&& member) {
    member("words", words);
    member("hidden", hidden);
    member("norm", norm);
    member("output", output);
  }

  Var operator()(const Ids& sentences, Run& run) {
    const Var h = tanh(hidden(mean(drop(words(sentences), run), 1)));
    return output(each_alone ? h : norm(h, run));
  }
};

class CountingTask : public Task {
 public:
  explicit CountingTask(Index batch_size = 8) : batch_size_(batch_size) {}

  std::vector<Parameter> parameters() override { return fovea::parameters(model); }
  NamedTensors tensors() override { return named_tensors(model); }

  Loss step(Index batch, Run& run) override {
    const auto [sentences, labels] = sentences_at(batch * batch_size_, batch_size_);
    const Var loss = cross_entropy(model(sentences, run), labels);
    const auto count = static_cast<double>(batch_size_);
    double spoil = 1;
    if (spoiled) spoil = spoiled(batch);
    backward(loss, Tensor::scalar(static_cast<float>(count * spoil)));
    return {.sum = static_cast<double>(loss.value().item()) * count * spoil,
            .count = count,
            .figures = {{"batch", static_cast<double>(batch) * count}}};
  }

  Grade validate(const std::atomic<bool>*) override {
    ++validations;
    if (at_validation) at_validation(validations);
    if (scores) {
      return {.value = scores(validations),
              .name = "given",
              .text = "?",
              .second = seconds ? seconds(validations) : 0};
    }
    fovea::Run run;
    const auto [sentences, labels] = sentences_at(1'000'000, 200);
    const Ids guess = argmax(model(sentences, run).value());
    double right = 0;
    for (Index i = 0; i < 200; ++i) right += guess[i] == labels[i] ? 0.5 : 0;
    return {.value = right, .name = "right", .text = fmt::format("{:.1f} %", right)};
  }

  void save(const std::string& file, const Best& best) override {
    write_safetensors(
        file, {.tensors = tensors(),
               .metadata = {{"score", best.score.text}, {"step", std::to_string(best.step)}}});
  }

  std::map<std::string, std::string> identity() const override {
    return {{"model", "more often"}, {"data", data}};
  }
  std::string unit() const override { return "sentences"; }

  MoreOften model{Random{.seed = 3}};
  std::string data = "counted";
  std::function<double(Index batch)> spoiled;       // a factor of the loss
  std::function<double(Index validation)> scores;   // instead of the truth
  std::function<double(Index validation)> seconds;  // with them
  std::function<void(Index validation)> at_validation;
  Index validations = 0;

 private:
  struct Batch {
    Ids sentences, labels;
  };
  static Batch sentences_at(Index first, Index count) {
    std::vector<std::int32_t> words, labels;
    for (Index i = 0; i < count; ++i) {
      Random random = Random{.seed = 11}.split(static_cast<std::uint64_t>(first + i));
      Index more = 0;
      for (Index t = 0; t < 9; ++t) {
        words.push_back(static_cast<std::int32_t>(random.below(7)));
        more += words.back() == 0 ? 1 : words.back() == 1 ? -1 : 0;
      }
      labels.push_back(more > 0);
    }
    return {Ids({count, 9}, words), Ids(labels)};
  }

  Index batch_size_;
};

// Options that use all there is, for a run of a quarter of a second.
inline TrainOptions many_options(const std::string& out) {
  return {.out = out,
          .steps = 120,
          .rule = adam_w(),
          .schedule = Cosine{.rate = 2e-3f, .steps = 120, .warmup = 10},
          .max_norm = 1,
          .accumulate = 2,
          .validate_every = 25,
          .average = 3,
          .seed = 9,
          .report_every = 10,
          .checkpoint_seconds = 0};
}

}  // namespace fovea
