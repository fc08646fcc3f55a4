#include "fovea/serve/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <utility>

namespace fovea {

bool Connections::admit(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto same = of_address_.find(address);
  if (same != of_address_.end() && same->second >= limits_.most_of_address) {
    return cut_oldest_idle(&address);
  }
  return open_ < limits_.most || cut_oldest_idle(nullptr);
}

Connections::Connection* Connections::opened(int socket, std::string address) {
  const std::lock_guard lock(mutex_);
  ++open_;
  ++of_address_[address];
  all_.push_back({.socket = socket, .address = std::move(address)});
  all_.back().self = std::prev(all_.end());
  return &all_.back();
}

void Connections::enter(Connection* connection, State state) {
  const auto works = [](State s) { return s == State::kWorking || s == State::kSending; };
  const std::lock_guard lock(mutex_);
  busy_ += (works(state) ? 1 : 0) - (works(connection->state) ? 1 : 0);
  connection->state = state;
  connection->since = Clock::now();
  if (state == State::kIdle) all_.splice(all_.end(), all_, connection->self);
}

void Connections::closed(Connection* connection) {
  enter(connection, State::kIdle);
  const std::lock_guard lock(mutex_);
  if (!connection->cut) forget(*connection);
  all_.erase(connection->self);
}

void Connections::cut_overdue(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  for (Connection& connection : all_) {
    const auto time = now - connection.since;
    const bool overdue = (connection.state == State::kIdle && time > limits_.idle) ||
                         (connection.state == State::kReceiving && time > limits_.receiving) ||
                         (connection.state == State::kSending && time > limits_.sending);
    if (overdue && !connection.cut) cut(connection);
  }
}

Index Connections::count() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

Index Connections::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

bool Connections::cut_oldest_idle(const std::string* address) {
  for (Connection& connection : all_) {
    if (connection.state != State::kIdle || connection.cut) continue;
    if (address != nullptr && connection.address != *address) continue;
    cut(connection);
    return true;
  }
  return false;
}

// Its owner sees the end of the stream and closes it.
void Connections::cut(Connection& connection) {
  ::shutdown(connection.socket, SHUT_RDWR);
  connection.cut = true;
  forget(connection);
}

void Connections::forget(const Connection& connection) {
  --open_;
  const auto same = of_address_.find(connection.address);
  if (--same->second == 0) of_address_.erase(same);
}

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    ::inet_ntop(AF_INET, &in.sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    std::memset(in.sin6_addr.s6_addr + 8, 0, 8);
    ::inet_ntop(AF_INET6, &in.sin6_addr, text, sizeof text);
  }
  return text;
}

}  // namespace fovea
