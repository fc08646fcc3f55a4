#include "fovea/base/claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "fovea/base/error.h"

namespace fovea {
namespace {

bool free(const std::string& path) {
  try {
    const Claim claim(path);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), path +
                                             ": another process is at work on it; wait until it "
                                             "has ended, or choose another name");
    return false;
  }
}

TEST(Claim, IsHeldByOneAtATime) {
  const std::string path = "/tmp/claim_test." + std::to_string(::getpid());
  std::optional<Claim> claim(path);
  EXPECT_FALSE(free(path));
  EXPECT_TRUE(free(path + ".other"));
  claim.reset();
  EXPECT_TRUE(free(path));
}

TEST(Claim, IsOnAFileNotOnAName) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::temp_directory_path());
  const std::string name = "claim_test." + std::to_string(::getpid());
  {
    const Claim claim(name);
    EXPECT_FALSE(free("./" + name));
    EXPECT_FALSE(free((std::filesystem::current_path() / name).string()));
    std::filesystem::current_path("/");
    EXPECT_TRUE(free(name));
  }
  std::filesystem::current_path(before);
}

TEST(Claim, EndsWithAProcessThatIsKilled) {
  const std::string path = "/tmp/claim_test." + std::to_string(::getpid());
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Claim claim(path);
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  ::close(ready[1]);
  char x = 0;
  ASSERT_EQ(::read(ready[0], &x, 1), 1);
  EXPECT_FALSE(free(path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(free(path));
  ::close(ready[0]);
}

}  // namespace
}  // namespace fovea
