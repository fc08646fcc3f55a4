#include "fovea/io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fovea/base/error.h"

namespace fovea {

struct GzipWriter::Deflater {
  z_stream zlib{};
  std::array<char, 1 << 16> output;

  Deflater() {
    constexpr int kWindow = 15 + 16, kMemory = 8;  // 16 more: gzip; 8 is zlib's own choice
    if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      fail("out of memory: zlib could not start");
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&zlib); }
};

GzipWriter::GzipWriter(FileSink sink)
    : sink_(std::move(sink)), deflater_(std::make_unique<Deflater>()) {}
GzipWriter::~GzipWriter() = default;

void GzipWriter::write(std::string_view bytes) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    deflate_all(bytes.substr(0, kMostAtOnce), Z_NO_FLUSH);
    bytes.remove_prefix(std::min(bytes.size(), kMostAtOnce));
  }
}

void GzipWriter::finish() { deflate_all({}, Z_FINISH); }

void GzipWriter::deflate_all(std::string_view bytes, int flush) {
  z_stream& zlib = deflater_->zlib;
  std::array<char, 1 << 16>& output = deflater_->output;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(output.data());
    zlib.avail_out = static_cast<uInt>(output.size());
    deflate(&zlib, flush);
    sink_({output.data(), output.size() - zlib.avail_out});
  } while (zlib.avail_out == 0);
}

}  // namespace fovea
