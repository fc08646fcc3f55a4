// KeyValueCache: keys and values of what was read so far, for a decoder that makes one word after
// the other.
//
//   cache.append(k, v);   // [batch, kv_head, new, dim] and [batch, kv_head, new, value_dim]
//   attend(q, cache.key(), cache.value(), {.mask = causal(cache.length() - q.shape(2))});
//
// No gradients: decoding only. Room grows by doubling, so that appending costs what it appends.
#pragma once

#include "fovea/tensor/ids.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

class KeyValueCache {
 public:
  KeyValueCache() = default;
  explicit KeyValueCache(Index room) : room_(room) {}  // tokens to have room for from the start
  KeyValueCache(KeyValueCache&&) = default;            // a copy would append into the same memory
  KeyValueCache& operator=(KeyValueCache&&) = default;

  void append(const Tensor& key, const Tensor& value);
  Index length() const { return length_; }

  Tensor key() const { return key_ ? key_.slice(2, 0, length_) : Tensor(); }
  Tensor value() const { return value_ ? value_.slice(2, 0, length_) : Tensor(); }

  // Row b becomes what row source[b] was: the beams that go on. As many rows as `source` has.
  void reorder(const Ids& source);

 private:
  Tensor key_, value_;  // [batch, kv_head, room, dim]
  Index length_ = 0, room_ = 0;
};

}  // namespace fovea
