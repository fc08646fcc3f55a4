// The page's files as they are sent: plain or packed by gzip, with a tag by which a browser asks
// whether they changed.
#pragma once

#include <string>
#include <string_view>

#include "fovea/serve/reply.h"

namespace fovea {

class Asset {
 public:
  Asset(std::string_view content, const char* type);  // `content` must outlive this

  // By the headers If-None-Match and Accept-Encoding.
  Reply reply(std::string_view known_tags, std::string_view encodings) const;

 private:
  std::string_view content_;
  const char* type_;
  std::string packed_, tag_, packed_tag_;
};

}  // namespace fovea
