#include "fovea/io/stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Deflate spends at least two bits on a copy of at most 258 bytes (RFC 1951, 3.2.5).
constexpr Index kMostInflation = 1032;
constexpr Index kPackedChunk = Index{1} << 16;  // compressed bytes at a time
constexpr Index kMostAtOnce = Index{1} << 30;   // zlib counts in 32 bits

Index most_inflated(Index packed_size) {
  return packed_size > std::numeric_limits<Index>::max() / kMostInflation
             ? std::numeric_limits<Index>::max()
             : packed_size * kMostInflation;
}

}  // namespace

struct ByteStream::Inflater {
  z_stream zlib{};
  std::array<char, kPackedChunk> input;
  Index consumed = 0;  // compressed bytes that were handed to zlib
  bool ended = false;

  explicit Inflater(Compression compression) {
    // 16 more: gzip; negative: bare
    const int window = compression == Compression::kDeflate ? -15 : 15 + 16;
    if (inflateInit2(&zlib, window) != Z_OK) fail("out of memory: zlib could not start");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&zlib); }
};

ByteStream ByteStream::all(const ByteSource& source, Compression compression) {
  return ByteStream(source, {.name = source.name(),
                             .kind = "file",
                             .packed_size = source.size(),
                             .compression = compression});
}

ByteStream ByteStream::plain_or_gzip(const ByteSource& source, Compression gzip) {
  std::array<unsigned char, 2> start{};
  source.read(0, start.data(), std::min<Index>(source.size(), start.size()));
  return all(source, start[0] == 0x1f && start[1] == 0x8b ? gzip : Compression::kNone);
}

ByteStream::ByteStream(const ByteSource& source, Part part)
    : source_(&source), part_(std::move(part)), limit_(part_.packed_size) {
  if (part_.compression == Compression::kNone) return;
  const Index most = most_inflated(part_.packed_size);
  limit_ = part_.size.value_or(most);
  if (limit_ > most) {
    fail("{}: {} bytes are claimed, but {} compressed ones can hold at most {}", name(), limit_,
         part_.packed_size, most);
  }
  inflater_ = std::make_unique<Inflater>(part_.compression);
}

ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

void ByteStream::read(void* into, Index size) {
  Index done = 0;
  while (done < size) {
    const Index got = read_some(static_cast<char*>(into) + done, size - done);
    if (got == 0) fail("{}: ends at byte {}, more was expected", name(), position_);
    done += got;
  }
}

void ByteStream::expect_end() {
  const Index end = position_;
  char extra = 0;
  if (read_some(&extra, 1) != 0) fail("{}: goes on after byte {}, its end", name(), end);
  if (part_.size && *part_.size != end) {
    fail("{}: has {} bytes, but {} are claimed", name(), end, *part_.size);
  }
  if (inflater_) {
    const Index unused = part_.packed_size - inflater_->consumed + inflater_->zlib.avail_in;
    if (unused != 0) fail("{}: {} bytes follow the end of the compressed data", name(), unused);
  }
  if (part_.crc32 && *part_.crc32 != crc32_) {
    fail("{}: is damaged: its checksum is {:08x}, {:08x} was expected", name(), crc32_,
         *part_.crc32);
  }
}

Index ByteStream::read_some(char* into, Index size) {
  size = std::min(size, kMostAtOnce);
  if (inflater_) {
    size = inflate_some(into, size);
  } else {
    size = std::min(size, part_.packed_size - position_);
    source_->read(part_.begin + position_, into, size);
  }
  position_ += size;
  if (part_.crc32 && size > 0) {
    crc32_ = ::crc32(crc32_, reinterpret_cast<const Bytef*>(into), static_cast<uInt>(size));
  }
  return size;
}

// Hands zlib the next compressed bytes when it has none; false when there are none.
bool ByteStream::more_input() {
  Inflater& in = *inflater_;
  if (in.zlib.avail_in > 0) return true;
  const Index more = std::min(kPackedChunk, part_.packed_size - in.consumed);
  source_->read(part_.begin + in.consumed, in.input.data(), more);
  in.consumed += more;
  in.zlib.next_in = reinterpret_cast<Bytef*>(in.input.data());
  in.zlib.avail_in = static_cast<uInt>(more);
  return more > 0;
}

Index ByteStream::inflate_some(char* into, Index size) {
  Inflater& in = *inflater_;
  in.zlib.next_out = reinterpret_cast<Bytef*>(into);
  in.zlib.avail_out = static_cast<uInt>(size);
  while (!in.ended && in.zlib.avail_out > 0) {
    if (!more_input()) fail("{}: its compressed data ends early; is the file complete?", name());
    const int result = inflate(&in.zlib, Z_NO_FLUSH);
    in.ended = result == Z_STREAM_END;
    if (in.ended && part_.compression == Compression::kGzips && more_input()) {
      in.ended = inflateReset(&in.zlib) != Z_OK;  // it only fails on a stream that was never opened
    }
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      fail("{}: its compressed data is damaged after byte {}", name(),
           position_ + size - in.zlib.avail_out);
    }
  }
  return size - in.zlib.avail_out;
}

}  // namespace fovea
