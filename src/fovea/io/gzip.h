// Bytes compressed by gzip on their way into a file.
#pragma once

#include <memory>
#include <string_view>

#include "fovea/base/files.h"

namespace fovea {

// Without a date, so that the same content gives the same bytes.
class GzipWriter {
 public:
  explicit GzipWriter(FileSink sink);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);
  void finish();  // once, after all bytes

 private:
  struct Deflater;
  void deflate_all(std::string_view bytes, int flush);

  FileSink sink_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace fovea
