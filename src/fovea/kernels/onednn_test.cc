// Signals while oneDNN computes: its products point the stack pointer into the heap.
#include "fovea/kernels/onednn.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>
#include <ucontext.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <vector>

#include "fovea/kernels/matmul.h"

namespace fovea::kernels {
namespace {

#if defined(__x86_64__)

struct StackRange {
  std::uintptr_t begin, end;
};
StackRange stack;
volatile std::sig_atomic_t signals_seen = 0, signals_off_the_stack = 0;

extern "C" void look_at_stack_pointer(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
  signals_seen = signals_seen + 1;
  if (pointer < stack.begin || pointer >= stack.end) {
    signals_off_the_stack = signals_off_the_stack + 1;
  }
}

StackRange stack_of_this_thread() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  return {first, first + size};
}

// While this lives, a timer interrupts the process thousands of times a second. The handler has a
// stack of its own, so that it harms nothing where the product's is elsewhere.
class Interruptions {
 public:
  Interruptions() : own_stack_(1 << 16) {
    stack = stack_of_this_thread();
    signals_seen = 0;
    signals_off_the_stack = 0;
    stack_t own = {};
    own.ss_sp = own_stack_.data();
    own.ss_size = own_stack_.size();
    sigaltstack(&own, &stack_before_);
    struct sigaction action = {};
    action.sa_sigaction = look_at_stack_pointer;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
    sigaction(SIGALRM, &action, &action_before_);
    const itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Interruptions() {
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &action_before_, nullptr);
    sigaltstack(&stack_before_, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  std::vector<char> own_stack_;
  stack_t stack_before_;
  struct sigaction action_before_;
};

TEST(OneDnn, NoSignalMeetsAStackPointerInTheHeap) {
  constexpr Index kRows = 128, kColumns = 192, kDepth = 384;
  const std::vector<float> a(kRows * kDepth, 1.0f), b(kDepth * kColumns, 1.0f);
  std::vector<float> c(kRows * kColumns);
  Matmul product{kRows,    kColumns, kDepth, {a.data(), kDepth, 1}, {b.data(), kColumns, 1},
                 c.data(), kColumns};
  product.engine = Engine::kOneDnn;
  const Interruptions often;
  const auto begin = std::chrono::steady_clock::now();
  while (signals_seen < 200 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
    matmul(product);
  }
  EXPECT_GE(signals_seen, 100);
  EXPECT_EQ(signals_off_the_stack, 0);
  EXPECT_EQ(c.front(), float{kDepth});
}

#endif

}  // namespace
}  // namespace fovea::kernels
