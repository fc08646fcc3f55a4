#include "fovea/autograd/var.h"

#include <algorithm>
#include <cassert>
#include <memory>

#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/matmul.h"
#include "fovea/tensor/math.h"

namespace fovea {
namespace {

using detail::Node;

thread_local bool grad_is_enabled = true;

std::atomic<std::uint64_t> next_order{1};
std::atomic<std::uint64_t> next_walk{1};

// x' g of one matrix or batch of matrices, gathered over its uses.
struct Products {
  Node* node;
  std::vector<Tensor> x, g;  // [batch, rows, in], [batch, rows, out] each
  Index rows = 0;
};

// One walk from an output back to its inputs.
struct Walk {
  std::uint64_t id = next_walk.fetch_add(1, std::memory_order_relaxed);
  std::span<const Var> targets;      // empty: every parameter
  std::vector<Tensor> target_grads;  // as many as targets
  std::vector<Products> waiting;     // see add_product_to_grad

  std::vector<Products>::iterator waiting_for(const Node* node) {
    return std::find_if(waiting.begin(), waiting.end(),
                        [&](const Products& p) { return p.node == node; });
  }

  // Where the gradient of a node is summed; null when it is not asked for.
  Tensor* slot(Node* node) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i].node() == node) return &target_grads[i];
    }
    if (node->leaf) return targets.empty() && node->needs_grad ? &node->grad : nullptr;
    return node->wanted && node->walk == id ? &node->grad : nullptr;
  }
};

thread_local Walk* current_walk = nullptr;

// Parts [batch, its rows, columns] as [batch, rows, columns].
Tensor one_below_the_other(const std::vector<Tensor>& parts, Index rows) {
  if (parts.size() == 1) return parts[0];
  const Index batch = parts[0].shape(0), columns = parts[0].shape(2);
  Tensor all({batch, rows, columns});
  std::vector<float*> to{all.data()};
  for (const Tensor& part : parts) to.push_back(to.back() + part.shape(1) * columns);
  const Index count = static_cast<Index>(parts.size());
  constexpr Index kNumbersPerChunk = 1 << 14;
  const Index grain = std::max<Index>(1, kNumbersPerChunk * count / std::max<Index>(1, all.size()));
  parallel_for(count, grain, [&](Index begin, Index end) {
    for (std::size_t i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Index size = parts[i].shape(1) * columns;
      for (Index b = 0; b < batch; ++b) {
        std::copy_n(parts[i].data() + b * size, size, to[i] + b * rows * columns);
      }
    }
  });
  return all;
}

void add_products(Walk& walk, const Products& products) {
  Node* node = products.node;
  Tensor& grad = *walk.slot(node);
  if (&grad == &node->grad) node->rows_only = false;
  const bool add = static_cast<bool>(grad);
  if (!add) {
    grad = Tensor(node->value.shape());
  } else if (!grad.unshared() || !grad.contiguous()) {
    grad = grad.copy();
  }
  const Tensor x = one_below_the_other(products.x, products.rows);
  const Tensor g = one_below_the_other(products.g, products.rows);
  const Index in = x.shape(2), out = g.shape(2);
  kernels::matmul({.rows = in,
                   .columns = out,
                   .depth = products.rows,
                   .a = {x.data(), 1, in},
                   .b = {g.data(), out, 1},
                   .c = grad.data(),
                   .c_row = out,
                   .accumulate = add,
                   .batch = x.shape(0),
                   .a_batch = products.rows * in,
                   .b_batch = products.rows * out,
                   .c_batch = in * out});
}

// What waits for a gradient that is about to be read.
void add_waiting_products(Walk& walk, const Node* node) {
  const auto waits = walk.waiting_for(node);
  if (waits == walk.waiting.end()) return;
  add_products(walk, *waits);
  walk.waiting.erase(waits);
}

