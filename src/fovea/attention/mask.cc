#include "fovea/attention/mask.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/error.h"

namespace fovea {

using kernels::Interval;
using Intervals = std::vector<Interval>;

// Each kind of mask says which keys one query sees.
struct Mask::Node {
  virtual ~Node() = default;
  virtual bool by_batch() const { return false; }  // differs from batch to batch
  virtual bool by_head() const { return false; }
  virtual void check(const char* /*operation*/, const MaskShape&) const {}
  // Appends sorted intervals within [0, shape.key) that neither overlap nor touch.
  virtual void keys(const MaskShape& shape, Index batch, Index head, Index query,
                    Intervals& result) const = 0;
};

namespace {

constexpr Index kFar = Index{1} << 40;  // further than any key, and far from overflowing

Interval clipped(Index begin, Index end, Index keys) {
  return {static_cast<std::int32_t>(std::clamp<Index>(begin, 0, keys)),
          static_cast<std::int32_t>(std::clamp<Index>(end, 0, keys))};
}

// Adds an interval that starts no earlier than the last.
void append(Intervals& result, Interval next) {
  if (next.begin >= next.end) return;
  if (!result.empty() && next.begin <= result.back().end) {
    result.back().end = std::max(result.back().end, next.end);
  } else {
    result.push_back(next);
  }
}

struct Both final : Mask::Node {
  std::shared_ptr<const Node> a, b;
  bool all;  // of them, or any
  Both(std::shared_ptr<const Node> x, std::shared_ptr<const Node> y, bool both)
      : a(std::move(x)), b(std::move(y)), all(both) {}

  bool by_batch() const override { return a->by_batch() || b->by_batch(); }
  bool by_head() const override { return a->by_head() || b->by_head(); }
  void check(const char* operation, const MaskShape& shape) const override {
    a->check(operation, shape);
    b->check(operation, shape);
  }
  void keys(const MaskShape& shape, Index batch, Index head, Index query,
            Intervals& result) const override {
    Intervals x, y;
    a->keys(shape, batch, head, query, x);
    b->keys(shape, batch, head, query, y);
    all ? meet(x, y, result) : join(x, y, result);
  }

 private:
  static void meet(const Intervals& x, const Intervals& y, Intervals& result) {
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      append(result, {std::max(x[i].begin, y[j].begin), std::min(x[i].end, y[j].end)});
      x[i].end < y[j].end ? ++i : ++j;
    }
  }
  static void join(const Intervals& x, const Intervals& y, Intervals& result) {
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      const bool from_x = j == y.size() || (i < x.size() && x[i].begin <= y[j].begin);
      append(result, from_x ? x[i++] : y[j++]);
    }
  }
};

// One number for all batches, or one for each.
struct PerBatch {
  std::vector<Index> numbers;
  explicit PerBatch(std::span<const Index> n) : numbers(n.begin(), n.end()) {
    for (Index& number : numbers) number = std::clamp(number, -kFar, kFar);
  }

  bool differs() const { return numbers.size() > 1; }
  Index operator[](Index batch) const {
    return numbers[differs() ? static_cast<std::size_t>(batch) : 0];
  }
  void check(const char* operation, const char* what, const MaskShape& shape) const {
    if (differs() && static_cast<Index>(numbers.size()) != shape.batch) {
      fail("{}: the mask has {} {} for a batch of {}; give one for each", operation, numbers.size(),
           what, shape.batch);
    }
  }
};

// Keys [p + low, p + high), for a query at position p.
struct Band final : Mask::Node {
  Index low, high;
  PerBatch offsets;
  Band(Index from, Index to, std::span<const Index> o) : low(from), high(to), offsets(o) {}
  bool by_batch() const override { return offsets.differs(); }
  void check(const char* operation, const MaskShape& shape) const override {
    offsets.check(operation, "offsets", shape);
  }
  void keys(const MaskShape& shape, Index batch, Index, Index query,
            Intervals& result) const override {
    const Index position = query + offsets[batch];
    append(result, clipped(position + low, position + high, shape.key));
  }
};

