#include "fovea/serve/assets.h"

#include <zlib.h>

#include "fovea/base/hash.h"

namespace fovea {
namespace {

constexpr int kGzip = 15 + 16;  // the largest window, with gzip's header

std::string gzip(std::string_view content) {
  z_stream zlib{};
  if (deflateInit2(&zlib, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&zlib, static_cast<uLong>(content.size())) + 32, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  zlib.avail_in = static_cast<uInt>(content.size());
  zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
  zlib.avail_out = static_cast<uInt>(packed.size());
  const bool good = deflate(&zlib, Z_FINISH) == Z_STREAM_END;
  packed.resize(good ? zlib.total_out : 0);
  deflateEnd(&zlib);
  return packed;
}

bool takes_gzip(std::string_view encodings) {
  const std::size_t at = encodings.find("gzip");
  if (at == std::string_view::npos) return false;
  const std::string_view quality = encodings.substr(at + 4, encodings.find(',', at) - at - 4);
  const std::size_t q = quality.find("q=0");
  return q == std::string_view::npos ||
         quality.find_first_of("123456789", q) != std::string_view::npos;
}

}  // namespace

Asset::Asset(std::string_view content, const char* type)
    : content_(content), type_(type), packed_(gzip(content)) {
  tag_ = fmt::format("\"{:016x}\"", hash_bytes(content));
  packed_tag_ = fmt::format("\"{:016x}-gzip\"", hash_bytes(content));
}

Reply Asset::reply(std::string_view known_tags, std::string_view encodings) const {
  const bool pack = !packed_.empty() && takes_gzip(encodings);
  const std::string& tag = pack ? packed_tag_ : tag_;
  Reply reply{
      .type = type_,
      .headers = {{"ETag", tag}, {"Vary", "Accept-Encoding"}, {"Cache-Control", "no-cache"}}};
  if (known_tags == "*" || known_tags.find(tag) != std::string_view::npos) {
    reply.status = 304;
    return reply;
  }
  reply.kept = pack ? std::string_view(packed_) : content_;
  if (pack) reply.headers.emplace_back("Content-Encoding", "gzip");
  return reply;
}

}  // namespace fovea
