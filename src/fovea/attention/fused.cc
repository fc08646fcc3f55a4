#include "fovea/attention/fused.h"

#include "fovea/attention/head_view.h"
#include "fovea/autograd/record.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

Index bias_stride(const Tensor& bias, int axis) {
  return bias.shape(axis) == 1 ? 0 : bias.stride(axis);
}

template <class Number, class Source>
kernels::BiasView<Number> dense_bias(Source& bias) {
  return {bias.data(), bias_stride(bias, 0), bias_stride(bias, 1), bias_stride(bias, 2),
          bias_stride(bias, 3)};
}

// By distance: entry key - query + (queries - 1), so one step along the queries is one step back.
template <class Number, class Source>
kernels::BiasView<Number> relative_bias(Source& relative, Index queries, Index batch_stride,
                                        Index head_stride) {
  return {relative.data() + queries - 1, batch_stride, head_stride, -1, 1};
}

kernels::AttentionInput input_of(const AttentionParts& p, const Tensor& query, const Tensor& key,
                                 const Tensor& value, const Tensor& relative) {
  kernels::AttentionInput in{.shape = p.shape,
                             .query = heads(query),
                             .key = heads(key),
                             .value = heads(value),
                             .scale = p.scale,
                             .softcap = p.softcap,
                             .dropout = p.dropout};
  if (p.bias) in.bias = dense_bias<const float>(p.bias.value());
  if (relative) {
    in.bias = relative_bias<const float>(relative, p.shape.query, 0,
                                         relative.shape(0) == 1 ? 0 : relative.stride(0));
  }
  if (p.visible) in.visible = p.visible->view();
  return in;
}

// The gradient of a bias gets a place of its own for every batch and head, because they are
// computed at once; then it is summed over those that share it.
struct BiasGradient {
  explicit BiasGradient(const AttentionParts& p) {
    if (p.bias && wants_grad(p.bias)) {
      var = p.bias;
      const Shape& s = var.shape();
      sums = Tensor::zeros({p.shape.batch, p.shape.head, s[2], s[3]});
      view = dense_bias<float>(sums);
    } else if (p.relative && wants_grad(p.relative)) {
      var = p.relative;
      const Index length = var.shape(1);
      sums = Tensor::zeros({p.shape.batch, p.shape.head, length});
      view = relative_bias<float>(sums, p.shape.query, p.shape.head * length, length);
    }
  }
  void add() const {
    if (!var) return;
    add_to_grad(var, var.shape().rank() == 2 ? sum_to(sum(sums, 0), var.shape())
                                             : sum_to(sums, var.shape()));
  }

  Var var;
  Tensor sums;
  kernels::BiasView<float> view;
};

// Where the kernel puts the gradient of x: adds it to what is there, as at every step of a decoder
// but the first, or writes it. Never adds to what it adds another gradient to, at the same time.
class GradientPlace {
 public:
  GradientPlace(const Var& x, std::initializer_list<const Var*> others) : x_(x) {
    if (!x) return;
    Tensor* slot = detail::grad_slot(x);
    bool there = slot != nullptr && *slot && slot->unshared() && slot->contiguous();
    for (const Var* other : others) there = there && other->node() != x.node();
    if (there) {
      if (slot == &x.node()->grad) x.node()->rows_only = false;
      in_place_ = slot;
    } else {
      own_ = Tensor(x.shape());
    }
  }
  bool adds() const { return in_place_ != nullptr; }
  Tensor& tensor() { return in_place_ != nullptr ? *in_place_ : own_; }
  void add() {
    if (own_) add_to_grad(x_, std::move(own_));
  }

 private:
  const Var& x_;
  Tensor* in_place_ = nullptr;
  Tensor own_{};
};

}  // namespace

std::shared_ptr<detail::Looked> looked_at(const AttentionParts& p) {
  return std::make_shared<detail::Looked>(
      detail::Looked{.shape = {p.shape.batch, p.shape.head, p.shape.query, p.shape.key},
                     .kv_head = p.shape.kv_head,
                     .query = p.query ? p.query.value() : Tensor(),
                     .key = p.key ? p.key.value() : Tensor(),
                     .scale = p.scale,
                     .softcap = p.softcap,
                     .bias = p.bias ? p.bias.value() : Tensor(),
                     .relative = p.relative ? p.relative.value() : Tensor(),
                     .late_bias = p.late_bias ? p.late_bias.value() : Tensor(),
                     .visible = p.visible});
}

Attended fused_attention(const AttentionParts& p) {
  const kernels::AttentionShape& s = p.shape;
  const auto vectors = [](const Var& x) { return x ? with_vectors(x.value()) : Tensor(); };
  const Tensor query = vectors(p.query), key = vectors(p.key), value = vectors(p.value);
  const Tensor relative = p.relative ? p.relative.value().packed() : Tensor();
  const kernels::AttentionInput in = input_of(p, query, key, value, relative);
  Tensor out({s.batch, s.head, s.query, s.value_dim});
  Tensor logsumexp({s.batch, s.head, s.query});
  const auto learns = [](const Var& x) { return x && x.needs_grad(); };
  const bool goes_back = grad_enabled() && (learns(p.query) || learns(p.key) || learns(p.value) ||
                                            learns(p.bias) || learns(p.relative));
  const Index keeps = goes_back ? kernels::attention_keeps(in) : 0;
  Tensor kept = keeps > 0 ? Tensor({keeps}) : Tensor();
  kernels::attention_forward({.in = in,
                              .out = heads_to_write(out),
                              .logsumexp = logsumexp.data(),
                              .kept = data_or_null(kept)});

  const Var output = record(
      "attend", out, {p.query, p.key, p.value, p.bias, p.relative}, [=](const Tensor& d_out) {
        const Tensor d = with_vectors(d_out);
        GradientPlace d_query(p.query, {&p.key, &p.value}), d_key(p.key, {&p.query, &p.value}),
            d_value(p.value, {&p.query, &p.key});
        const BiasGradient bias(p);
        kernels::attention_backward({.in = input_of(p, query, key, value, relative),
                                     .out = heads(out),
                                     .logsumexp = logsumexp.data(),
                                     .d_out = heads(d),
                                     .d_query = heads_to_write(d_query.tensor()),
                                     .d_key = heads_to_write(d_key.tensor()),
                                     .d_value = heads_to_write(d_value.tensor()),
                                     .d_bias = bias.view,
                                     .add_query = d_query.adds(),
                                     .add_key = d_key.adds(),
                                     .add_value = d_value.adds(),
                                     .kept = data_or_null(kept)});
        for (GradientPlace* place : {&d_query, &d_key, &d_value}) place->add();
        bias.add();
      });
  auto looked = looked_at(p);
  looked->logsumexp = logsumexp;
  Attended result;
  result.output = output;
  result.looked = std::move(looked);
  return result;
}

}  // namespace fovea
