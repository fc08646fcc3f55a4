#include "fovea/io/jpeg.h"

#include <array>
#include <csetjmp>
#include <cstdio>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/io/libjpeg.h"

namespace fovea {
namespace {

// Each scan of a progressive file goes over the whole picture: a small file could take hours.
constexpr int kMostScans = 200;                   // programs write about ten
constexpr Index kMostScanned = 20 * kMostPixels;  // pixels in all scans together
constexpr int kExif = JPEG_APP0 + 1;
constexpr unsigned kLongestExif = 65'533;

// libjpeg leaves errors by a jump, which passes over destructors: what is between setjmp and the
// jump has none.
class Libjpeg {
 public:
  explicit Libjpeg(std::string_view bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_);
    info_.client_data = this;
    errors_.error_exit = [](j_common_ptr info) { of(info).leave(); };
    errors_.emit_message = [](j_common_ptr info, int level) { of(info).hear(level); };
    errors_.output_message = [](j_common_ptr) {};
    progress_.progress_monitor = [](j_common_ptr info) { of(info).count_scans(); };
  }
  Libjpeg(const Libjpeg&) = delete;
  Libjpeg& operator=(const Libjpeg&) = delete;
  ~Libjpeg() { jpeg_destroy_decompress(&info_); }

  // Both are false when the file is no picture, and message() says why.
  bool read_header() {
    if (setjmp(failed_) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()),
                 static_cast<unsigned long>(bytes_.size()));
    jpeg_save_markers(&info_, kExif, kLongestExif);
    jpeg_read_header(&info_, TRUE);
    return true;
  }
  bool read_pixels(J_COLOR_SPACE as, std::uint8_t* to) {
    if (setjmp(failed_) != 0) return false;
    info_.out_color_space = as;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* row = to + std::size_t{info_.output_scanline} * info_.output_width *
                                   static_cast<std::size_t>(info_.output_components);
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const jpeg_decompress_struct& info() const { return info_; }
  const char* message() const { return message_.data(); }
  bool ended_early() const { return ended_early_; }

 private:
  static Libjpeg& of(j_common_ptr info) { return *static_cast<Libjpeg*>(info->client_data); }

  [[noreturn]] void leave() {
    errors_.format_message(reinterpret_cast<j_common_ptr>(&info_), message_.data());
    std::longjmp(failed_, 1);
  }

  // Warnings have level -1. libjpeg would go on with grey where pixels are missing.
  void hear(int level) {
    if (level >= 0) return;
    switch (errors_.msg_code) {
      case JWRN_JPEG_EOF:
        ended_early_ = true;
        leave();
      case JWRN_HIT_MARKER:
      case JWRN_HUFF_BAD_CODE:
      case JWRN_ARITH_BAD_CODE:
      case JWRN_MUST_RESYNC:
        leave();
      default:  // a harmless one, such as bytes between two parts
        break;
    }
  }

  void count_scans() {
    const Index scans = info_.input_scan_number;
    if (scans <= kMostScans && scans * info_.image_width * info_.image_height <= kMostScanned)
      return;
    std::snprintf(message_.data(), message_.size(), "too many scans (%d)", info_.input_scan_number);
    std::longjmp(failed_, 1);
  }

  std::string_view bytes_;
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf failed_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
  bool ended_early_ = false;
};

[[noreturn]] void refuse(const Libjpeg& jpeg, std::size_t size, const std::string& name) {
  if (jpeg.ended_early())
    fail("{}: ends at byte {}, within the picture; is the file complete?", name, size);
  fail("{}: cannot be read as a JPEG: {}", name, jpeg.message());
}

// Four inks to three colours. Adobe's programs, which nearly all such files are from, write how
// much paper shows, others how much ink there is.
std::vector<std::uint8_t> without_inks(const std::vector<std::uint8_t>& inks, bool adobe) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(inks.size() / 4 * 3);
  const auto paper = [&](std::size_t i) { return adobe ? inks[i] : 255 - inks[i]; };
  for (std::size_t i = 0; i < inks.size(); i += 4) {
    for (std::size_t k = 0; k < 3; ++k)
      rgb.push_back(static_cast<std::uint8_t>((paper(i + k) * paper(i + 3) + 127) / 255));
  }
  return rgb;
}

// How the camera was held, 1 to 8 (Exif 2.3, tag 0x0112, in the first directory); 1 where nothing
// sensible is said.
int orientation(const jpeg_decompress_struct& info) {
  constexpr std::string_view kStart{"Exif\0\0", 6};
  for (const auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    std::string_view exif(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker != kExif || !exif.starts_with(kStart)) continue;
    exif.remove_prefix(kStart.size());
    const bool little = exif.starts_with("II");
    const auto number = [&](std::size_t at, std::size_t bytes) {
      std::size_t result = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t from = at + (little ? bytes - 1 - i : i);
        result = result << 8 | (from < exif.size() ? static_cast<unsigned char>(exif[from]) : 0u);
      }
      return result;
    };
    const std::size_t directory = number(4, 4);
    const std::size_t entries = directory < exif.size() ? number(directory, 2) : 0;
    for (std::size_t i = 0; i < entries; ++i) {
      const std::size_t at = directory + 2 + 12 * i, value = number(at + 8, 2);
      if (number(at, 2) == 0x0112 && value >= 1 && value <= 8) return static_cast<int>(value);
    }
  }
  return 1;
}

Image turned(Image image, int orientation) {
  if (orientation == 1) return image;
  const bool swapped = orientation >= 5;
  const bool right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool down = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result{image.width, image.height, image.channels, {}};
  if (swapped) std::swap(result.width, result.height);
  result.pixels.reserve(image.pixels.size());
  for (Index y = 0; y < result.height; ++y) {
    for (Index x = 0; x < result.width; ++x) {
      Index from_x = swapped ? y : x, from_y = swapped ? x : y;
      if (right) from_x = image.width - 1 - from_x;
      if (down) from_y = image.height - 1 - from_y;
      const auto* pixel = image.pixels.data() + (from_y * image.width + from_x) * image.channels;
      result.pixels.insert(result.pixels.end(), pixel, pixel + image.channels);
    }
  }
  return result;
}

}  // namespace

Image decode_jpeg(std::string_view bytes, const std::string& name, Index most) {
  Libjpeg jpeg(bytes);
  if (!jpeg.read_header()) refuse(jpeg, bytes.size(), name);
  const jpeg_decompress_struct& info = jpeg.info();
  Image image{info.image_width, info.image_height, 3, {}};
  check_picture_size(image.width, image.height, name, most);
  const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  const bool grey = info.jpeg_color_space == JCS_GRAYSCALE;
  const int held = orientation(info);  // libjpeg forgets it when it has read the pixels
  if (grey) image.channels = 1;
  image.pixels.resize(
      static_cast<std::size_t>(image.width * image.height * (inks ? 4 : image.channels)));
  const J_COLOR_SPACE as = inks ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
  if (!jpeg.read_pixels(as, image.pixels.data())) refuse(jpeg, bytes.size(), name);
  if (inks) image.pixels = without_inks(image.pixels, info.saw_Adobe_marker != 0);
  return turned(std::move(image), held);
}

}  // namespace fovea
