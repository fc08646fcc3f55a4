// parallel_for: the split depends on the work alone, and the floating-point mode is the caller's
// again afterwards.
#include "fovea/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

using Range = std::pair<Index, Index>;

std::vector<Range> ranges_of(Index count, Index grain) {
  std::mutex mutex;
  std::vector<Range> ranges;
  parallel_for(count, grain, [&](Index begin, Index end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(ParallelFor, CoversEveryIndexExactlyOnceInTheSameRangesOnAnyNumberOfThreads) {
  for (const Index count : {0, 1, 2, 3, 16, 17, 100, 1000}) {
    for (const Index grain : {1, 2, 3, 16, 17, 1000}) {
      std::vector<Range> expected;
      for (Index i = 0; i < count; i += grain) expected.emplace_back(i, std::min(count, i + grain));
      for (const int team : {1, 2, 3, 8}) {
        const UseThreads guard(team);
        EXPECT_EQ(ranges_of(count, grain), expected) << count << " by " << grain << " on " << team;
      }
    }
  }
}

TEST(ParallelFor, DoesNothingForNothing) {
  EXPECT_TRUE(ranges_of(0, 1).empty());
  EXPECT_TRUE(ranges_of(-5, 1).empty());
}

// Comes back when `team` threads are inside: so each of them runs one range.
void wait_for_all(std::atomic<int>& inside, int team) {
  ++inside;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (inside < team && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(inside, team);
}

TEST(ParallelFor, UsesAsManyThreadsAsWereSet) {
  for (const int team : {2, 3, 5}) {
    const UseThreads guard(team);
    EXPECT_EQ(threads(), team);
    std::atomic<int> inside{0};
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_for(team, 1, [&](Index, Index) {
      wait_for_all(inside, team);
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(team));
  }
}

TEST(ParallelFor, GivesAThreadTheSameShareOfEveryLoop) {
  for (const int team : {2, 3}) {
    const UseThreads guard(team);
    std::vector<std::vector<std::thread::id>> loops;
    for (int loop = 0; loop < 3; ++loop) {
      std::atomic<int> inside{0};
      std::vector<std::thread::id> threads_of(static_cast<std::size_t>(team));
      parallel_for(team, 1, [&](Index i, Index) {
        threads_of[static_cast<std::size_t>(i)] = std::this_thread::get_id();
        wait_for_all(inside, team);
      });
      loops.push_back(threads_of);
    }
    EXPECT_EQ(loops[0][0], std::this_thread::get_id());
    EXPECT_EQ(loops[1], loops[0]);
    EXPECT_EQ(loops[2], loops[0]);
  }
}

TEST(ParallelFor, RunsInsideItself) {
  const UseThreads guard(3);
  std::vector<std::atomic<int>> seen(50 * 70);
  parallel_for(50, 1, [&](Index first, Index) {
    parallel_for(70, 3, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(first * 70 + i)];
    });
  });
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
}

TEST(ParallelFor, RunsInSeveralThreadsOfTheCallerAtOnce) {
  const UseThreads guard(2);
  std::vector<std::atomic<int>> seen(3000);
  std::vector<std::thread> callers;
  for (Index caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&, caller] {
      parallel_for(1000, 7, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(caller * 1000 + i)];
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
}

TEST(ParallelFor, HandsAnExceptionToTheCallerAndWorksAgain) {
  for (const int team : {1, 2, 3}) {
    const UseThreads guard(team);
    for (const Index bad : {0, 17, 99}) {
      auto loop = [&](Index grain) {
        parallel_for(100, grain, [&](Index begin, Index end) {
          if (begin <= bad && bad < end) throw std::out_of_range("range 17");
        });
      };
      EXPECT_THROW(loop(1), std::out_of_range);
      EXPECT_THROW(loop(100), std::out_of_range);
      EXPECT_EQ(ranges_of(100, 1).size(), 100u);
    }
    EXPECT_THROW(parallel_for(10, 1, [](Index, Index) { throw std::logic_error("all"); }),
                 std::logic_error);
    EXPECT_THROW(parallel_for(10, 1,
                              [](Index, Index) {
                                parallel_for(10, 1, [](Index, Index) { throw Error("inner"); });
                              }),
                 Error);
  }
}

// Half of the smallest normal number; the multiplication must happen here and now.
bool results_are_flushed() {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = smallest * 0.5f;
  return half == 0.0f;
}

bool operands_are_flushed() {
  volatile float denormal = std::numeric_limits<float>::denorm_min();
  volatile float product = denormal * 1e30f;
  return product == 0.0f;
}

bool denormals_are_flushed() { return results_are_flushed() && operands_are_flushed(); }
bool denormals_are_kept() { return !results_are_flushed() && !operands_are_flushed(); }

TEST(ParallelFor, FlushesDenormalsOnEveryThreadAndGivesTheCallersModeBack) {
  ASSERT_TRUE(denormals_are_kept());
  for (const int team : {1, 2, 3}) {
    const UseThreads guard(team);
    std::atomic<int> inside{0}, flushed{0};
    parallel_for(team, 1, [&](Index, Index) {
      wait_for_all(inside, team);
      flushed += denormals_are_flushed();
    });
    EXPECT_EQ(flushed, team);
    EXPECT_TRUE(denormals_are_kept());
    bool in_one_range = false;
    parallel_for(5, 10, [&](Index, Index) { in_one_range = denormals_are_flushed(); });
    EXPECT_TRUE(in_one_range);
    EXPECT_TRUE(denormals_are_kept());
    EXPECT_THROW(parallel_for(10, 1, [](Index, Index) { throw Error("stop"); }), Error);
    EXPECT_TRUE(denormals_are_kept());
    EXPECT_THROW(parallel_for(10, 10, [](Index, Index) { throw Error("stop"); }), Error);
    EXPECT_TRUE(denormals_are_kept());
  }
}

TEST(ParallelFor, WorksWithTheThreadsItGets) {
  // Many times more than there are cores: each range still runs once.
  const UseThreads guard(40);
  EXPECT_EQ(ranges_of(500, 1).size(), 500u);
}

TEST(ParallelFor, RunsInAProcessThatWasForked) {
  // The child has none of the helpers.
  const UseThreads guard(3);
  EXPECT_EQ(ranges_of(100, 1).size(), 100u);
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> seen{0};
    parallel_for(100, 1, [&](Index, Index) { ++seen; });
    ::_exit(seen == 100 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(FlushToZero, LastsAsLongAsTheOutermost) {
  {
    const FlushToZero outer;
    {
      const FlushToZero inner;
      EXPECT_TRUE(denormals_are_flushed());
    }
    EXPECT_TRUE(denormals_are_flushed());
    parallel_for(100, 1, [](Index, Index) {});
    EXPECT_TRUE(denormals_are_flushed());
  }
  EXPECT_TRUE(denormals_are_kept());
}

TEST(SetThreads, NeedsAtLeastOne) {
  const int before = threads();
  EXPECT_EQ(error_of([] { set_threads(0); }),
            "set_threads: 0 threads were asked for; at least 1 is needed");
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace fovea
