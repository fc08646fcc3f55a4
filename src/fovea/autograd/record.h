// For the makers of ops: record() ties a value to its inputs and its backward pass. See STYLE in
// CONTRIBUTING.md.
//
//   Var tanh(const Var& x) {
//     Tensor y = map(Unary::kTanh, x.value());
//     return record("tanh", y, {x}, [=](const Tensor& d_y) {
//       add_to_grad(x, zip(Binary::kTanhBackward, d_y, y));
//     });
//   }
//
// A backward captures inputs and values, never its own output Var: that would be a cycle.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "fovea/autograd/var.h"
#include "fovea/tensor/ids.h"

namespace fovea {
namespace detail {

struct Node {
  explicit Node(Tensor v) : value(std::move(v)) {}
  virtual ~Node() = default;
  virtual void run_backward(const Tensor&) {}
  virtual void forget() {}  // frees what the backward pass kept

  static Var adopt(Node* node) {  // the first holder
    Var var;
    var.node_ = node;
    return var;
  }

  std::atomic<int> holders{1};
  bool needs_grad = false;
  bool leaf = true;
  bool wanted = false;      // in the current walk; inner nodes only
  bool freed = false;       // a walk has used up what the backward pass kept
  bool hub = false;         // stands for several outputs: see record_many
  std::uint64_t order = 0;  // grows with creation, so inputs come before outputs
  std::uint64_t walk = 0;   // the last walk that reached this node; inner nodes only
  const char* name = "";
  Node* next_doomed = nullptr;
  Tensor value;
  Tensor grad;
  // Of a table that was only read by rows: `grad` is 0 outside grad_rows, and `zeros` is the memory
  // for the next one.
  bool rows_only = false;
  std::vector<std::int32_t> grad_rows;
  Tensor zeros;
  std::vector<Var> inputs;
};

template <class Backward>
struct RecordedNode final : Node {
  RecordedNode(Tensor v, Backward b) : Node(std::move(v)), backward(std::move(b)) {}
  void run_backward(const Tensor& d_y) override { (*backward)(d_y); }
  void forget() override { backward.reset(); }
  std::optional<Backward> backward;
};

bool records(std::span<const Var> inputs);
void attach(Node& node, const char* name, std::span<const Var> inputs);
Tensor* grad_slot(const Var& x);

}  // namespace detail

// The op `name` computed `value` from `inputs`; backward(d_y) must add_to_grad the inputs it knows.
template <class Backward>
Var record(const char* name, Tensor value, std::span<const Var> inputs, Backward backward) {
  if (!detail::records(inputs)) return Var(std::move(value));
  auto* node = new detail::RecordedNode<Backward>(std::move(value), std::move(backward));
  detail::attach(*node, name, inputs);
  return detail::Node::adopt(node);
}
template <class Backward>
Var record(const char* name, Tensor value, std::initializer_list<Var> inputs, Backward backward) {
  return record(name, std::move(value), std::span<const Var>(inputs.begin(), inputs.size()),
                std::move(backward));
}

// An op with several outputs. backward gets one gradient for each; those that nobody asked for are
// empty.
std::vector<Var> record_many(const char* name, std::vector<Tensor> values,
                             std::span<const Var> inputs,
                             std::function<void(std::span<const Tensor> d_values)> backward);

// Inside a backward: is dLoss/dx asked for? If not, computing it would be wasted.
inline bool wants_grad(const Var& x) { return detail::grad_slot(x) != nullptr; }

// Inside a backward: dLoss/dx += d_x. Does nothing when the gradient is not asked for.
void add_to_grad(const Var& x, Tensor d_x);

// Inside a backward: row ids[i] of dLoss/dtable += row i of d_rows. Of a parameter, only those rows
// are touched and remembered (Var::grad_rows), however large the table is.
void add_rows_to_grad(const Var& table, const Ids& ids, const Tensor& d_rows);

// Inside a backward: dLoss/dweight += x' g, for x [..., rows, in] and g [..., rows, out], of a
// batch each with its own. Few rows wait until there are many or the gradient is read, so that the
// steps of a decoder cost one large product.
void add_product_to_grad(const Var& weight, const Tensor& x, const Tensor& g);

// dLoss/dx without a temporary: calls compute(d_x, add), which must add to d_x, or overwrite it
// when `add` is false.
template <class Compute>
void compute_grad(const Var& x, const Compute& compute) {
  Tensor* slot = detail::grad_slot(x);
  if (slot == nullptr) return;
  if (*slot && slot->unshared() && slot->contiguous()) {
    if (slot == &x.node()->grad) x.node()->rows_only = false;
    compute(*slot, true);
  } else {
    Tensor d_x(x.shape());
    compute(d_x, false);
    add_to_grad(x, std::move(d_x));
  }
}

}  // namespace fovea
