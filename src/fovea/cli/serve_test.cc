#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>

#include <thread>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/serve/serve_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The program, serving, in a process of its own.
class Serving {
 public:
  explicit Serving(std::vector<std::string> arguments) {
    const char* const program = std::getenv("FOVEA_PROGRAM");
    if (program == nullptr) fail("FOVEA_PROGRAM is not set; run through ctest or ./test");
    arguments.insert(arguments.begin(), {program, "serve"});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (::posix_spawn(&process_, program, &actions, nullptr, pointers.data(), environ) != 0) {
      fail("cannot start {}", program);
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Serving() {
    if (process_ > 0) {
      kill(SIGKILL);
      finish();
    }
    ::fclose(output_);
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  std::string line() {
    std::string text;
    for (int c; (c = std::fgetc(output_)) != EOF && c != '\n';) text += static_cast<char>(c);
    return text;
  }
  // From the line it starts with.
  int port() {
    const std::string text = line();
    const std::size_t at = text.find("127.0.0.1:");
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 10);
  }
  void kill(int signal) const { ::kill(process_, signal); }
  int finish() {  // its code, or the signal that ended it, below 0
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t process_ = 0;
  FILE* output_ = nullptr;
};

TEST(Serve, SaysWhereItServesAndServes) {
  const ScratchFolder folder;
  const std::string model = translator_in(folder, "en-fr");
  Serving program({model, model, "--port", "0"});
  const std::string line = program.line();
  EXPECT_THAT(line, StartsWith("serving en-fr, en-fr-2 at http://127.0.0.1:"));
  EXPECT_THAT(line, HasSubstr("/ (Ctrl-C ends)"));
  const int port = std::atoi(line.c_str() + line.rfind(':') + 1);
  EXPECT_EQ(ask(port, "POST", "/api/run", R"({"model":"en-fr-2","input":"a dog"})")
                .json()["translations"][0]["text"],
            "a dog");
}

TEST(Serve, ASignalFinishesWhatIsRunning) {
  const ScratchFolder folder;
  const std::string model = translator_in(folder);
  for (const int signal : {SIGTERM, SIGINT}) {
    Serving program({model, "--port", "0"});
    Client client(program.port());
    client.send(request("POST", "/api/attend", long_work()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    program.kill(signal);
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_EQ(program.line(), "finishing what is running; once more ends at once");
    EXPECT_EQ(program.line(), "stopped after 1 request");
    EXPECT_EQ(program.finish(), 0);
  }
}

TEST(Serve, VerboseTellsEachRequest) {
  const ScratchFolder folder;
  Serving program({translator_in(folder), "--port", "0", "--verbose"});
  const int port = program.port();
  ask(port, "GET", "/api/health");
  EXPECT_THAT(program.line(), StartsWith("127.0.0.1 GET /api/health 200 15 bytes "));
}

TEST(Serve, SaysInOneLineWhyItCannot) {
  const ScratchFolder folder;
  const std::string model = translator_in(folder);
  const Outcome address = fovea({"serve", model, "--address", "0.0.0.0", "--port", "0"});
  EXPECT_EQ(address.code, 1);
  EXPECT_EQ(address.err,
            "fovea serve: 0.0.0.0: others can reach this address, so a token is needed: --token "
            "TOKEN\n");
  const Server other(small_models(), any_port());
  const Outcome port = fovea({"serve", model, "--port", std::to_string(other.port())});
  EXPECT_EQ(port.code, 1);
  EXPECT_THAT(port.err, StartsWith("fovea serve: cannot listen at 127.0.0.1 port "));
  EXPECT_THAT(port.err, HasSubstr("the port is in use"));
  const Outcome missing = fovea({"serve", folder / "none.safetensors"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("none.safetensors"));
  EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1);
  const Outcome token = fovea({"serve", model, "--token", "open sesame"});
  EXPECT_EQ(token.code, 2);
  EXPECT_THAT(token.err, HasSubstr("--token: visible ASCII characters without spaces"));
  EXPECT_EQ(fovea({"serve"}).code, 2);
  EXPECT_EQ(fovea({"serve", model, "--port", "65536"}).code, 2);
}

TEST(Serve, APrivilegedPortNeedsRoot) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may listen anywhere";
  const ScratchFolder folder;
  const Outcome port = fovea({"serve", translator_in(folder), "--port", "80"});
  EXPECT_EQ(port.code, 1);
  EXPECT_THAT(port.err, HasSubstr("ports below 1024 are for root; take another"));
}

}  // namespace
}  // namespace fovea::cli
