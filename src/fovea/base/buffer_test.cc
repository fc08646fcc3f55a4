// Buffers: aligned, shared, taken again after use, and an error instead of a crash when there is
// no memory.
#include "fovea/base/buffer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

constexpr Index kMiB = Index{1} << 18;  // in floats

// Sizes around the edges of the pool's classes, whose blocks begin with 64 bytes of their own.
std::vector<Index> sizes_around_class_edges() {
  std::vector<Index> sizes{0, 1, 2, 3};
  for (Index bytes = 256; bytes <= (Index{1} << 23); bytes *= 2) {
    for (Index quarter = 4; quarter < 8; ++quarter) {
      const Index floats = bytes / 4 * quarter / 4 - 16;
      for (const Index size : {floats - 1, floats, floats + 1}) sizes.push_back(size);
    }
  }
  return sizes;
}

TEST(Buffer, IsAlignedAndWritableAtEverySize) {
  for (const Index size : sizes_around_class_edges()) {
    const Buffer buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u) << size;
    if (size == 0) continue;
    buffer.data()[0] = 1;
    buffer.data()[size - 1] = 2;
    EXPECT_EQ(buffer.data()[size - 1], 2) << size;
  }
}

TEST(Buffer, LivingBuffersDoNotOverlap) {
  std::vector<Buffer> buffers;
  const std::vector<Index> sizes{1, 48, 49, 64, 100, 112, 113, 1000, 1 << 19, 1 << 20};
  for (const Index size : sizes) {
    buffers.emplace_back(size);
    std::fill_n(buffers.back().data(), size, static_cast<float>(size));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const float* data = buffers[i].data();
    EXPECT_EQ(std::count(data, data + sizes[i], static_cast<float>(sizes[i])), sizes[i]);
  }
}

TEST(Buffer, CopiesShareAndTheLastHolderIsUnique) {
  Buffer first(10);
  EXPECT_TRUE(first.unique());
  Buffer second = first;
  EXPECT_EQ(first.data(), second.data());
  EXPECT_FALSE(first.unique());
  EXPECT_FALSE(second.unique());
  const float* data = first.data();
  first = Buffer();
  EXPECT_TRUE(second.unique());
  EXPECT_EQ(second.data(), data);
  const Buffer moved = std::move(second);
  EXPECT_TRUE(moved.unique());
  EXPECT_FALSE(second);  // NOLINT: a moved-from buffer is empty
}

TEST(Buffer, AnEmptyOneHoldsNothing) {
  const Buffer none;
  EXPECT_FALSE(none);
  EXPECT_FALSE(none.unique());
  EXPECT_EQ(none.data(), nullptr);
  const Buffer copy = none;
  EXPECT_FALSE(copy);
  EXPECT_TRUE(Buffer(0));
}

TEST(Buffer, AssigningToItselfKeepsTheBlock) {
  Buffer buffer(10);
  const float* data = buffer.data();
  const Buffer& same = buffer;
  buffer = same;
  EXPECT_EQ(buffer.data(), data);
  EXPECT_TRUE(buffer.unique());
}

TEST(BufferPool, AFreedBlockServesTheNextRequestOfItsSize) {
  const float* data = nullptr;
  {
    const Buffer buffer(1000);
    data = buffer.data();
  }
  EXPECT_EQ(Buffer(1000).data(), data);
}

TEST(BufferPool, ABlockStaysInItsLane) {
  const float* here = Buffer(1000).data();
  const float *there = nullptr, *again = nullptr;
  std::thread([&] {
    use_memory_lane(3);
    there = Buffer(1000).data();
    again = Buffer(1000).data();
  }).join();
  EXPECT_NE(there, here);
  EXPECT_EQ(there, again);
  EXPECT_EQ(Buffer(1000).data(), here);
}

