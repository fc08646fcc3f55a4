#include "fovea/attention/cache.h"

#include <algorithm>
#include <span>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr Index kGrain = 16384;  // numbers that one chunk copies

// `x` [batch, kv_head, length, dim] in memory with room for more.
Tensor with_room(const Tensor& x, Index length, Index room) {
  Tensor larger({x.shape(0), x.shape(1), room, x.shape(3)});
  Tensor begin = larger.slice(2, 0, length);
  copy_into(x.slice(2, 0, length), begin);
  return larger;
}

constexpr Index kAside = -1;  // no row, but where one is put for a while

struct Move {
  Index to, from;
};

// So that row r becomes what row source[r] was, without another array: a row is overwritten when
// nobody needs it any more. As many moves as rows change, and one more for each circle of them.
std::vector<Move> moves_in_place(const Ids& source) {
  std::vector<Index> counts(static_cast<std::size_t>(source.size()), 0);  // other rows that want it
  const auto wanted = [&](Index row) -> Index& { return counts[static_cast<std::size_t>(row)]; };
  for (Index r = 0; r < source.size(); ++r) wanted(source[r]) += source[r] != r ? 1 : 0;
  std::vector<Move> moves;
  const auto move_to = [&](Index row) {  // and to those that are free then
    while (source[row] != row && wanted(row) == 0) {
      moves.push_back({row, source[row]});
      wanted(row) = -1;  // done
      row = source[row];
      --wanted(row);
    }
  };
  for (Index r = 0; r < source.size(); ++r) move_to(r);
  for (Index r = 0; r < source.size(); ++r) {
    if (wanted(r) != 1 || source[r] == r) continue;  // left are circles
    moves.push_back({kAside, r});
    for (Index row = r; wanted(row) == 1; row = source[row]) {
      moves.push_back({row, source[row] == r ? kAside : source[row]});
      wanted(row) = -1;
    }
  }
  return moves;
}

void move_rows(Tensor& x, std::span<const Move> moves, Index length) {
  const Index heads = x.shape(1), head = x.shape(2) * x.shape(3), used = length * x.shape(3);
  parallel_for(heads, 1, [&](Index h, Index) {
    const Buffer aside(used);
    const auto at = [&](Index row) {
      return row == kAside ? aside.data() : x.data() + (row * heads + h) * head;
    };
    for (const auto [to, from] : moves) std::copy_n(at(from), used, at(to));
  });
}

Tensor rows(const Tensor& x, const Ids& source, Index length) {
  Tensor result(x.shape().with(0, source.size()));
  const Index heads = x.shape(1), head = x.shape(2) * x.shape(3), used = length * x.shape(3);
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, heads * used));
  parallel_for(source.size(), grain, [&](Index begin, Index end) {
    for (Index at = begin * heads; at < end * heads; ++at) {
      const Index from = source[at / heads] * heads + at % heads;
      std::copy_n(x.data() + from * head, used, result.data() + at * head);
    }
  });
  return result;
}

}  // namespace

void KeyValueCache::append(const Tensor& key, const Tensor& value) {
  const Axes n("append", {{"key", key.shape(), "batch kv_head new dim"},
                          {"value", value.shape(), "batch kv_head new value_dim"}});
  if (!key_) {
    room_ = std::max(room_, n["new"]);
    key_ = with_room(key, 0, room_);
    value_ = with_room(value, 0, room_);
  }
  const Axes fits("append",
                  {{"cache", this->key().shape(), "batch kv_head length dim"},
                   {"cached value", this->value().shape(), "batch kv_head length value_dim"},
                   {"key", key.shape(), "batch kv_head new dim"},
                   {"value", value.shape(), "batch kv_head new value_dim"}});
  const Index needed = length_ + n["new"];
  if (needed > room_) {
    // Never a power of 2: rows that far apart would fall into the same few places of the CPU's
    // cache.
    room_ = std::max(needed, 2 * room_ + 1);
    key_ = with_room(key_, length_, room_);
    value_ = with_room(value_, length_, room_);
  }
  Tensor key_end = key_.slice(2, length_, needed), value_end = value_.slice(2, length_, needed);
  copy_into(key, key_end);
  copy_into(value, value_end);
  length_ = needed;
}

void KeyValueCache::reorder(const Ids& source) {
  if (!key_) return;
  for (const std::int32_t row : source.values()) {
    if (row < 0 || row >= key_.shape(0)) {
      fail("reorder: row {} is not one of the {} in the cache", row, key_.shape(0));
    }
  }
  const bool in_place = source.size() == key_.shape(0);
  const std::vector<Move> moves = in_place ? moves_in_place(source) : std::vector<Move>();
  for (Tensor* x : {&key_, &value_}) {
    if (in_place && x->unshared()) {
      move_rows(*x, moves, length_);
    } else {
      *x = rows(*x, source, length_);
    }
  }
}

}  // namespace fovea
