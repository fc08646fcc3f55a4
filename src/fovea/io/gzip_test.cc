#include "fovea/io/gzip.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"
#include "fovea/io/stream.h"

namespace fovea {
namespace {

TEST(GzipWriter, WhatIsPackedInPartsInflatesToTheWhole) {
  for (const std::size_t size : {0u, 1u, 1000u, 300'000u}) {
    std::string content;
    for (std::size_t i = 0; i < size; ++i) content += static_cast<char>(i * i * 2654435761u >> 13);
    std::string packed;
    GzipWriter writer([&](std::string_view bytes) { packed += bytes; });
    for (std::size_t at = 0; at < size; at += 777) writer.write(content.substr(at, 777));
    writer.finish();
    const ByteSource source = ByteSource::memory(packed, "x");
    ByteStream stream = ByteStream::all(source, Compression::kGzip);
    std::string again(size, '\0');
    stream.read(again.data(), static_cast<Index>(size));
    stream.expect_end();
    EXPECT_EQ(again, content);
  }
}

TEST(GzipWriter, WritesNoDate) {
  std::string packed;
  GzipWriter writer([&](std::string_view bytes) { packed += bytes; });
  writer.write("x");
  writer.finish();
  EXPECT_EQ(packed.substr(4, 4), std::string(4, '\0'));
}

}  // namespace
}  // namespace fovea