// Inner nodes that y depends on, inputs before outputs; held, because freeing one may end others
// that the walk has yet to reach. Iterative: chains may be very long.
std::vector<Var> reach(const Var& y, std::uint64_t id) {
  std::vector<Var> found;
  auto visit = [&](const Var& var) {
    Node* node = var.node();
    if (node->leaf || node->walk == id) return;
    if (node->freed) {
      fail(
          "backward: '{}' belongs to a graph that an earlier backward() walked and freed; "
          "add the losses and walk once, or use gradients(), which keeps the graph",
          node->name);
    }
    node->walk = id;
    found.push_back(var);
  };
  visit(y);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Var& input : found[i].node()->inputs) visit(input);
  }
  std::sort(found.begin(), found.end(),
            [](const Var& a, const Var& b) { return a.node()->order < b.node()->order; });
  return found;
}

// A parameter's gradient is one tensor with whatever else the walk handed it to; those who write to
// it need numbers of its own, in their order.
void settle(const Var& x) {
  Tensor& grad = x.node()->grad;
  if (x.node()->leaf && grad && (!grad.unshared() || !grad.contiguous())) grad = grad.copy();
}

void check_seed(const Var& y, const Tensor& seed) {
  if (!y) fail("backward: the value is empty");
  if (!(seed.shape() == y.shape())) {
    fail("backward: the seed has shape {} but the value has {}", seed.shape().text(),
         y.shape().text());
  }
}

// `keep`: the graph can be walked again.
void run(Walk& walk, const Var& y, const Tensor& seed, bool keep) {
  std::vector<Var> open = reach(y, walk.id);
  for (const Var& var : open) {
    Node* node = var.node();
    node->grad = Tensor();  // a walk that failed may have left one
    node->wanted = walk.targets.empty();
    for (const Var& input : node->inputs) {
      node->wanted = node->wanted || walk.slot(input.node()) != nullptr;
    }
  }
  struct Current {  // also restored when a backward throws
    Walk* outer = current_walk;
    explicit Current(Walk* walk) { current_walk = walk; }
    ~Current() { current_walk = outer; }
  } current(&walk);
  add_to_grad(y, seed);
  if (!keep) settle(y);
  for (; !open.empty(); open.pop_back()) {
    Node* node = open.back().node();
    if (!node->wanted) continue;
    add_waiting_products(walk, node);
    // A target in between keeps its gradient; any other inner gradient ends its life here.
    Tensor* slot = walk.slot(node);
    Tensor d_y = slot == &node->grad ? std::exchange(node->grad, Tensor()) : *slot;
    if (d_y || node->hub) node->run_backward(d_y);
    if (keep) continue;
    d_y = Tensor();
    node->forget();
    for (const Var& input : node->inputs) settle(input);
    node->inputs.clear();
    node->freed = true;
  }
  for (const Products& products : walk.waiting) add_products(walk, products);
}

}  // namespace

Var::Var(Tensor value) : node_(new Node(std::move(value))) {}

Var Var::parameter(Tensor value) {
  Var var(std::move(value));
  var.node_->needs_grad = true;
  return var;
}

Var::Var(const Var& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->holders.fetch_add(1, std::memory_order_relaxed);
}

