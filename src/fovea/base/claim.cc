#include "fovea/base/claim.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"

namespace fovea {

Claim::Claim(const std::string& path) {
  std::error_code unknown;  // then the path is taken as it is
  const std::filesystem::path whole =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  const std::string name =
      fmt::format("fovea-claim-{:016x}", hash_bytes(whole.empty() ? path : whole.string()));
  // A name that begins with 0 is no file: it is free again when the socket is closed.
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return;  // a system without: nobody is kept out
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0) return;
  const bool taken = errno == EADDRINUSE;
  ::close(socket_);
  socket_ = -1;
  if (taken)
    fail("{}: another process is at work on it; wait until it has ended, or choose another name",
         path);
}

Claim::~Claim() {
  if (socket_ >= 0) ::close(socket_);
}

}  // namespace fovea
