// Exchange: one request on its way to its answer.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "fovea/serve/connections.h"
#include "fovea/serve/reply.h"
#include "fovea/serve/routes.h"

struct MHD_Connection;

namespace fovea {

struct Exchange {
  MHD_Connection* connection = nullptr;
  Connections::Connection* line = nullptr;
  std::string method{}, path{};
  const Route* route = nullptr;  // null: no such place
  Index length = 0;              // of the body, as it was announced; -1: too long, or not known
  Index reserved = 0;            // of the memory for bodies
  std::string body{};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::atomic<bool> stop{false};  // nobody waits for the answer any more
  bool handed_over = false;       // to the queue

  std::mutex mutex{};
  std::optional<Reply> reply{};  // guarded by mutex
};

}  // namespace fovea