Var::~Var() {
  if (node_ == nullptr || node_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // A node's end may end the nodes it holds, and theirs: a list instead of the stack. It has no
  // destructor, so that a static Var may end after it.
  thread_local Node* doomed = nullptr;
  thread_local bool deleting = false;
  node_->next_doomed = std::exchange(doomed, node_);
  if (deleting) return;
  deleting = true;
  while (doomed != nullptr) delete std::exchange(doomed, doomed->next_doomed);
  deleting = false;
}

const Tensor& Var::value() const {
  if (node_ == nullptr) fail("Var: used before it was given a value");
  return node_->value;
}

bool Var::needs_grad() const { return node_ != nullptr && node_->needs_grad; }

const Tensor& Var::grad() const {
  if (node_ == nullptr) fail("Var: used before it was given a value");
  return node_->grad;
}

Tensor& Var::mutable_grad() { return const_cast<Tensor&>(std::as_const(*this).grad()); }
void Var::clear_grad() {
  Tensor& grad = mutable_grad();
  if (const std::vector<std::int32_t>* rows = grad_rows(); rows != nullptr && grad.unshared()) {
    const Index dim = grad.shape(1);
    for (const std::int32_t row : *rows) std::fill_n(grad.data() + row * dim, dim, 0.0f);
    node_->zeros = std::move(grad);
  }
  node_->rows_only = false;
  node_->grad_rows.clear();
  grad = Tensor();
}

const std::vector<std::int32_t>* Var::grad_rows() const {
  return node_ != nullptr && node_->rows_only ? &node_->grad_rows : nullptr;
}

Tensor& Var::mutable_value() { return const_cast<Tensor&>(value()); }

NoGrad::NoGrad() : saved_(std::exchange(grad_is_enabled, false)) {}
NoGrad::~NoGrad() { grad_is_enabled = saved_; }
bool grad_enabled() { return grad_is_enabled; }

namespace detail {

bool records(std::span<const Var> inputs) {
  return grad_is_enabled &&
         std::any_of(inputs.begin(), inputs.end(), [](const Var& x) { return x.needs_grad(); });
}

void attach(Node& node, const char* name, std::span<const Var> inputs) {
  node.name = name;
  node.leaf = false;
  node.needs_grad = true;
  node.order = next_order.fetch_add(1, std::memory_order_relaxed);
  node.inputs.reserve(inputs.size());
  for (const Var& input : inputs) {
    if (input.needs_grad()) node.inputs.push_back(input);
  }
}

Tensor* grad_slot(const Var& x) {
  assert(current_walk != nullptr);
  return x ? current_walk->slot(x.node()) : nullptr;
}

}  // namespace detail

void add_to_grad(const Var& x, Tensor d_x) {
  Tensor* slot = detail::grad_slot(x);
  if (slot == nullptr) return;
  assert(d_x.shape() == x.shape());
  if (slot == &x.node()->grad) x.node()->rows_only = false;
  if (!*slot) {
    *slot = std::move(d_x);
  } else if (slot->unshared() && slot->contiguous()) {
    const Tensor packed = d_x.packed();
    kernels::add_scaled(packed.data(), 1.0f, slot->data(), slot->size());
  } else {
    *slot = zip(kernels::Binary::kAdd, *slot, d_x);
  }
}

void add_rows_to_grad(const Var& table, const Ids& ids, const Tensor& d_rows) {
  Tensor* slot = detail::grad_slot(table);
  if (slot == nullptr) return;
  Node* node = table.node();
  const Index dim = table.shape(1);
  const bool of_parameter = slot == &node->grad && node->leaf;
  if (!*slot) {
    *slot = of_parameter && node->zeros ? std::move(node->zeros) : Tensor::zeros(table.shape());
    if (of_parameter) node->rows_only = true;
  } else if (!slot->unshared() || !slot->contiguous()) {
    *slot = slot->copy();
  }
  for (Index i = 0; i < ids.size(); ++i) {
    kernels::add_scaled(d_rows.data() + i * dim, 1.0f, slot->data() + ids[i] * dim, dim);
  }
  if (!node->rows_only || !of_parameter) return;
  std::vector<std::int32_t>& rows = node->grad_rows;
  rows.insert(rows.end(), ids.values().begin(), ids.values().end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

void add_product_to_grad(const Var& weight, const Tensor& x, const Tensor& g) {
  // A product of kManyRows runs at full speed; more than kMostRows would only take memory.
  constexpr Index kManyRows = 64, kMostRows = 2048;
  if (!wants_grad(weight)) return;
  Node* node = weight.node();
  std::vector<Products>& waiting = current_walk->waiting;
  auto same = current_walk->waiting_for(node);
  if (same == waiting.end()) same = waiting.insert(same, {.node = node, .x = {}, .g = {}});
  const Index rows = x.shape(-2), in = x.shape(-1), out = g.shape(-1);
  const Index batch = x.shape().removed(-1).removed(-1).size();
  same->x.push_back(x.packed().reshape({batch, rows, in}));
  same->g.push_back(g.packed().reshape({batch, rows, out}));
  same->rows += rows;
  // Of a batch, at most as many numbers wait as the gradient has.
  const Index most = x.rank() == 2 ? kMostRows : in * out / std::max<Index>(1, in + out);
  if (rows < kManyRows && same->rows < most) return;
  add_products(*current_walk, *same);
  waiting.erase(same);
}

std::vector<Var> record_many(const char* name, std::vector<Tensor> values,
                             std::span<const Var> inputs,
                             std::function<void(std::span<const Tensor>)> backward) {
  std::vector<Var> outputs;
  if (!detail::records(inputs)) {
    for (Tensor& value : values) outputs.emplace_back(std::move(value));
    return outputs;
  }
  // The hub has the inputs; each output hands its gradient to the hub, which runs after all of
  // them.
  struct Arrived {
    std::uint64_t walk = 0;  // a walk that failed may have left what is here
    std::vector<Tensor> d_values;
  };
  auto arrived = std::make_shared<Arrived>();
  const std::size_t count = values.size();
  const Var hub = record(name, Tensor(), inputs, [=, run = std::move(backward)](const Tensor&) {
    if (arrived->walk == current_walk->id) run(std::exchange(arrived->d_values, {}));
  });
  hub.node()->hub = true;
  for (std::size_t i = 0; i < count; ++i) {
    outputs.push_back(record(name, std::move(values[i]), {hub}, [=](const Tensor& d_y) {
      if (std::exchange(arrived->walk, current_walk->id) != current_walk->id) {
        arrived->d_values.assign(count, Tensor());
      }
      arrived->d_values[i] = d_y;
    }));
  }
  return outputs;
}

void backward(const Var& y, const Tensor& seed) {
  check_seed(y, seed);
  if (!y.needs_grad()) fail("backward: the value depends on no parameter");
  Walk walk;
  run(walk, y, seed, false);
}

void backward(const Var& y) {
  if (y && y.value().size() != 1) {
    fail("backward: {} holds {} numbers; give a seed or reduce it to one", y.shape().text(),
         y.value().size());
  }
  backward(y, y ? Tensor::full(y.shape(), 1.0f) : Tensor());
}

std::vector<Tensor> gradients(const Var& y, std::span<const Var> inputs, const Tensor& seed) {
  check_seed(y, seed);
  for (const Var& input : inputs) {
    if (!input.needs_grad())
      fail("gradients: an input of shape {} takes no gradient; make it a Var::parameter",
           input.shape().text());
  }
  Walk walk;
  walk.targets = inputs;
  walk.target_grads.resize(inputs.size());
  if (y.needs_grad()) run(walk, y, seed, true);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {  // asked for twice: answered twice
      if (inputs[j].node() == inputs[i].node()) walk.target_grads[i] = walk.target_grads[j];
    }
    Tensor& grad = walk.target_grads[i];
    if (!grad) grad = Tensor::zeros(inputs[i].shape());
    if (!grad.unshared() || !grad.contiguous()) grad = grad.copy();  // the graph goes on using it
  }
  return std::move(walk.target_grads);
}

std::vector<Tensor> gradients(const Var& y, std::initializer_list<Var> inputs) {
  return gradients(y, inputs, Tensor::full(y.shape(), 1.0f));
}

std::vector<Tensor> gradients(const Var& y, std::initializer_list<Var> inputs, const Tensor& seed) {
  return gradients(y, std::span<const Var>(inputs.begin(), inputs.size()), seed);
}

}  // namespace fovea
