// ByteSource: the bytes of a file, or of memory that stands for one, read at any place and never
// whole.
#pragma once

#include <string>
#include <string_view>

#include "fovea/base/index.h"

namespace fovea {

// Readers ask for what they need after they have checked that it is there, so a header that lies
// costs nothing. A file is read with pread: one that shrinks meanwhile gives an Error, where a
// mapping would crash.
class ByteSource {
 public:
  static ByteSource file(
      const std::string& path);  // what is no regular file (a pipe) is read whole
  static ByteSource memory(std::string_view bytes, std::string name);  // `bytes` must outlive this

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  const std::string& name() const { return name_; }
  Index size() const { return size_; }

  // Copies bytes [offset, offset + size), which must exist.
  void read(Index offset, void* into, Index size) const;

 private:
  ByteSource() = default;

  std::string name_;
  Index size_ = 0;
  int descriptor_ = -1;    // a file, if not negative
  std::string owned_;      // what came from a pipe
  std::string_view view_;  // memory
};

// A name out of a file, fit for one line of an error: quoted, cut, everything but printable ASCII
// escaped.
std::string in_quotes(std::string_view name);

}  // namespace fovea
