// Shared, 64-byte aligned memory from a caching pool: a steady training step asks the system for
// nothing.
#pragma once

#include <cstddef>
#include <utility>

#include "fovea/base/index.h"

namespace fovea {

// A reference-counted block of floats, uninitialised. Copying shares it.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index floats);
  Buffer(const Buffer& other) noexcept;
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer();

  float* data() const;
  bool unique() const;  // nobody else holds this block, so it may be overwritten
  explicit operator bool() const { return block_ != nullptr; }

  struct Block;

 private:
  Block* block_ = nullptr;
};

struct PoolStatistics {
  std::size_t system_requests = 0;  // how often the system was asked for memory, ever
  std::size_t bytes_in_use = 0;
  std::size_t bytes_cached = 0;  // freed blocks, kept for the next request of their size
};

// Blocks that were first given to a thread of one lane never go to one of another: what stands in
// the cache of a processor stays there. Threads start in lane 0.
void use_memory_lane(int lane);

PoolStatistics pool_statistics();
void release_cached_memory();

}  // namespace fovea
