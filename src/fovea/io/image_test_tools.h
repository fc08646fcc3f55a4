// PNG and JPEG files made by hand, of every kind and with every fault.
#pragma once

#include <zlib.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/image.h"
#include "fovea/io/libjpeg.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

inline std::string zlib_packed(const std::string& bytes) {
  std::string packed(::compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  packed.resize(size);
  return packed;
}

struct PngKind {
  std::uint32_t width = 1, height = 1;
  int depth = 8, colour = 2;  // 0 grey, 2 red-green-blue, 3 palette, 4 grey and alpha, 6 all four
  int interlaced = 0;
  std::string before{};  // chunks between size and pixels
};

inline std::string png_header(const PngKind& kind) {
  const std::string sizes = big_endian(kind.width) + big_endian(kind.height) +
                            static_cast<char>(kind.depth) + static_cast<char>(kind.colour) +
                            std::string(2, '\0') + static_cast<char>(kind.interlaced);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", sizes) + kind.before;
}

// `rows`: as the format has them, each after a 0 (no filter).
inline std::string png_file(const PngKind& kind, const std::string& rows) {
  return png_header(kind) + png_chunk("IDAT", zlib_packed(rows)) + png_chunk("IEND", "");
}

// The pixels of `image` in the order that interlaced files have them (Adam7).
inline std::string interlaced_rows(const Image& image) {
  struct Pass {
    Index x, y, right, down;
  };
  std::string rows;
  for (const Pass& p : std::vector<Pass>{{0, 0, 8, 8},
                                         {4, 0, 8, 8},
                                         {0, 4, 4, 8},
                                         {2, 0, 4, 4},
                                         {0, 2, 2, 4},
                                         {1, 0, 2, 2},
                                         {0, 1, 1, 2}}) {
    for (Index y = p.y; y < image.height && p.x < image.width; y += p.down) {
      rows += '\0';
      for (Index x = p.x; x < image.width; x += p.right) {
        rows.append(reinterpret_cast<const char*>(image.pixels.data()) +
                        (y * image.width + x) * image.channels,
                    static_cast<std::size_t>(image.channels));
      }
    }
  }
  return rows;
}

struct JpegKind {
  J_COLOR_SPACE given = JCS_RGB, kept = JCS_YCbCr;
  bool progressive = false, adobe = true;
  std::string exif{};  // behind the bytes that say what it is
};

// `pixels` has as many numbers a pixel as `given` has.
inline std::string jpeg_file(Index width, Index height, const std::vector<std::uint8_t>& pixels,
                             const JpegKind& kind = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.in_color_space = kind.given;
  info.input_components = static_cast<int>(static_cast<Index>(pixels.size()) / (width * height));
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, kind.kept);
  jpeg_set_quality(&info, 100, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
  if (kind.progressive) jpeg_simple_progression(&info);
  if (!kind.adobe) info.write_Adobe_marker = FALSE;
  jpeg_start_compress(&info, TRUE);
  if (!kind.exif.empty()) {
    const std::string marker = std::string("Exif\0\0", 6) + kind.exif;
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(marker.data()),
                      static_cast<unsigned>(marker.size()));
  }
  while (info.next_scanline < info.image_height) {
    auto* row =
        const_cast<JSAMPLE*>(pixels.data()) + std::size_t{info.next_scanline} * info.image_width *
                                                  static_cast<std::size_t>(info.input_components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return file;
}

// All channels change slowly, as in photographs, and differently.
inline Image smooth_image(Index width, Index height, Index channels) {
  Image image{width, height, channels, {}};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      for (Index k = 0; k < channels; ++k) {
        image.pixels.push_back(static_cast<std::uint8_t>((40 + 60 * k + 3 * x + 5 * y) % 256));
      }
    }
  }
  return image;
}

}  // namespace fovea
