// What tests of every folder share: the text of an error; for a while, a number of threads or a
// full disk.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <string>

#include "fovea/base/error.h"
#include "fovea/base/index.h"
#include "fovea/base/parallel.h"

namespace fovea {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// What `call` fails with; "" when it does not.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// While it lives, parallel loops use `count` threads.
class UseThreads {
 public:
  explicit UseThreads(int count) : saved_(threads()) { set_threads(count); }
  ~UseThreads() { set_threads(saved_); }
  UseThreads(const UseThreads&) = delete;
  UseThreads& operator=(const UseThreads&) = delete;

 private:
  int saved_;
};

// While it lives, files of this process cannot grow beyond `bytes`: as good as a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &saved_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = saved_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &saved_);
    ::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit saved_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace fovea
