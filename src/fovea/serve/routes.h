// The places of the server, and nothing else is one.
#pragma once

#include <string_view>

namespace fovea {

enum class Place {
  kPage,
  kScript,
  kStyle,
  kHealth,
  kMetrics,
  kModels,
  kRun,
  kExplain,
  kPictures,
  kAttend
};

struct Route {
  Place place;
  std::string_view path;
  bool post = false;  // takes a body, and is worked on by the queue
  bool open =
      false;  // needs no token: the page holds nothing secret and asks with the token itself
};

inline constexpr Route kRoutes[] = {
    {.place = Place::kPage, .path = "/", .open = true},
    {.place = Place::kScript, .path = "/app.js", .open = true},
    {.place = Place::kStyle, .path = "/app.css", .open = true},
    {.place = Place::kHealth, .path = "/api/health", .open = true},
    {.place = Place::kMetrics, .path = "/metrics"},
    {.place = Place::kModels, .path = "/api/models"},
    {.place = Place::kRun, .path = "/api/run", .post = true},
    {.place = Place::kExplain, .path = "/api/explain", .post = true},
    {.place = Place::kPictures, .path = "/api/pictures", .post = true},
    {.place = Place::kAttend, .path = "/api/attend", .post = true}};

// As it was sent, byte for byte: %2e or a slash too many is another place. Null: there is none.
constexpr const Route* find_route(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

}  // namespace fovea
