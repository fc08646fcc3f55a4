#include "fovea/base/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace fovea {
namespace {

volatile std::sig_atomic_t signals_seen = 0;
extern "C" void count_signal(int) { signals_seen = signals_seen + 1; }

class Signals : public testing::Test {
 protected:
  Signals() : before_(std::signal(SIGUSR1, count_signal)) { signals_seen = 0; }
  ~Signals() override { std::signal(SIGUSR1, before_); }

 private:
  void (*before_)(int);
};

TEST_F(Signals, WaitUntilTheOutermostHoldEnds) {
  {
    const HoldSignals outer;
    {
      const HoldSignals inner;
      std::raise(SIGUSR1);
    }
    EXPECT_EQ(signals_seen, 0);
  }
  EXPECT_EQ(signals_seen, 1);
  std::raise(SIGUSR1);
  EXPECT_EQ(signals_seen, 2);
}

TEST_F(Signals, AreHeldForOneThreadAlone) {
  const HoldSignals guard;
  std::thread([] {
    sigset_t nothing, held;
    sigemptyset(&nothing);
    pthread_sigmask(SIG_SETMASK, &nothing, nullptr);
    std::raise(SIGUSR1);
    const HoldSignals own;
    pthread_sigmask(SIG_BLOCK, nullptr, &held);
    EXPECT_TRUE(sigismember(&held, SIGUSR1));
    EXPECT_FALSE(sigismember(&held, SIGSEGV));
  }).join();
  EXPECT_EQ(signals_seen, 1);
}

}  // namespace
}  // namespace fovea
