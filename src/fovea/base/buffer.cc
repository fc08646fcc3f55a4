#include "fovea/base/buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "fovea/base/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace fovea {

// Stands in the first 64 bytes of the memory it describes.
struct alignas(64) Buffer::Block {
  std::atomic<int> holders;
  int size_class, lane;
  Block* next_free;

  float* data() { return reinterpret_cast<float*>(this + 1); }
};

namespace {

using Block = Buffer::Block;

constexpr std::size_t kSmallest = 256;  // bytes, header included
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr int kClasses = 4 * 40;
constexpr int kLanes = 16;
constexpr Index kMostFloats = Index{1}
                              << 44;  // more than any machine has, and their bytes fit a class

// Four sizes to each power of two, so that at most a fifth of a block is unused.
std::size_t class_bytes(int size_class) {
  return (kSmallest / 4 * static_cast<std::size_t>(4 + size_class % 4)) << (size_class / 4);
}

int class_of(std::size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const int power =
      static_cast<int>(std::bit_width((bytes - 1) / kSmallest)) - 1;  // kSmallest << power < bytes
  const int first = 4 * power;
  for (int c = first; c < first + 4; ++c) {
    if (class_bytes(c) >= bytes) return c;
  }
  return first + 4;
}

thread_local int lane_of_thread = 0;

class Pool {
 public:
  Block* take(std::size_t bytes) {
    const int size_class = class_of(bytes);
    const std::lock_guard lock(mutex_);
    Block* block = take_cached(size_class);
    if (block == nullptr) {
      block = ask_system(class_bytes(size_class));
      block->size_class = size_class;
      block->lane = lane_of_thread;
    }
    const std::size_t size = class_bytes(block->size_class);
    // What was not asked for is not to be touched, even where the block has it.
    ASAN_POISON_MEMORY_REGION(block->data(), size - sizeof(Block));
    ASAN_UNPOISON_MEMORY_REGION(block->data(), bytes - sizeof(Block));
    statistics_.bytes_in_use += size;
    block->holders.store(1, std::memory_order_relaxed);
    return block;
  }

  void give_back(Block* block) {
    const std::lock_guard lock(mutex_);
    const std::size_t size = class_bytes(block->size_class);
    Block*& free = free_blocks(block->lane, block->size_class);
    block->next_free = free;
    free = block;
    statistics_.bytes_in_use -= size;
    statistics_.bytes_cached += size;
    ASAN_POISON_MEMORY_REGION(block->data(), size - sizeof(Block));
  }

  void release_cached() {
    const std::lock_guard lock(mutex_);
    release_locked();
  }

  PoolStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  // A free block of this size or, where new pages would cost more than what stays unused, somewhat
  // larger: batches differ in length.
  Block* take_cached(int size_class) {
    const int last = class_bytes(size_class) >= kHugePage ? size_class + 2 : size_class;
    for (int c = size_class; c <= std::min(last, kClasses - 1); ++c) {
      Block*& free = free_blocks(lane_of_thread, c);
      if (free == nullptr) continue;
      statistics_.bytes_cached -= class_bytes(c);
      return std::exchange(free, free->next_free);
    }
    return nullptr;
  }

  Block* ask_system(std::size_t size) {
    ++statistics_.system_requests;
    const std::size_t alignment = size >= kHugePage ? kHugePage : 64;
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) {
      release_locked();
      memory = std::aligned_alloc(alignment, rounded);
    }
    if (memory == nullptr) {
      fail(
          "out of memory: a block of {} bytes was asked for, {} are in use; use smaller batches or "
          "a smaller model",
          size, statistics_.bytes_in_use);
    }
    if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);
    return new (memory) Block;
  }

  void release_locked() {
    for (Block*& free : free_) {  // of all lanes
      while (free != nullptr) {
        Block* block = free;
        free = block->next_free;
        const std::size_t size = class_bytes(block->size_class);
        statistics_.bytes_cached -= size;
        ASAN_UNPOISON_MEMORY_REGION(block->data(), size - sizeof(Block));
        std::free(block);
      }
    }
  }

  Block*& free_blocks(int lane, int size_class) {
    return free_[static_cast<std::size_t>(lane * kClasses + size_class)];
  }

  std::mutex mutex_;
  std::array<Block*, kLanes * kClasses> free_{};
  PoolStatistics statistics_;
};

// Never destroyed: buffers held by static objects may outlive any other static.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

Buffer::Buffer(Index floats) {
  assert(floats >= 0);
  if (floats >= kMostFloats) fail("out of memory: {} numbers were asked for at once", floats);
  block_ = pool().take(sizeof(Block) + static_cast<std::size_t>(floats) * sizeof(float));
}

Buffer::Buffer(const Buffer& other) noexcept : block_(other.block_) {
  if (block_ != nullptr) block_->holders.fetch_add(1, std::memory_order_relaxed);
}

Buffer::~Buffer() {
  if (block_ != nullptr && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    pool().give_back(block_);
  }
}

float* Buffer::data() const { return block_ == nullptr ? nullptr : block_->data(); }

bool Buffer::unique() const {
  return block_ != nullptr && block_->holders.load(std::memory_order_acquire) == 1;
}

void use_memory_lane(int lane) { lane_of_thread = lane % kLanes; }

PoolStatistics pool_statistics() { return pool().statistics(); }
void release_cached_memory() { pool().release_cached(); }

}  // namespace fovea
