#include "fovea/io/png.h"

#include <png.h>

#include "fovea/base/error.h"
#include "fovea/io/source.h"

namespace fovea {
namespace {

constexpr std::size_t kSignature = 8, kChunkHeader = 8, kChecksum = 4, kSizes = 13;  // bytes

// libpng's simple interface: it comes back from errors by itself, and prints nothing.
struct Libpng {
  Libpng() { image.version = PNG_IMAGE_VERSION; }
  Libpng(const Libpng&) = delete;
  Libpng& operator=(const Libpng&) = delete;
  ~Libpng() { png_image_free(&image); }

  png_image image{};
};

Index number_at(std::string_view bytes, std::size_t at) {
  Index number = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

// The parts of a file that pixels are made from. All others go before libpng sees them: they may
// inflate to a thousand times their size.
class Chunks {
 public:
  Chunks(std::string_view bytes, const std::string& name, Index most)
      : bytes_(bytes), name_(name), most_(most) {
    need(0, kSignature);
    kept_.assign(bytes.substr(0, kSignature));
    std::size_t at = kSignature;
    for (bool ended = false; !ended;) {
      need(at, kChunkHeader);
      const auto length = static_cast<std::size_t>(number_at(bytes, at));
      const std::string_view type = bytes.substr(at + 4, 4);
      const std::size_t whole = kChunkHeader + length + kChecksum;
      if (at == kSignature) check_sizes(type, length);
      need(at, whole);
      const bool needed = (type[0] & 0x20) == 0 || type == "tRNS";  // capitals: critical
      if (needed) kept_.append(bytes.substr(at, whole));
      if (type == "IDAT") packed_ += static_cast<Index>(length);
      ended = type == "IEND";
      at += whole;
    }
    check_pixels();
  }

  const std::string& kept() const { return kept_; }

 private:
  void need(std::size_t at, std::size_t size) const {
    if (bytes_.size() - at < size)
      fail("{}: ends at byte {}, within the picture; is the file complete?", name_, bytes_.size());
  }

  void check_sizes(std::string_view type, std::size_t length) {
    if (type != "IHDR" || length != kSizes) {
      fail("{}: is damaged: it starts with {} of {} bytes, a PNG with 'IHDR' of {}", name_,
           in_quotes(type), length, kSizes);
    }
    need(kSignature + kChunkHeader, kSizes);
    const std::size_t at = kSignature + kChunkHeader;
    const Index width = number_at(bytes_, at), height = number_at(bytes_, at + 4);
    check_picture_size(width, height, name_, most_);
    // Depth and kind of colour; libpng checks both.
    const Index depth = static_cast<unsigned char>(bytes_[at + 8]), kind = bytes_[at + 9];
    const Index channels = kind == 2 ? 3 : kind == 4 ? 2 : kind == 6 ? 4 : 1;
    claimed_ = width * height * channels * depth / 8;
  }

  void check_pixels() const {
    constexpr Index kMostInflation = 1032;  // of deflate (RFC 1951, 3.2.5)
    if (packed_ == 0) fail("{}: is damaged: it has no pixels", name_);
    if (claimed_ / kMostInflation > packed_) {
      fail("{}: is damaged: {} bytes of pixels are claimed, but {} compressed ones hold fewer",
           name_, claimed_, packed_);
    }
  }

  std::string_view bytes_;
  const std::string& name_;
  const Index most_;  // pixels
  std::string kept_;
  Index packed_ = 0, claimed_ = 0;
};

// `count` pixels whose last channel says how much of them is to be seen.
std::vector<std::uint8_t> over_white(const std::vector<std::uint8_t>& from, Index count,
                                     Index channels) {
  std::vector<std::uint8_t> result;
  result.reserve(static_cast<std::size_t>(count * channels));
  const std::uint8_t* pixel = from.data();
  for (Index i = 0; i < count; ++i, pixel += channels + 1) {
    const int seen = pixel[channels];
    for (Index k = 0; k < channels; ++k) {
      result.push_back(
          static_cast<std::uint8_t>((pixel[k] * seen + 255 * (255 - seen) + 127) / 255));
    }
  }
  return result;
}

}  // namespace

std::string encode_png(const Image& image) {
  constexpr Index kMost = 65'500;  // a side, so that sizes in bytes fit libpng's 32 bits
  if (image.width < 1 || image.height < 1 || image.width > kMost || image.height > kMost ||
      (image.channels != 1 && image.channels != 3) ||
      std::ssize(image.pixels) != image.channels * image.width * image.height) {
    fail("png: {} bytes are no picture of {} x {} pixels with {} channels", image.pixels.size(),
         image.width, image.height, image.channels);
  }
  Libpng png;
  png.image.width = static_cast<png_uint_32>(image.width);
  png.image.height = static_cast<png_uint_32>(image.height);
  png.image.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::string bytes;
  png_alloc_size_t size = 0;
  for (const bool sizing : {true, false}) {  // once for the size, once for the bytes
    void* const to = sizing ? nullptr : bytes.data();
    if (png_image_write_to_memory(&png.image, to, &size, 0, image.pixels.data(), 0, nullptr) == 0)
      fail("png: {}", png.image.message);
    bytes.resize(size);
  }
  return bytes;
}

Image decode_png(std::string_view bytes, const std::string& name, Index most) {
  const Chunks chunks(bytes, name, most);
  Libpng png;
  const std::string& kept = chunks.kept();
  if (png_image_begin_read_from_memory(&png.image, kept.data(), kept.size()) == 0)
    fail("{}: is damaged: {}", name, png.image.message);
  const bool colour = (png.image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  const bool alpha = (png.image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  png.image.format = colour ? (alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB)
                            : (alpha ? PNG_FORMAT_GA : PNG_FORMAT_GRAY);
  png.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // 16 bits mean what 8 do: no change of gamma
  Image image{png.image.width, png.image.height, colour ? 3 : 1, {}};
  image.pixels.resize(PNG_IMAGE_SIZE(png.image));
  if (png_image_finish_read(&png.image, nullptr, image.pixels.data(), 0, nullptr) == 0)
    fail("{}: is damaged: {}", name, png.image.message);
  if (alpha) image.pixels = over_white(image.pixels, image.width * image.height, image.channels);
  return image;
}

}  // namespace fovea
