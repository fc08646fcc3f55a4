#include "fovea/serve/listening.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

struct Address {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  bool is_v6 = false;

  sockaddr* get() {
    return is_v6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  }
  socklen_t size() const { return is_v6 ? sizeof v6 : sizeof v4; }
  int port() const { return ntohs(is_v6 ? v6.sin6_port : v4.sin_port); }
  bool loopback() const {
    return is_v6 ? IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0
                 : ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
};

Address parse_address(const std::string& text, int port) {
  Address address;
  const std::string numeric = text == "localhost" ? "127.0.0.1" : text;
  address.v4.sin_family = AF_INET;
  address.v6.sin6_family = AF_INET6;
  address.v4.sin_port = address.v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, numeric.c_str(), &address.v4.sin_addr) == 1) return address;
  address.is_v6 = ::inet_pton(AF_INET6, numeric.c_str(), &address.v6.sin6_addr) == 1;
  if (!address.is_v6) {
    fail("{} is no address to listen at; try 127.0.0.1 (this machine alone), 0.0.0.0 or ::1",
         in_quotes(text));
  }
  return address;
}

std::string advice(int error) {
  if (error == EADDRINUSE) {
    return "the port is in use; stop who has it, or take another: --port 0 takes a free one";
  }
  if (error == EACCES) return "ports below 1024 are for root; take another, as in --port 8080";
  if (error == EADDRNOTAVAIL) return "this machine does not have that address";
  return std::strerror(error);
}

}  // namespace

bool is_loopback(const std::string& address) { return parse_address(address, 0).loopback(); }

Listening listen_at(const std::string& text, int port) {
  Address address = parse_address(text, port);
  const int socket =
      ::socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  const bool good =
      socket >= 0 && ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      ::bind(socket, address.get(), address.size()) == 0 && ::listen(socket, SOMAXCONN) == 0;
  if (!good) {
    const int error = errno;
    if (socket >= 0) ::close(socket);
    fail("cannot listen at {} port {}: {}", text, port, advice(error));
  }
  socklen_t size = address.size();
  ::getsockname(socket, address.get(), &size);
  char name[INET6_ADDRSTRLEN] = "";
  const void* const bytes = address.is_v6 ? static_cast<const void*>(&address.v6.sin6_addr)
                                          : static_cast<const void*>(&address.v4.sin_addr);
  ::inet_ntop(address.get()->sa_family, bytes, name, sizeof name);
  return {.socket = socket,
          .port = address.port(),
          .loopback = address.loopback(),
          .host = address.is_v6 ? fmt::format("[{}]", name) : name};
}

Index raise_open_files(Index wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const auto most = std::min(static_cast<rlim_t>(wanted), limit.rlim_max);
  if (limit.rlim_cur < most) {
    rlimit raised = limit;
    raised.rlim_cur = most;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<Index>(std::min<rlim_t>(limit.rlim_cur, 1 << 30));
}

}  // namespace fovea
