#include "fovea/serve/reply.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Reply error_reply(int status, std::string_view message) {
  std::string line(message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  const Json body = {{"error", {{"status", status}, {"message", line}}}};
  Reply reply{.status = status, .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 503) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

}  // namespace fovea