struct Around final : Mask::Node {
  Tensor centers;  // [batch, 1 or head, query]
  double reach;
  Around(Tensor c, Index r) : centers(std::move(c)), reach(static_cast<double>(r)) {}
  bool by_batch() const override { return centers.shape(0) > 1; }
  bool by_head() const override { return centers.shape(1) > 1; }
  void check(const char* operation, const MaskShape& shape) const override {
    if (centers.shape(0) != shape.batch || centers.shape(2) != shape.query ||
        (centers.shape(1) != 1 && centers.shape(1) != shape.head)) {
      fail("{}: a mask's centers have shape {} but [batch, 1 or head, query] is [{}, 1 or {}, {}]",
           operation, centers.shape().text(), shape.batch, shape.head, shape.query);
    }
  }
  void keys(const MaskShape& shape, Index batch, Index head, Index query,
            Intervals& result) const override {
    const Index row = (by_head() ? batch * shape.head + head : batch) * shape.query + query;
    const double center = static_cast<double>(centers.data()[row]);
    if (std::isnan(center)) return append(result, clipped(0, shape.key, shape.key));
    const double keys = static_cast<double>(shape.key);
    append(result,
           clipped(static_cast<Index>(std::clamp(std::ceil(center - reach), 0.0, keys)),
                   static_cast<Index>(std::clamp(std::floor(center + reach) + 1, 0.0, keys)),
                   shape.key));
  }
};

struct Lengths final : Mask::Node {
  PerBatch lengths;
  explicit Lengths(std::span<const Index> l) : lengths(l) {}
  bool by_batch() const override { return lengths.differs(); }
  void check(const char* operation, const MaskShape& shape) const override {
    lengths.check(operation, "lengths", shape);
    for (const Index length : lengths.numbers) {
      if (length < 0 || length > shape.key) {
        fail("{}: a mask's length of {} keys does not fit {} keys", operation, length, shape.key);
      }
    }
  }
  void keys(const MaskShape& shape, Index batch, Index, Index, Intervals& result) const override {
    append(result, clipped(0, lengths[batch], shape.key));
  }
};

struct First final : Mask::Node {
  Index count;
  explicit First(Index n) : count(n) {}
  void keys(const MaskShape& shape, Index, Index, Index, Intervals& result) const override {
    append(result, clipped(0, count, shape.key));
  }
};

struct Packed final : Mask::Node {
  std::vector<Index> query_start, key_start;
  Packed(std::span<const Index> q, std::span<const Index> k)
      : query_start(q.begin(), q.end()), key_start(k.begin(), k.end()) {}
  void check(const char* operation, const MaskShape& shape) const override {
    if (query_start.back() != shape.query || key_start.back() != shape.key) {
      fail("{}: the mask's packed sequences end at query {} and key {}, but there are {} and {}",
           operation, query_start.back(), key_start.back(), shape.query, shape.key);
    }
  }
  void keys(const MaskShape& shape, Index, Index, Index query, Intervals& result) const override {
    const auto after = std::upper_bound(query_start.begin(), query_start.end(), query);
    const auto s = static_cast<std::size_t>(after - query_start.begin()) - 1;
    append(result, clipped(key_start[s], key_start[s + 1], shape.key));
  }
};

struct Dense final : Mask::Node {
  Tensor visible;  // of four axes
  Shape given;     // the axes it came with
  float hidden;    // the number that hides a key
  Dense(Tensor v, const Shape& g, float h) : visible(std::move(v)), given(g), hidden(h) {}
  bool by_batch() const override { return visible.shape(0) > 1; }
  bool by_head() const override { return visible.shape(1) > 1; }
  void check(const char* operation, const MaskShape& shape) const override {
    const Index wanted[] = {shape.batch, shape.head, shape.query, shape.key};
    for (int axis = 0; axis < 4; ++axis) {
      if (visible.shape(axis) != 1 && visible.shape(axis) != wanted[axis]) {
        fail("{}: a mask of shape {} does not broadcast to [batch={}, head={}, query={}, key={}]",
             operation, given.text(), shape.batch, shape.head, shape.query, shape.key);
      }
    }
  }
  void keys(const MaskShape& shape, Index batch, Index head, Index query,
            Intervals& result) const override {
    const auto stride = [&](int axis) {
      return visible.shape(axis) == 1 ? 0 : visible.stride(axis);
    };
    const float* row = visible.data() + batch * stride(0) + head * stride(1) + query * stride(2);
    for (Index j = 0; j < shape.key; ++j) {
      if (row[j * stride(3)] != hidden) append(result, clipped(j, j + 1, shape.key));
    }
  }
};

struct Edges final : Mask::Node {
  std::vector<std::pair<Index, Index>> pairs;  // sorted
  explicit Edges(std::span<const std::pair<Index, Index>> p) : pairs(p.begin(), p.end()) {
    std::sort(pairs.begin(), pairs.end());
  }
  void check(const char* operation, const MaskShape& shape) const override {
    for (const auto& [query, key] : pairs) {
      if (query < 0 || query >= shape.query || key < 0 || key >= shape.key) {
        fail("{}: the mask has an edge from query {} to key {}, but there are {} and {}", operation,
             query, key, shape.query, shape.key);
      }
    }
  }
  void keys(const MaskShape& shape, Index, Index, Index query, Intervals& result) const override {
    auto edge = std::lower_bound(pairs.begin(), pairs.end(), std::pair<Index, Index>(query, 0));
    for (; edge != pairs.end() && edge->first == query; ++edge) {
      append(result, clipped(edge->second, edge->second + 1, shape.key));
    }
  }
};

