// Choices that are sampled, and the two ways to learn through them.
#include <algorithm>
#include <cmath>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"

namespace fovea {
namespace {

// Calls use(row, count) for each row of the last axis; returns one id per row.
template <class Choose>
Ids choose_per_row(std::string_view name, const Tensor& x, const Choose& choose) {
  if (x.rank() == 0 || x.shape(-1) == 0)
    fail("{}: {} has nothing to choose from", name, x.shape().text());
  const Tensor packed = x.packed();
  const Index columns = x.shape(-1);
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < x.size(); i += columns) {
    ids.push_back(static_cast<std::int32_t>(choose(packed.data() + i, columns)));
  }
  return {x.shape().removed(-1), std::move(ids)};
}

}  // namespace

Var straight_through(const Var& hard, const Var& soft) {
  if (!(hard.shape() == soft.shape())) {
    fail("straight_through: shapes {} and {} differ", hard.shape().text(), soft.shape().text());
  }
  return record("straight_through", hard.value(), {soft},
                [=](const Tensor& d_y) { add_to_grad(soft, d_y); });
}

Var score_function(const Var& log_probability, const Tensor& reward, const Tensor& baseline) {
  if (!(log_probability.shape() == reward.shape())) {
    fail("score_function: {} rewards for {} log probabilities", reward.shape().text(),
         log_probability.shape().text());
  }
  if (baseline &&
      !(broadcast("score_function", reward.shape(), baseline.shape()) == reward.shape())) {
    fail("score_function: a baseline of shape {} for rewards of shape {}", baseline.shape().text(),
         reward.shape().text());
  }
  const Tensor advantage = baseline ? zip(Binary::kSubtract, reward, baseline) : reward;
  return sum(log_probability * Var(advantage));
}

Ids sample_categorical(const Tensor& logits, Random& random) {
  return choose_per_row("sample_categorical", logits, [&](const float* row, Index count) {
    const float top = *std::max_element(row, row + count);
    const auto share = [&](Index j) {  // of inf all
      return row[j] == top ? 1 : std::exp(static_cast<double>(row[j] - top));
    };
    double total = 0;
    for (Index j = 0; j < count; ++j) total += share(j);
    double left = static_cast<double>(random.uniform()) * total;
    Index choice = count - 1;
    for (Index j = 0; j < count; ++j) {
      left -= share(j);
      if (left < 0) {
        choice = j;
        break;
      }
    }
    const float never = -std::numeric_limits<float>::infinity();
    while (choice > 0 && row[choice] == never) --choice;  // rounding must not choose the impossible
    return choice;
  });
}

Ids argmax(const Tensor& logits) {
  return choose_per_row("argmax", logits, [](const float* row, Index count) {
    return std::max_element(row, row + count) - row;
  });
}

Tensor one_hot(const Ids& ids, Index classes) {
  Tensor rows = Tensor::zeros(ids.shape().inserted(-1, classes));
  for (Index i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= classes)
      fail("one_hot: id {} is not one of {} classes", ids[i], classes);
    rows.data()[i * classes + ids[i]] = 1;
  }
  return rows;
}

Var gumbel_softmax(const Var& logits, float temperature, Random& random) {
  if (!(temperature > 0)) fail("gumbel_softmax: temperature {} is not above 0", temperature);
  Tensor noise(logits.shape());
  for (float& value : noise.flat()) {
    const double u = (static_cast<double>(random.bits()) + 0.5) * 0x1p-32;
    value = static_cast<float>(-std::log(-std::log(u)));
  }
  return softmax((logits + Var(noise)) / temperature);
}

}  // namespace fovea
