#include <gtest/gtest.h>

#include "fovea/base/base_test_tools.h"
#include "fovea/layers/conv.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/embedding.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/norm.h"
#include "fovea/layers/parameters.h"
#include "fovea/layers/recurrent.h"

namespace fovea {
namespace {

// A model with one layer of each kind, absent members and vectors.
struct Everything {
  Embedding words;
  RecurrentStack encoder;
  LayerNorm norm;
  RmsNorm rms;
  Conv conv;
  BatchNormLayer batch_norm;
  Dropout drop{0.5f};
  std::vector<Linear> outputs;

  explicit Everything(Random& random)
      : words(11, 4, random),
        encoder({.kind = Cell::kLstm, .in = 4, .hidden = 3, .layers = 2, .both_directions = true},
                random),
        norm(6),
        rms(6),
        conv({.in = 1, .out = 2}, random),
        batch_norm(2) {
    outputs.emplace_back(6, 5, random);
    outputs.emplace_back(5, 2, random, false);
  }

  void visit(auto&& member) {
    member("words", words);
    member("encoder", encoder);
    member("norm", norm);
    member("rms", rms);
    member("conv", conv);
    member("batch_norm", batch_norm);
    member("drop", drop);
    member("outputs", outputs);
  }
};

TEST(Parameters, HaveTheNamesOfTheirVisits) {
  Random random{.seed = 1};
  Everything model(random);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters(model)) names.push_back(parameter.name);
  const std::vector<std::string> few(names.begin(), names.begin() + 3);
  EXPECT_EQ(few, (std::vector<std::string>{"words.table", "encoder.layers.0.0.input",
                                           "encoder.layers.0.0.recurrent"}));
  EXPECT_EQ(names.back(), "outputs.1.weight");  // it has no bias
  EXPECT_EQ(count_numbers(parameters(model)), 11 * 4 + 2 * (4 * 12 + 3 * 12 + 24) +
                                                  2 * (6 * 12 + 3 * 12 + 24) + 12 + 6 + 2 * 9 + 2 +
                                                  4 + 35 + 10);
}

TEST(Parameters, StateThatIsNotOptimisedIsSavedToo) {
  Random random{.seed = 1};
  Everything model(random);
  const NamedTensors tensors = named_tensors(model);
  EXPECT_TRUE(tensors.contains("batch_norm.running_mean"));
  EXPECT_EQ(tensors.size(), parameters(model).size() + 2);
}

TEST(Parameters, LoadWhatWasSaved) {
  Random one{.seed = 1}, other{.seed = 2};
  Everything a(one), b(other);
  EXPECT_NE(a.outputs[0].weight.value().values(), b.outputs[0].weight.value().values());
  load_tensors("file", named_tensors(a), named_tensors(b));
  for (const auto& [name, tensor] : named_tensors(a)) {
    EXPECT_EQ(tensor.values(), named_tensors(b).at(name).values()) << name;
  }
}

std::string load_error(NamedTensors from, Everything& to) {
  return error_of([&] { load_tensors("model.safetensors", from, named_tensors(to)); });
}

TEST(Parameters, SayWhatDoesNotFitAndChangeNothing) {
  Random random{.seed = 1};
  Everything model(random);
  const std::vector<float> before = model.words.table.value().values();
  NamedTensors from = named_tensors(model);
  for (auto& [name, tensor] : from) tensor = Tensor::zeros(tensor.shape());
  NamedTensors missing = from, extra = from, shape = from;
  missing.erase("norm.bias");
  extra.emplace("norm.offset", Tensor::zeros({1}));
  shape["norm.bias"] = Tensor::zeros({7});
  EXPECT_EQ(load_error(missing, model),
            "model.safetensors: tensor 'norm.bias' is missing; is it a file of another model?");
  EXPECT_EQ(load_error(extra, model),
            "model.safetensors: tensor 'norm.offset' is not part of the model; is it a file of "
            "another model?");
  EXPECT_EQ(load_error(shape, model),
            "model.safetensors: tensor 'norm.bias' has shape [7] but the model needs [6]");
  EXPECT_EQ(model.words.table.value().values(), before);
}

TEST(RecurrentStack, AgreesWithItsCellsStepByStep) {
  for (const Cell kind : {Cell::kGru, Cell::kLstm}) {
    Random random{.seed = 3};
    const RecurrentStack stack({.kind = kind, .in = 4, .hidden = 3, .layers = 2}, random);
    const Var x = Tensor::normal({2, 5, 4}, 0, 1, random);
    fovea::Run run;
    const RecurrentStack::Output whole = stack(x, run);
    RecurrentState below = stack.layers[0][0].start(2), above = stack.layers[1][0].start(2);
    for (Index t = 0; t < 5; ++t) {
      below = stack.layers[0][0](select(x, 1, t), below);
      above = stack.layers[1][0](below.h, above);
      const std::vector<float> want = select(whole.y, 1, t).value().values(),
                               got = above.h.value().values();
      for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6);
    }
    EXPECT_EQ(whole.last.size(), 2u);
  }
}

TEST(RecurrentStack, PaddingHasNoInfluence) {
  Random random{.seed = 3};
  const RecurrentStack stack({.in = 4, .hidden = 3, .layers = 2, .both_directions = true}, random);
  const Tensor x = Tensor::normal({2, 5, 4}, 0, 1, random);
  Tensor changed = x.copy();
  for (Index i = 3 * 4; i < 5 * 4; ++i) changed.data()[i] = 99;  // sequence 0 has three words
  fovea::Run run;
  const std::vector<Index> lengths = {3, 5};
  EXPECT_EQ(stack(x, run, lengths).y.value().values(),
            stack(changed, run, lengths).y.value().values());
  const Tensor alone = stack(x.slice(0, 0, 1).slice(1, 0, 3), run).y.value();
  const std::vector<float> in_batch =
      stack(x, run, lengths).y.value().slice(0, 0, 1).slice(1, 0, 3).values();
  for (std::size_t i = 0; i < in_batch.size(); ++i)
    EXPECT_NEAR(in_batch[i], alone.values()[i], 1e-6);
}

TEST(RecurrentCell, StartsWithOrthogonalGates) {
  Random random{.seed = 3};
  const RecurrentCell cell(Cell::kGru, 4, 7, random);
  for (Index g = 0; g < 3; ++g) {
    const Tensor gate = cell.weights.recurrent.value().slice(1, g * 7, (g + 1) * 7);
    const Tensor identity = matmul(gate, gate.transpose());
    for (Index i = 0; i < 49; ++i) EXPECT_NEAR(identity.data()[i], i % 8 == 0 ? 1 : 0, 1e-5);
  }
}

TEST(DropoutLayer, ActsInTrainingOnly) {
  fovea::Run run{.training = false, .random = {.seed = 1}};
  const Var x = Tensor::full({1000}, 1);
  const Dropout drop{0.5f};
  EXPECT_EQ(drop(x, run).value().values(), x.value().values());
  run.training = true;
  EXPECT_NE(drop(x, run).value().values(), x.value().values());
}

}  // namespace
}  // namespace fovea
