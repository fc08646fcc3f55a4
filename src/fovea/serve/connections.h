// Connections: who is connected, since when, and who has to go. A connection that waits for a
// request too long, sends one too slowly or reads its answer too slowly is cut; when there are too
// many, the one that has been idle longest makes room.
#pragma once

#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "fovea/base/index.h"

struct sockaddr;

namespace fovea {

struct ConnectionLimits {
  Index most = 4096;
  Index most_of_address = 0;               // 0: 256, or `most` where only this machine can connect
  std::chrono::milliseconds idle{30'000};  // from its start, or the last answer, to whole headers
  std::chrono::milliseconds receiving{30'000};  // from the headers to the end of the body
  std::chrono::milliseconds sending{60'000};    // until an answer has been taken
};

class Connections {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { kIdle, kReceiving, kWorking, kSending };
  struct Connection {
    int socket;
    std::string address;
    State state = State::kIdle;
    Clock::time_point since = Clock::now();
    bool cut = false;
    std::list<Connection>::iterator self{};
  };

  explicit Connections(const ConnectionLimits& limits) : limits_(limits) {}

  // May one more come from this address? Cuts an idle one if that is needed.
  bool admit(const std::string& address);
  Connection* opened(int socket, std::string address);
  void enter(Connection* connection, State state);
  void closed(Connection* connection);  // before its socket is closed

  void cut_overdue(Clock::time_point now = Clock::now());
  Index count() const;
  Index busy() const;  // being worked on or answered

 private:
  bool cut_oldest_idle(const std::string* address);
  void cut(Connection& connection);
  void forget(const Connection& connection);

  const ConnectionLimits limits_;
  mutable std::mutex mutex_;
  std::list<Connection> all_;  // those that became idle last stand at the end
  Index open_ = 0, busy_ = 0;  // without those that were cut
  std::map<std::string, Index> of_address_;
};

// "192.0.2.7"; of IPv6 the first 64 bits, which one household has to itself.
std::string address_text(const sockaddr* address);

}  // namespace fovea
