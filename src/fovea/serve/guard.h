// Who may ask: the token, and the two headers by which a browser gives away that a request was made
// by a page from elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// Headers of a request, "" where they are missing.
struct Asker {
  std::string_view host{}, origin{}, site{}, authorization{};
  std::string_view token{};  // of the address: ?token=...
};

struct Guard {
  std::string token{};          // "": none is needed
  bool own_names_only = false;  // Host must name this machine itself

  // Throws a Refusal. `open`: what everyone may see, without the token.
  void check(const Asker& asker, bool open) const;
};

// Takes the same time wherever they differ.
bool same_secret(std::string_view given, std::string_view secret);

// %41 becomes A; what is no such code stays.
std::string percent_decoded(std::string_view text);

}  // namespace fovea
