// A process that trains is killed again and again, as a power cut or the system would do it, and
// taken up each time: the model file is the same in the end.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "fovea/io/reader_test_tools.h"
#include "fovea/training/trainer_test_tools.h"

namespace fovea {
namespace {

constexpr const char* kFolder = "FOVEA_TEST_TRAINS_IN";
using Milliseconds = std::chrono::milliseconds;

TrainOptions options_in(const std::string& folder) {
  TrainOptions options = many_options(folder + "/model");
  options.log_file = folder + "/log";
  options.checkpoint_steps = 4;
  options.start = TrainOptions::Start::kResume;
  return options;
}

// Says that it runs, and gives those who kill it time to do so.
struct SlowRun : Observer {
  explicit SlowRun(std::string where) : folder(std::move(where)) {}
  void begun(const Task&, Index) override { std::ofstream(folder + "/begun") << "yes"; }
  void stepped(const Progress&) override { std::this_thread::sleep_for(Milliseconds(1)); }
  std::string folder;
};

// What the process does that is killed below.
TEST(KilledRun, DISABLED_Trains) {
  const char* const folder = std::getenv(kFolder);
  if (folder == nullptr) GTEST_SKIP() << kFolder << " is not set";
  SlowRun slow(folder);
  CountingTask task;
  train(task, options_in(folder), slow);
}

pid_t start_in(const std::string& folder) {
  ::setenv(kFolder, folder.c_str(), 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string name = program, filter = "--gtest_filter=KilledRun.DISABLED_Trains",
              disabled = "--gtest_also_run_disabled_tests", brief = "--gtest_brief=1";
  char* const arguments[] = {name.data(), filter.data(), disabled.data(), brief.data(), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, ::environ);
  if (error != 0) fail("{}: cannot start: {}", program, std::strerror(error));
  return child;
}

// Whether it came to its end before it was killed.
bool ended_by_itself(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
  return WIFEXITED(status);
}

TEST(KilledRun, EndsInTheSameFileWhereverItWasKilled) {
  const ScratchFolder whole, folder;
  CountingTask task;
  const TrainResult expected = train(task, options_in(whole.path()));

  Random random{.seed = 6};
  constexpr int kKills = 20;
  bool last = false;
  for (int kills = 0; !last;) {
    last = kills == kKills;
    std::filesystem::remove(folder / "begun");
    const pid_t child = start_in(folder.path());
    for (int i = 0; i < 60'000 && folder.read("begun").empty(); ++i)
      std::this_thread::sleep_for(Milliseconds(1));
    if (!last) {
      std::this_thread::sleep_for(Milliseconds(random.below(80)));
      ::kill(child, SIGKILL);
    }
    if (!ended_by_itself(child)) {
      ++kills;
      continue;
    }
    ASSERT_TRUE(folder.read("model") == whole.read("model")) << "after " << kills << " kills";
    EXPECT_EQ(parse_log(folder.read("log"), "log").size(), expected.log.size());
    std::filesystem::remove(folder / "model");
  }
  // Nothing but the log and this test's own file: also what killed writers left is gone.
  EXPECT_EQ(folder.files(), 2);
}

}  // namespace
}  // namespace fovea
