// Ops on Vars: each computes its value at once and records its backward pass. Definitions stand
// with their backward passes in the op_*.cc file named in each section.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/autograd/prepared.h"
#include "fovea/autograd/var.h"
#include "fovea/base/random.h"
#include "fovea/tensor/ids.h"
#include "fovea/tensor/math.h"

namespace fovea {

// --- op_arithmetic.cc: shapes broadcast

Var operator+(const Var& a, const Var& b);
Var operator-(const Var& a, const Var& b);
Var operator*(const Var& a, const Var& b);
Var operator/(const Var& a, const Var& b);
Var operator+(const Var& x, float number);
Var operator-(const Var& x, float number);
Var operator*(const Var& x, float number);
Var operator/(const Var& x, float number);
Var operator+(float number, const Var& x);
Var operator-(float number, const Var& x);
Var operator*(float number, const Var& x);
Var operator/(float number, const Var& x);
Var operator-(const Var& x);
Var maximum(const Var& a, const Var& b);  // where equal, the gradient goes to a
Var minimum(const Var& a, const Var& b);

// --- op_activation.cc: one number in, one number out

Var exp(const Var& x);
Var log(const Var& x);
Var tanh(const Var& x);
Var sigmoid(const Var& x);
Var relu(const Var& x);
Var leaky_relu(const Var& x, float slope = 0.01f);
Var elu(const Var& x, float alpha = 1.0f);
Var gelu(const Var& x);  // exact: x P(N <= x)
Var silu(const Var& x);
Var square(const Var& x);
Var sqrt(const Var& x);
Var abs(const Var& x);
Var maxout(const Var& x, Index pool = 2);  // maximum over each `pool` neighbours of the last axis

// --- op_matmul.cc

Var matmul(const Var& a, const Var& b);  // [..., m, k] x [..., k, n], leading axes broadcast
// activation(x weight + bias + plus): x [..., in], weight [in, out], bias [out] or none, plus as
// the result or none.
Var linear(const Var& x, const Var& weight, const Var& bias = {},
           Activation activation = Activation::kNone, const Var& plus = {});
Var linear(const Var& x, const PreparedWeight& weight, const Var& bias = {},
           Activation activation = Activation::kNone, const Var& plus = {});
// x table' + bias: x [..., dim] against every row of a table [vocab, dim], bias [vocab] or none.
// The output layer that shares an embedding (Press and Wolf 2017).
Var linear_tied(const Var& x, const Var& table, const Var& bias = {});
Var linear_tied(const Var& x, const PreparedWeight& table, const Var& bias = {});

// --- op_reduce.cc

Var sum(const Var& x);  // all numbers, to one
Var mean(const Var& x);
Var sum(const Var& x, int axis, bool keep = false);
Var mean(const Var& x, int axis, bool keep = false);
// [batch, time, dim] -> [batch, dim], of the first lengths[b] steps: what follows is padding
Var mean(const Var& x, std::span<const Index> lengths);
Var max(const Var& x, int axis,
        bool keep = false);  // where several are largest, the gradient goes to the first

// --- op_softmax.cc: over the last axis

Var softmax(const Var& x);
Var log_softmax(const Var& x);

struct CrossEntropy {
  float label_smoothing = 0;  // this share of the target is spread over all classes
  std::int32_t ignore = -1;   // positions with this label count for nothing
  bool mean = true;           // else the sum over positions
};
// -log softmax(logits)[label], averaged over the labels that count. logits [..., vocab], labels as
// many as rows.
Var cross_entropy(const Var& logits, const Ids& labels, const CrossEntropy& options = {});
// The same of linear(x, weight, bias), or of linear_tied(x, table, bias), in a fraction of the
// memory: some rows' logits at a time, and gradients from them at once.
Var linear_cross_entropy(const Var& x, const Var& weight, const Var& bias, const Ids& labels,
                         const CrossEntropy& options = {});
Var linear_tied_cross_entropy(const Var& x, const Var& table, const Var& bias, const Ids& labels,
                              const CrossEntropy& options = {});

// --- op_norm.cc

Var layer_norm(const Var& x, const Var& gain, const Var& bias,
               float epsilon = 1e-5f);  // over the last axis; bias may be empty
Var rms_norm(const Var& x, const Var& gain, float epsilon = 1e-6f);
// x / |x| over the last axis, whatever the size of x. A vector of zeros has none: it stays, and
// gets no gradient.
Var direction(const Var& x);

// --- op_dropout.cc

Var dropout(const Var& x, float probability,
            Random& random);  // what stays is scaled by 1 / (1 - probability)

// --- op_gather.cc

// Rows of a table [vocab, dim] -> [ids..., dim]. The gradient adds to the rows that were read and
// touches no other.
Var embedding(const Var& table, const Ids& ids);
Var gather(const Var& x, int axis, const Ids& ids);  // x[..., ids[i], ...]: slices along an axis
Var pick(const Var& x, const Ids& ids);  // x[..., ids[i]]: one number of each row of the last axis

// --- op_shape.cc

Var reshape(const Var& x, const Shape& shape);  // one extent may be -1
Var transpose(const Var& x, int axis_a = -2, int axis_b = -1);
Var slice(const Var& x, int axis, Index begin, Index end);
Var select(const Var& x, int axis, Index at);
Var squeeze(const Var& x, int axis);
Var unsqueeze(const Var& x, int axis);
Var broadcast_to(const Var& x, const Shape& shape);
Var concat(std::span<const Var> parts, int axis);
Var concat(std::initializer_list<Var> parts, int axis);
Var stack(std::span<const Var> parts, int axis);  // along a new axis
Var split_heads(const Var& x,
                Index heads);  // [batch, time, head * dim] -> [batch, head, time, dim]
Var merge_heads(const Var& x);

// --- op_conv.cc: images [batch, channel, height, width]

struct Conv2d {
  Index stride = 1;
  Index padding = 0;
  Index dilation = 1;
  Index groups = 1;
};
// weight [channel_out, channel_in / groups, kernel_height, kernel_width], bias [channel_out] or
// none. ReLU costs nothing extra.
Var conv2d(const Var& x, const Var& weight, const Var& bias = {}, const Conv2d& options = {},
           Activation activation = Activation::kNone);

// --- op_pool.cc

struct Pool2d {
  Index size = 2;
  Index stride = 0;  // 0: as large as size
  Index padding = 0;
};
Var max_pool2d(const Var& x, const Pool2d& options = {});
Var average_pool2d(const Var& x, const Pool2d& options = {});  // padding does not count
Var resize_bilinear(const Var& x, Index height, Index width);  // centres of pixels align

// --- op_batch_norm.cc

// Over all axes but channel (axis 1). In training: the statistics of this batch, which also move
// the memory of `running_*` by `momentum`; else: the running ones.
struct BatchNormState {
  Tensor running_mean, running_variance;  // [channel]
};
struct BatchNorm {
  bool training = false;
  float momentum = 0.1f;
  float epsilon = 1e-5f;
  bool relu = false;  // max(0, that)
};
Var batch_norm(const Var& x, const Var& gain, const Var& bias, const BatchNormState& state,
               const BatchNorm& options);

// --- op_sampled.cc: gradients for choices that are sampled

// The value of `hard`, the gradient of `soft`: straight through the choice (Bengio et al. 2013).
Var straight_through(const Var& hard, const Var& soft);
// A value whose gradient is the score-function estimate of d E[reward] / d parameters (REINFORCE,
// Williams 1992): sum over samples of (reward - baseline) * log_probability; reward and baseline
// carry no gradient here.
Var score_function(const Var& log_probability, const Tensor& reward, const Tensor& baseline = {});
// One index per row of the last axis, drawn from softmax(logits), or its largest.
Ids sample_categorical(const Tensor& logits, Random& random);
Ids argmax(const Tensor& logits);
// One-hot rows [..., classes].
Tensor one_hot(const Ids& ids, Index classes);
// Adds Gumbel noise and divides by temperature before a softmax: a differentiable sample (Jang et
// al. 2017).
Var gumbel_softmax(const Var& logits, float temperature, Random& random);

}  // namespace fovea
