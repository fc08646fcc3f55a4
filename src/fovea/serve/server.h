// Server: the page and the JSON API over HTTP (docs/api.md). One thread has all connections
// (libmicrohttpd, epoll); models work on the threads of a queue of bounded length.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "fovea/serve/connections.h"
#include "fovea/serve/service.h"

namespace fovea {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 8080;         // 0: any that is free
  std::string token{};     // needed at any address but this machine's own
  Index longest = 500;     // pieces of an input
  Index body = 1 << 20;    // bytes of a request's body
  Index bodies = 1 << 28;  // bytes of all bodies that are being received or worked on
  Index queue = 256;       // requests that may wait
  int workers = 0;         // 0: as many as parallel loops use threads
  std::chrono::milliseconds time{30'000};     // from the headers of a request to its answer
  std::chrono::milliseconds farewell{5'000};  // for answers to be taken when the server stops
  ConnectionLimits connections{};
  std::function<void(const std::string& line)> log{};  // a line for each request
};

class Server {
 public:
  // Serves when this returns. Fails if it cannot listen there.
  Server(std::vector<ServedModel> models, const ServerOptions& options);
  ~Server();  // stops

  int port() const;
  std::string url() const;  // "http://127.0.0.1:8080/"
  Index answered() const;   // requests, so far

  // Takes no more, finishes what is running or waits, and returns.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea
