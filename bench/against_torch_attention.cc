// Attention, as bench/against_torch compares it. Names carry sizes:
//   attend:BATCHxHEADxTIMExDIM[:causal]           forward
//   attend_back:BATCHxHEADxTIMExDIM[:causal]      forward + backward
//   additive_back:BATCHxQUERYxKEYxDIM             additive scores, softmax, values; both passes
//   decode:BATCHxHEADxKEYxDIM                     one query over cached keys
//   decoder:BATCHxTIMExDIMxHIDDEN                 TIME steps of GRU and additive attention over
//   TIME
//                                                 keys, both passes
#include <memory>
#include <sstream>

#include "against_torch_work.h"
#include "fovea/attention/attend.h"
#include "fovea/base/error.h"
#include "fovea/cli/bench_decoder.h"

namespace fovea {
namespace {

struct Wish {
  std::string kind{};
  std::vector<Index> sizes{};
  bool causal = false;
};

Wish parsed(const std::string& name) {
  std::istringstream words(name);
  Wish wish;
  std::string sizes, how;
  std::getline(words, wish.kind, ':');
  std::getline(words, sizes, ':');
  std::getline(words, how);
  wish.causal = how == "causal";
  std::istringstream numbers(sizes);
  for (std::string size; std::getline(numbers, size, 'x');) wish.sizes.push_back(std::stoll(size));
  if (wish.sizes.size() != 4) fail("against_torch: '{}' does not name four sizes", name);
  return wish;
}

Work forward_work(const std::vector<Tensor>& in, const Attend& how) {
  const Tensor q = in[0], k = in[1], v = in[2];
  return pass({{"q", q}, {"k", k}, {"v", v}}, {}, [=]() -> NamedTensors {
    const NoGrad guard;
    return {{"y", attend(q, k, v, how).output.value()}};
  });
}

Work backward_work(const std::vector<Tensor>& in, const Tensor& d_y, Attend how,
                   std::vector<Parameter> more = {}) {
  NamedTensors inputs = {{"q", in[0]}, {"k", in[1]}, {"v", in[2]}, {"d_y", d_y}};
  for (const Parameter& p : more) inputs.emplace(p.name, p.var.value());
  const Var q = Var::parameter(in[0]), k = Var::parameter(in[1]), v = Var::parameter(in[2]);
  std::vector<Parameter> leaves = {{"q", q}, {"k", k}, {"v", v}};
  leaves.insert(leaves.end(), more.begin(), more.end());
  return pass(std::move(inputs), leaves, [=]() -> NamedTensors {
    const Var y = attend(q, k, v, how);
    Tensor value = y.value();
    backward(y, d_y);
    return {{"y", value}};
  });
}

// words [batch, time, dim], encoded [batch, time, hidden]
Work decoder_work(Index batch, Index time, Index dim, Index hidden) {
  Random random{.seed = 10};
  const auto model = std::make_shared<cli::BenchDecoder>(dim, hidden, random);
  const Tensor words = normal({batch, time, dim}, 1, random);
  const Var encoded = Var::parameter(normal({batch, time, hidden}, 1, random));
  const Tensor d_y = normal({batch, time, hidden}, 1, random);
  std::vector<Parameter> leaves = parameters(*model);
  leaves.push_back({"encoded", encoded});
  NamedTensors inputs = named_tensors(*model);
  inputs.insert({{"words", words}, {"encoded", encoded.value()}, {"d_y", d_y}});
  return pass(std::move(inputs), leaves, [=]() -> NamedTensors {
    const Var y = (*model)(words, encoded);
    Tensor value = y.value();
    backward(y, d_y);
    return {{"y", value}};
  });
}

}  // namespace

std::optional<Work> attention_work(const std::string& name) {
  if (name.find(':') == std::string::npos) return {};
  const Wish wish = parsed(name);
  const Index a = wish.sizes[0], b = wish.sizes[1], c = wish.sizes[2], d = wish.sizes[3];
  if (wish.kind == "decoder") return decoder_work(a, b, c, d);
  Random random{.seed = 9};
  const auto numbers = [&](const Shape& shape) { return normal(shape, 1, random); };
  Attend how;
  if (wish.causal) how.mask = causal();
  if (wish.kind == "decode") {
    return forward_work({numbers({a, b, 1, d}), numbers({a, b, c, d}), numbers({a, b, c, d})}, how);
  }
  if (wish.kind == "additive_back") {
    const Parameter weight{"w", Var::parameter(normal({d}, 0.1f, random))};
    how.score = additive(weight.var);
    return backward_work({numbers({a, 1, b, d}), numbers({a, 1, c, d}), numbers({a, 1, c, d})},
                         numbers({a, 1, b, d}), how, {weight});
  }
  const std::vector<Tensor> in = {numbers({a, b, c, d}), numbers({a, b, c, d}),
                                  numbers({a, b, c, d})};
  if (wish.kind == "attend") return forward_work(in, how);
  if (wish.kind == "attend_back") return backward_work(in, numbers({a, b, c, d}), how);
  fail("against_torch: there is no work '{}'", name);
}

}  // namespace fovea
