#include "fovea/serve/work_queue.h"

#include <utility>

namespace fovea {

WorkQueue::WorkQueue(int workers, Index longest) : longest_(static_cast<std::size_t>(longest)) {
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

bool WorkQueue::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || jobs_.size() >= longest_) return false;
    jobs_.push_back(std::move(job));
  }
  news_.notify_one();
  return true;
}

void WorkQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  news_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

Index WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<Index>(jobs_.size());
}

Index WorkQueue::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void WorkQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    job = nullptr;  // what it holds ends outside the lock
    lock.lock();
    --running_;
  }
}

}  // namespace fovea
