// A queue of bounded length and the threads that work it off.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

class WorkQueue {
 public:
  using Job = std::function<void()>;  // must not throw

  WorkQueue(int workers, Index longest);
  ~WorkQueue() { finish(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  bool push(Job job);  // false: it is full, or closed
  void finish();       // takes nothing more, works off what waits, returns when all is done

  Index waiting() const;
  Index running() const;

 private:
  void work();

  const std::size_t longest_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Job> jobs_;
  Index running_ = 0;
  bool closed_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace fovea
