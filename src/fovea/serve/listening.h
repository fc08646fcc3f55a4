// A socket that listens: from an address as people write it, with errors that they understand.
#pragma once

#include <string>

#include "fovea/base/index.h"

namespace fovea {

struct Listening {
  int socket = -1;
  int port = 0;
  bool loopback = false;  // only this machine can reach it
  std::string host{};     // as it stands in an address of the web: "127.0.0.1", "[::1]"
};

// "127.0.0.1", "::1", "0.0.0.0", "localhost". Port 0: any that is free.
Listening listen_at(const std::string& address, int port);

bool is_loopback(const std::string& address);  // fails if it is no address

// Raises how many files this process may have open as far as it is allowed; returns that.
Index raise_open_files(Index wanted);

}  // namespace fovea
