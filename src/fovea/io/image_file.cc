#include "fovea/io/image_file.h"

#include <array>

#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/io/jpeg.h"
#include "fovea/io/png.h"

namespace fovea {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of a file with one picture
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n"sv, kJpeg = "\xff\xd8\xff"sv;

// What people have instead, by the bytes at a place.
struct Other {
  const char* kind;
  std::size_t at;
  std::string_view bytes;
};
constexpr std::array<Other, 9> kOthers = {{{"GIF", 0, "GIF8"sv},
                                           {"WebP", 8, "WEBP"sv},
                                           {"AVIF", 4, "ftypavif"sv},
                                           {"HEIC", 4, "ftyphei"sv},
                                           {"TIFF", 0, "II*\0"sv},
                                           {"TIFF", 0, "MM\0*"sv},
                                           {"BMP", 0, "BM"sv},
                                           {"JPEG XL", 0, "\xff\x0a"sv},
                                           {"SVG", 0, "<svg"sv}}};

}  // namespace

Image decode_image(std::string_view bytes, const std::string& name, Index most) {
  if (bytes.starts_with(kPng)) return decode_png(bytes, name, most);
  if (bytes.starts_with(kJpeg)) return decode_jpeg(bytes, name, most);
  if (bytes.empty()) fail("{}: is empty, not a picture", name);
  for (const Other& other : kOthers) {
    if (bytes.size() > other.at && bytes.substr(other.at).starts_with(other.bytes))
      fail("{}: its format is {}; PNG and JPEG can be read, convert it to one of them", name,
           other.kind);
  }
  if (kPng.starts_with(bytes) || kJpeg.starts_with(bytes))
    fail("{}: ends at byte {}, within the picture; is the file complete?", name, bytes.size());
  fail("{}: is not a picture: it begins neither as a PNG nor as a JPEG", name);
}

Image read_image(const std::string& path) {
  return decode_image(read_file(path, kMostBytes), path);
}

}  // namespace fovea
