#include "fovea/serve/guard.h"

#include <algorithm>
#include <charconv>

#include "fovea/io/source.h"
#include "fovea/serve/reply.h"

namespace fovea {
namespace {

// Without the port: "localhost:8080", "[::1]:8080", "127.0.0.1".
std::string host_name(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string name(host.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

// All of 127.0.0.0/8 is this machine; a name such as 127.evil.example is not.
bool names_this_machine(std::string_view host) {
  const std::string name = host_name(host);
  if (name == "localhost" || name == "[::1]") return true;
  return name.starts_with("127.") && std::all_of(name.begin(), name.end(), [](char c) {
           return c == '.' || (c >= '0' && c <= '9');
         });
}

bool same_place(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) == host;
  }
  return false;
}

}  // namespace

void Guard::check(const Asker& asker, bool open) const {
  // A page elsewhere whose name was made to point here (DNS rebinding) still names itself in Host.
  if (own_names_only && !asker.host.empty() && !names_this_machine(asker.host)) {
    refuse(403, "Host {} is not this machine; ask for localhost or 127.0.0.1, or use --token",
           in_quotes(asker.host));
  }
  if (!asker.origin.empty() && !same_place(asker.origin, asker.host)) {
    refuse(403, "Origin {} is another place than Host {}; only the page served here may ask",
           in_quotes(asker.origin), in_quotes(asker.host));
  }
  if (asker.site == "cross-site" && !open) {
    refuse(403, "a page from another site asked; only the page served here may");
  }
  if (open || token.empty()) return;
  constexpr std::string_view kBearer = "Bearer ";
  if (asker.authorization.starts_with(kBearer) &&
      same_secret(asker.authorization.substr(kBearer.size()), token)) {
    return;
  }
  if (!asker.token.empty() && same_secret(percent_decoded(asker.token), token)) return;
  refuse(401, "{} token; send 'Authorization: Bearer TOKEN', or open the page with ?token=TOKEN",
         asker.authorization.empty() && asker.token.empty() ? "this server needs its"
                                                            : "that is not the right");
}

bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(secret.empty() ? '\0' : secret[i % secret.size()]);
  }
  return difference == 0;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace fovea
