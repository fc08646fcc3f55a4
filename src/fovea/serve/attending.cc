#include "fovea/serve/attending.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/attention/attend.h"
#include "fovea/attention/names.h"
#include "fovea/autograd/ops.h"
#include "fovea/serve/reply.h"

namespace fovea {
namespace {

// Rows of a matrix, or one vector, as JSON: float32 in its shortest form, null where it is not
// finite.
std::string numbers(const Tensor& x) {
  const std::vector<float> values = x.values();
  const auto columns = static_cast<std::size_t>(x.shape(-1));
  std::string text = x.rank() > 1 ? "[" : "";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += i % columns == 0 ? (i > 0 ? ",[" : "[") : ",";
    text += std::isfinite(values[i]) ? fmt::format("{}", values[i]) : "null";
    if ((i + 1) % columns == 0) text += "]";
  }
  return text + (x.rank() > 1 ? "]" : "");
}

Tensor tensor(const Matrix& m) { return {{1, 1, m.rows, m.columns}, m.values}; }

Tensor identities(Index dim, Index copies) {  // one below the other
  Tensor x = Tensor::zeros({copies * dim, dim});
  for (Index i = 0; i < copies * dim; ++i) x.data()[i * dim + i % dim] = 1;
  return x;
}

// Column j points to angle 2 pi j / keys in the plane of the first two axes.
Tensor around_the_circle(Index dim, Index keys) {
  Tensor x = Tensor::zeros({dim, keys});
  for (Index j = 0; j < keys; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(keys);
    x.data()[j] = static_cast<float>(std::cos(angle));
    if (dim > 1) x.data()[keys + j] = static_cast<float>(std::sin(angle));
  }
  return x;
}

void refuse_parameter(const AttendRequest& r, const char* name) {
  refuse(400, "/api/attend: '{}' has no meaning for the score '{}'; leave it out", name, r.score);
}

Tensor matrix_of(const AttendRequest& r) {
  const Index dim = r.query.columns, key_dim = r.key.columns;
  const bool wanted = named(kNamedScores, r.score).matrix != nullptr;
  if (r.matrix) {
    if (!wanted) refuse_parameter(r, "matrix");
    return {{r.matrix->rows, r.matrix->columns}, r.matrix->values};
  }
  if (r.score == "location") return around_the_circle(dim, r.key.rows);
  if (wanted && dim != key_dim) {
    refuse(400, "/api/attend: queries have {} numbers and keys {}; give the score its 'matrix'",
           dim, key_dim);
  }
  if (r.score == "general") return identities(dim, 1);
  return r.score == "concat" ? identities(dim, 2) : Tensor();
}

Tensor weight_of(const AttendRequest& r, const Tensor& matrix) {
  const bool wanted = named(kNamedScores, r.score).weight != nullptr;
  if (!r.weight.empty()) {
    if (!wanted) refuse_parameter(r, "weight");
    return {{static_cast<Index>(r.weight.size())}, r.weight};
  }
  if (!wanted) return {};
  const Index dim = r.query.columns;
  if (r.score == "concat") return Tensor::full({matrix.shape(1)}, 1);
  return Tensor::full({r.score == "additive" ? dim : dim + r.key.columns}, 1);
}

Attend how(const AttendRequest& r) {
  Attend attend;
  attend.score.kind = named(kNamedScores, r.score).kind;
  const float usual =
      r.score == "scaled-dot" ? 1 / std::sqrt(static_cast<float>(r.query.columns)) : 1.0f;
  attend.score.scale = r.scale.value_or(usual) / r.temperature;
  const Tensor matrix = matrix_of(r), weight = weight_of(r, matrix);
  if (matrix) attend.score.matrix = matrix;
  if (weight) attend.score.weight = weight;
  if (r.causal) attend.mask = attend.mask & causal();
  if (r.window) attend.mask = attend.mask & window(r.window->first, r.window->second);
  attend.normalizer = named(kNamedNormalizers, r.normalizer).kind;
  return attend;
}

// The mean over samples of what a hard reading returns. Samples are heads that share one memory,
// some at a time.
Tensor mean_of_samples(const AttendRequest& r, const Attend& attend_hard) {
  const Index queries = r.query.rows, value_dim = r.value.columns;
  const Index at_once = std::max<Index>(
      1, Index{1 << 20} / (queries * std::max({r.key.rows, r.query.columns, value_dim})));
  std::vector<double> sum(static_cast<std::size_t>(queries * value_dim), 0.0);
  Run run{.training = true, .random = {.seed = r.seed}};
  for (Index done = 0; done < r.samples; done += at_once) {
    const Index heads = std::min(at_once, r.samples - done);
    const Tensor query =
        tensor(r.query).broadcast_to({1, heads, queries, r.query.columns}).packed();
    const Tensor output =
        attend(query, tensor(r.key), tensor(r.value), attend_hard, run).output.value().packed();
    for (Index i = 0; i < output.size(); ++i) {
      sum[static_cast<std::size_t>(i) % sum.size()] += output.data()[i];
    }
  }
  Tensor mean({queries, value_dim});
  for (std::size_t i = 0; i < sum.size(); ++i) {
    mean.data()[i] = static_cast<float>(sum[i] / static_cast<double>(r.samples));
  }
  return mean;
}

std::string hard_answer(const AttendRequest& r, Attend attend_hard) {
  attend_hard.reading = hard();
  const Attended chosen = attend(tensor(r.query), tensor(r.key), tensor(r.value), attend_hard);
  std::vector<std::string> index;
  for (const std::int32_t key : chosen.choice.values()) {
    index.push_back(key < 0 ? "null" : std::to_string(key));
  }
  const std::string mean =
      r.samples > 0 ? ",\"mean_output\":" + numbers(mean_of_samples(r, attend_hard)) : "";
  return fmt::format(R"({{"index":[{}],"output":{}{}}})", fmt::join(index, ","),
                     numbers(chosen.output.value().reshape({r.query.rows, -1})), mean);
}

// The mean over samples of the score function's estimates of the gradient below, [query, key].
// baseline [1, 1, query], or empty: what is taken off the reward.
Tensor estimate(const AttendRequest& r, Attend attend_hard, const Tensor& baseline) {
  const Index queries = r.query.rows, keys = r.key.rows;
  const Index widest = std::max({keys, r.query.columns, r.value.columns});
  const Index at_once = std::max<Index>(1, Index{1 << 18} / (queries * widest));
  Tensor sum = Tensor::zeros({1, 1, queries, keys});
  Run run{.training = true, .random = {.seed = r.seed}};
  for (Index done = 0; done < r.samples; done += at_once) {
    const Index heads = std::min(at_once, r.samples - done);
    const Var scores = Var::parameter(Tensor::zeros({1, 1, queries, keys}));
    attend_hard.bias = scores;
    const Tensor query =
        tensor(r.query).broadcast_to({1, heads, queries, r.query.columns}).packed();
    const Attended thrown = attend(query, tensor(r.key), tensor(r.value), attend_hard, run);
    const Var reward = fovea::sum(thrown.output, -1, false);
    const Var surrogate =
        score_function(thrown.log_probability, reward.value(),
                       baseline ? baseline.broadcast_to({1, heads, queries}).packed() : Tensor());
    const Tensor gradient = gradients(surrogate, {scores})[0].packed();
    for (Index i = 0; i < sum.size(); ++i) sum.data()[i] += gradient.data()[i];
  }
  const float share = 1 / (static_cast<float>(r.samples) * r.temperature);
  for (float& value : sum.flat()) value *= share;
  return sum.reshape({queries, keys});
}

// Of the expected output, its numbers added up, by the scores: exactly, and from samples, the
// reward as it is or less its expectation.
std::string gradient_answer(const AttendRequest& r, const Attend& attention) {
  const Index queries = r.query.rows, keys = r.key.rows;
  const Var scores = Var::parameter(Tensor::zeros({1, 1, queries, keys}));
  Attend soft_reading = attention, hard_reading = attention;
  soft_reading.bias = scores;
  hard_reading.reading = hard();
  const Attended expected = attend(tensor(r.query), tensor(r.key), tensor(r.value), soft_reading);
  const Var reward = sum(expected.output, -1, false);  // [1, 1, query]
  Tensor exact = gradients(sum(reward), {scores})[0].packed().reshape({queries, keys});
  for (float& value : exact.flat()) value /= r.temperature;
  if (r.samples == 0) return fmt::format(R"({{"exact":{}}})", numbers(exact));
  return fmt::format(R"({{"exact":{},"sampled":{},"with_baseline":{}}})", numbers(exact),
                     numbers(estimate(r, hard_reading, {})),
                     numbers(estimate(r, hard_reading, reward.value())));
}

}  // namespace

std::string attend_answer(const AttendRequest& r) {
  const Attend attention = how(r);
  Attended attended;
  std::string hard = "null", gradient;
  try {
    if (r.gradient) gradient = ",\"gradient\":" + gradient_answer(r, attention);
    const NoGrad guard;
    attended = attend(tensor(r.query), tensor(r.key), tensor(r.value), attention);
    // A hard reading draws from a distribution; scores as they are need not be one.
    if (r.normalizer != "none") hard = hard_answer(r, attention);
  } catch (const Refusal&) {
    throw;
  } catch (const Error& error) {  // shapes that do not fit
    refuse(400, "/api/attend: {}", error.what());
  }
  Tensor scores = attended.scores({});
  for (float& score : scores.flat()) score *= r.temperature;
  return fmt::format(R"({{"scores":{},"weights":{},"output":{},"entropy":{},"hard":{}{}}})",
                     numbers(scores), numbers(attended.weights({})),
                     numbers(attended.output.value().reshape({r.query.rows, -1})),
                     numbers(attended.row_entropy().reshape({-1})), hard, gradient);
}

}  // namespace fovea
