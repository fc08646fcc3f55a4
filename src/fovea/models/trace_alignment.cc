#include "fovea/models/trace_alignment.h"

#include <algorithm>
#include <iterator>

namespace fovea {
std::vector<Trace::Head> heads_of(const Trace& trace, const LookChoice& choice) {
  const auto of_kind = [&](std::string_view kind) {
    std::vector<Trace::Head> heads;
    std::copy_if(trace.heads.begin(), trace.heads.end(), std::back_inserter(heads),
                 [&](const Trace::Head& head) { return head.kind == kind; });
    return heads;
  };
  std::vector<Trace::Head> all = of_kind("cross");
  if (all.empty() && !trace.heads.empty()) all = of_kind(trace.heads[0].kind);
  std::vector<Trace::Head> heads;
  for (const Trace::Head* head : chosen(all, choice)) heads.push_back(*head);
  return heads;
}

Tensor weights_of(const Trace& trace, const LookChoice& choice) {
  const auto heads = heads_of(trace, choice);
  const auto large = [](const Trace::Head& head) { return !head.weights; };
  if (heads.empty() || std::any_of(heads.begin(), heads.end(), large)) return {};
  Tensor mean = Tensor::zeros(heads[0].weights.shape());
  for (const Trace::Head& head : heads) {
    if (!(head.weights.shape() == mean.shape())) {
      fail("trace: heads of layer {} look at different things, so they have no mean; choose one",
           head.layer);
    }
    const Tensor weights = head.weights.packed();
    for (Index i = 0; i < mean.size(); ++i) {
      mean.data()[i] += weights.data()[i] / static_cast<float>(heads.size());
    }
  }
  return mean;
}

}  // namespace fovea