template <class Kind, class... Arguments>
Mask make(Arguments&&... arguments) {
  return Mask(std::make_shared<const Kind>(std::forward<Arguments>(arguments)...));
}

void check_starts(std::span<const Index> start) {
  if (start.size() < 2 || start.front() != 0 || !std::is_sorted(start.begin(), start.end())) {
    fail("packed: starts of sequences begin with 0, never fall and end with the total");
  }
}

}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
  if (a.everything()) return b;
  if (b.everything()) return a;
  return make<Both>(a.node_, b.node_, true);
}

Mask operator|(const Mask& a, const Mask& b) {
  if (a.everything() || b.everything()) return {};
  return make<Both>(a.node_, b.node_, false);
}

std::shared_ptr<const VisibleKeys> Mask::resolve(const char* operation,
                                                 const MaskShape& shape) const {
  if (everything()) return nullptr;
  if (shape.key > std::numeric_limits<std::int32_t>::max()) {
    fail("{}: {} keys are more than a mask can tell apart", operation, shape.key);
  }
  node_->check(operation, shape);
  auto result = std::make_shared<VisibleKeys>();
  const Index batches = node_->by_batch() ? shape.batch : std::min<Index>(1, shape.batch);
  const Index heads = node_->by_head() ? shape.head : std::min<Index>(1, shape.head);
  result->head_row = heads > 1 ? shape.query : 0;
  result->batch_row = batches > 1 ? heads * shape.query : 0;
  result->row.push_back(0);
  Intervals row;
  Index blind = 0;
  for (Index b = 0; b < batches; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < shape.query; ++i) {
        row.clear();
        node_->keys(shape, b, h, i, row);
        blind += row.empty();
        result->interval.insert(result->interval.end(), row.begin(), row.end());
        result->row.push_back(static_cast<std::int64_t>(result->interval.size()));
      }
    }
  }
  result->blind = blind * (shape.batch / std::max<Index>(1, batches)) *
                  (shape.head / std::max<Index>(1, heads));
  return result;
}

Mask causal(Index offset) { return causal(std::span(&offset, 1)); }
Mask causal(std::span<const Index> offsets) {
  if (offsets.empty()) fail("causal: at least one offset is needed");
  return make<Band>(-kFar, 1, offsets);
}
Mask window(Index before, Index after, Index offset) {
  return window(before, after, std::span(&offset, 1));
}
Mask window(Index before, Index after, std::span<const Index> offsets) {
  if (offsets.empty()) fail("window: at least one offset is needed");
  if (before < 0 || after < 0) {
    fail("window: {} before and {} after the query: neither may be below 0", before, after);
  }
  return make<Band>(-std::min(before, kFar), std::min(after, kFar) + 1, offsets);
}
Mask around(const Tensor& centers, Index reach) {
  if (centers.rank() != 3 || reach < 0) {
    fail("around: centers {} are not [batch, 1 or head, query], or the reach of {} is below 0",
         centers.shape().text(), reach);
  }
  return make<Around>(centers.packed(), reach);
}
Mask key_lengths(std::span<const Index> lengths) {
  if (lengths.empty()) fail("key_lengths: at least one length is needed");
  return make<Lengths>(lengths);
}
Mask key_lengths(std::initializer_list<Index> lengths) {
  return key_lengths(std::span<const Index>(lengths.begin(), lengths.size()));
}
Mask first_keys(Index count) { return make<First>(count); }
Mask packed(std::span<const Index> query_start, std::span<const Index> key_start) {
  check_starts(query_start);
  check_starts(key_start);
  if (query_start.size() != key_start.size()) {
    fail("packed: {} sequences of queries but {} of keys", query_start.size() - 1,
         key_start.size() - 1);
  }
  return make<Packed>(query_start, key_start);
}
Mask packed(std::span<const Index> start) { return packed(start, start); }
Mask dense(const Tensor& visible) {
  if (visible.rank() > 4) {
    fail("dense: a mask of shape {} has more axes than [batch, head, query, key]",
         visible.shape().text());
  }
  Tensor four = visible;
  while (four.rank() < 4) four = four.unsqueeze(0);
  return make<Dense>(four, visible.shape(), 0.0f);
}
Mask not_never(const Tensor& bias) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  const Tensor packed = bias.packed();
  const std::span<const float> all = packed.flat();
  return std::find(all.begin(), all.end(), kHidden) == all.end()
             ? Mask()
             : make<Dense>(packed, bias.shape(), kHidden);
}
Mask edges(std::span<const std::pair<Index, Index>> pairs) { return make<Edges>(pairs); }

}  // namespace fovea
