// ByteStream: bytes one behind the other out of a ByteSource, as they stand there or inflated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fovea/base/index.h"
#include "fovea/io/source.h"

namespace fovea {

// kGzips: several gzip files one behind the other, which is a gzip file too (RFC 1952, 2.2).
enum class Compression { kNone, kDeflate, kGzip, kGzips };

class ByteStream {
 public:
  struct Part {
    std::string name;       // how errors call it: "arrays.npz: member 'x.npy'"
    std::string kind;       // and what it is: "member"
    Index begin = 0;        // where it stands in the source, as it is there
    Index packed_size = 0;  // how many bytes it takes there
    Compression compression = Compression::kNone;
    std::optional<Index> size{};           // how many it inflates to, where the file says so
    std::optional<std::uint32_t> crc32{};  // of what it inflates to, where the file says so
  };

  // A whole file.
  static ByteStream all(const ByteSource& source, Compression compression = Compression::kNone);

  // A whole file, inflated if its first bytes, not its name, say that it is compressed.
  static ByteStream plain_or_gzip(const ByteSource& source, Compression gzip = Compression::kGzip);

  ByteStream(const ByteSource& source, Part part);  // `source` must outlive this
  ByteStream(ByteStream&&) noexcept;
  ~ByteStream();

  const std::string& name() const { return part_.name; }
  const std::string& kind() const { return part_.kind; }
  Index position() const { return position_; }

  // No more bytes than this can come. A reader checks what a header claims against it before it
  // allocates.
  Index limit() const { return limit_; }

  void read(void* into, Index size);        // fails when fewer are left
  Index read_some(char* into, Index size);  // how many came; 0 at the end
  void expect_end();                        // fails when more are left, or when they were damaged

 private:
  struct Inflater;

  Index inflate_some(char* into, Index size);
  bool more_input();

  const ByteSource* source_;
  Part part_;
  Index position_ = 0;
  Index limit_ = 0;
  unsigned long crc32_ = 0;
  std::unique_ptr<Inflater> inflater_;  // none: the bytes are taken as they stand
};

}  // namespace fovea
