#include "fovea/autograd/op_test_util.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

namespace fovea {
namespace {

TEST(Dropout, KeepsTheExpectationAndDropsItsShare) {
  Random random{.seed = 3};
  const Var y = dropout(Var(Tensor::full({100000}, 1)), 0.3f, random);
  double total = 0;
  Index dropped = 0;
  for (const float value : y.value().values()) {
    total += value;
    dropped += value == 0;
  }
  EXPECT_NEAR(total / 100000, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(dropped) / 100000, 0.3, 0.01);
}

TEST(Dropout, UsesTheSameMaskBackward) {
  Random random{.seed = 3};
  Var x = Var::parameter(Tensor::full({1000}, 1));
  const Var y = dropout(x, 0.5f, random);
  backward(sum(y));
  EXPECT_EQ(x.grad().values(), y.value().values());
}

TEST(Dropout, IsAFunctionOfTheStreamAlone) {
  std::vector<float> first;
  for (const std::string& isa : kernels::available_isas()) {
    const kernels::UseIsa use(isa);
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      Random random{.seed = 9, .stream = 4, .position = 17};
      const std::vector<float> values =
          dropout(Var(Tensor::full({70001}, 1)), 0.4f, random).value().values();
      if (first.empty()) first = values;
      EXPECT_EQ(values, first) << isa << ", " << count << " threads";
    }
  }
  // Element i is decided by number start + i of the stream.
  Random random{.seed = 9, .stream = 4, .position = 17};
  const std::uint64_t start = Random(random).take(1);
  for (Index i = 0; i < 300; ++i) {
    const bool stays = unit_float(random.bits_at(start + static_cast<std::uint64_t>(i))) >= 0.4f;
    EXPECT_EQ(first[static_cast<std::size_t>(i)] != 0, stays) << i;
  }
}

TEST(Dropout, RefusesImpossibleProbabilities) {
  Random random;
  EXPECT_EQ(error_of([&] { dropout(random_tensor({2}), 1, random); }),
            "dropout: probability 1 is not in [0, 1)");
}

}  // namespace
}  // namespace fovea
