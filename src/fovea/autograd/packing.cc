#include "fovea/autograd/packing.h"

#include <numeric>

#include "fovea/base/error.h"

namespace fovea {

Packing::Packing(Index batch_size, Index steps, std::span<const Index> lengths)
    : batch(batch_size), time(steps), order(at(batch_size)) {
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != batch) {
    fail("recurrent: {} lengths for a batch of {}", lengths.size(), batch);
  }
  auto length = [&](Index b) { return lengths.empty() ? time : lengths[at(b)]; };
  for (Index b = 0; b < batch; ++b) {
    if (length(b) < 1 || length(b) > time) {
      fail("recurrent: sequence {} has length {}, not in [1, {}]", b, length(b), time);
    }
  }
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return length(a) > length(b); });
  offset.push_back(0);
  Index left = batch;
  for (Index t = 0; t < time; ++t) {
    while (left > 0 && length(order[at(left - 1)]) <= t) --left;
    offset.push_back(offset.back() + left);
  }
  rows = offset.back();
}

Index Packing::last_row(Index i) const {
  Index t = time - 1;
  while (active(t) <= i) --t;
  return offset[at(t)] + i;
}

Tensor Packing::pack(const Tensor& padded, Index begin, Index dim) const {
  const Tensor from = padded.packed();
  const Index width = from.shape(-1);
  Tensor to({rows, dim});
  for_each_word([&](Index row, Index word) {
    std::copy_n(from.data() + word * width + begin, dim, to.data() + row * dim);
  });
  return to;
}

void Packing::unpack(const Tensor& packed, Tensor& padded, Index begin) const {
  const Index width = padded.shape(-1), dim = packed.shape(-1);
  for_each_word([&](Index row, Index word) {
    std::copy_n(packed.data() + row * dim, dim, padded.data() + word * width + begin);
  });
}

Tensor Packing::permuted(const Tensor& x, bool back) const {
  const Tensor from = x.packed();
  const Index dim = from.size() / std::max<Index>(1, batch);
  Tensor to(from.shape());
  for (Index i = 0; i < batch; ++i) {
    const Index b = order[at(i)];
    std::copy_n(from.data() + (back ? i : b) * dim, dim, to.data() + (back ? b : i) * dim);
  }
  return to;
}

}  // namespace fovea