TEST(BufferPool, CountsWhatIsInUseAndWhatIsKept) {
  release_cached_memory();
  const PoolStatistics before = pool_statistics();
  EXPECT_EQ(before.bytes_cached, 0u);
  std::size_t size = 0;
  {
    const Buffer buffer(1000);
    const PoolStatistics during = pool_statistics();
    EXPECT_EQ(during.system_requests, before.system_requests + 1);
    size = during.bytes_in_use - before.bytes_in_use;
    EXPECT_GE(size, 1000 * sizeof(float));
    EXPECT_LE(size, 1000 * sizeof(float) * 5 / 4 + 64);  // "at most a fifth is unused"
    const Buffer shared = buffer;
    EXPECT_EQ(pool_statistics().bytes_in_use, during.bytes_in_use);
  }
  EXPECT_EQ(pool_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(pool_statistics().bytes_cached, size);
  release_cached_memory();
  EXPECT_EQ(pool_statistics().bytes_cached, 0u);
}

TEST(BufferPool, AtMostAFifthOfABlockIsUnused) {
  for (const Index size : sizes_around_class_edges()) {
    const std::size_t before = pool_statistics().bytes_in_use;
    const Buffer buffer(size);
    const std::size_t block = pool_statistics().bytes_in_use - before;
    const std::size_t needed = 64 + static_cast<std::size_t>(size) * sizeof(float);
    EXPECT_GE(block, needed);
    EXPECT_LE(block, std::max<std::size_t>(256, needed * 5 / 4)) << size;
  }
}

TEST(BufferPool, ASteadyLoopAsksTheSystemForNothing) {
  auto step = [] {
    std::vector<Buffer> kept;
    for (Index size = 1; size < 500'000; size = size * 3 / 2 + 1) {
      kept.emplace_back(size);
      const Buffer passing(size * 2);
    }
  };
  step();
  const std::size_t requests = pool_statistics().system_requests;
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(pool_statistics().system_requests, requests);
}

TEST(BufferPool, ServesThreadsThatPassBuffersToEachOther) {
  const std::size_t before = pool_statistics().bytes_in_use;
  std::vector<std::thread> workers;
  const Buffer shared(64);
  for (int t = 0; t < 4; ++t) {
    workers.emplace_back([&shared, t] {
      std::vector<Buffer> held;
      for (int i = 0; i < 2000; ++i) {
        Buffer buffer(64 + i % 7 * 100);
        buffer.data()[0] = static_cast<float>(t);
        held.push_back(i % 3 == 0 ? shared : buffer);
        EXPECT_EQ(buffer.data()[0], static_cast<float>(t));
        if (held.size() > 10) held.clear();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_TRUE(shared.unique());
  EXPECT_EQ(pool_statistics().bytes_in_use, before + 320);  // 64 floats and the block's own bytes
}

TEST(BufferPool, ABlockBeyondAnyMachineIsAnError) {
  EXPECT_EQ(error_of([] { Buffer buffer(Index{1} << 44); }),
            "out of memory: 17592186044416 numbers were asked for at once");
  // Sizes whose bytes do not fit an integer must not wrap around to a small block.
  EXPECT_EQ(error_of([] { Buffer buffer(Index{1} << 62); }),
            "out of memory: 4611686018427387904 numbers were asked for at once");
  EXPECT_NE(error_of([] { Buffer buffer(std::numeric_limits<Index>::max()); }), "");
}

// Runs `body` in a process of its own that may have `bytes` more than it has now.
template <class Body>
int run_with_memory(Index bytes, const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    Index pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    const rlim_t limit = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + bytes);
    const rlimit space{.rlim_cur = limit, .rlim_max = limit};
    ::setrlimit(RLIMIT_AS, &space);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(BufferPool, MemoryThatTheSystemRefusesIsAnErrorWithAdvice) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space";
  release_cached_memory();
  const std::size_t in_use = pool_statistics().bytes_in_use;
  const int code = run_with_memory(Index{256} << 20, [&] {
    const std::string text = error_of([] { Buffer buffer(300 * kMiB - 16); });
    const std::string expected = fmt::format(
        "out of memory: a block of 335544320 bytes was asked for, {} are in use; use smaller "
        "batches or a smaller model",
        in_use);
    return text == expected ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST(BufferPool, GivesBackWhatItKeepsBeforeItGivesUp) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space";
  const int code = run_with_memory(Index{700} << 20, [] {
    for (int i = 0; i < 3; ++i) {
      // Neither fits beside the other.
      const std::string first = error_of([] { Buffer buffer(400 * kMiB); });
      const std::string second = error_of([] { Buffer buffer(500 * kMiB); });
      if (!first.empty() || !second.empty()) return 1;
    }
    return 0;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace fovea
