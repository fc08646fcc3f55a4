// A program that knows fovea only as an installed package: a product, its gradient, a file,
// subwords.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "fovea/autograd/ops.h"
#include "fovea/base/error.h"
#include "fovea/data/tokenizer.h"
#include "fovea/io/npz.h"

int main() try {
  using namespace fovea;
  const Var x = Var::parameter(Tensor({2, 2}, std::vector<float>{1, 2, 3, 4}));
  const Var y = matmul(x, x);
  backward(sum(y));
  write_npz("consumer.npz", {{"y", y.value()}, {"d_x", x.grad()}});
  const auto file = read_npz("consumer.npz");
  const std::string text = "so on and so forth";
  const Tokenizer tokenizer = train_tokenizer({&text, 1}, {.pieces = Pieces::kBpe});
  const bool right = tokenizer.decode(tokenizer.encode(text)) == text &&
                     file.at("y").values() == std::vector<float>{7, 10, 15, 22} &&
                     file.at("d_x").values() == std::vector<float>{7, 11, 9, 13};
  fmt::print("{}\n", right ? "right" : "wrong");
  return right ? 0 : 1;
} catch (const fovea::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
