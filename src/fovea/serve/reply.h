// Reply: what the server answers with; Refusal: a request that is not granted, and why.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {

struct Reply {
  int status = 200;
  std::string body{};
  std::string_view kept{};  // instead of body: bytes that outlive the server's answers
  const char* type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
};

class Refusal : public Error {
 public:
  Refusal(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

template <class... Args>
[[noreturn]] void refuse(int status, fmt::format_string<Args...> message, Args&&... args) {
  throw Refusal(status, fmt::format(message, std::forward<Args>(args)...));
}

// {"error":{"status":413,"message":"..."}}
Reply error_reply(int status, std::string_view message);

}  // namespace fovea
