// What the tests of readers share: bytes made by hand, a folder for one test, the text of an error.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "fovea/base/base_test_tools.h"

namespace fovea {

// Properties are tried on the same cases in every run, unless RC_PARAMS says otherwise.
inline const bool kRepeatable = ::setenv("RC_PARAMS", "seed=1", 0) == 0;

// The bytes of plain values, one behind the other, as this (little-endian) machine holds them.
template <class... Values>
std::string bytes_of_values(Values... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return bytes;
}

template <class Value>
std::string big_endian(Value value) {
  std::string bytes = bytes_of_values(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// By zlib, with its window bits: 15 + 16 is a file .gz, -15 a member of an archive.
inline std::string deflated(std::string content, int window_bits) {
  z_stream zlib{};
  deflateInit2(&zlib, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&zlib, content.size()) + 32, '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(content.data());
  zlib.avail_in = static_cast<uInt>(content.size());
  zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
  zlib.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  packed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return packed;
}
inline std::string gzipped(std::string content) { return deflated(std::move(content), 15 + 16); }

// A folder that is gone after the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fovea-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) fail("{}: cannot make a folder", pattern);
    path_ = pattern;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const {
    return (std::filesystem::path(path_) / name).string();
  }
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this / name;
  }
  std::string read(std::string_view name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::string path_;
};

// `parse` must refuse every beginning of `file`, whatever its length, and accept the whole.
template <class Parse>
void expect_every_truncation_refused(const std::string& file, const Parse& parse) {
  for (std::size_t length = 0; length < file.size(); ++length) {
    // A copy of its own, so that the address sanitizer sees a read beyond the end.
    const std::string part = file.substr(0, length);
    const std::string error = error_of([&] { parse(part); });
    EXPECT_NE(error, "") << "accepted the first " << length << " bytes";
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_EQ(error_of([&] { parse(file); }), "");
}

// `parse` may refuse or accept a file with one byte changed, but nothing else may happen.
template <class Parse>
void expect_every_changed_byte_handled(const std::string& file, const Parse& parse) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const char value : {'\x00', '\x01', '\x7f', '\x80', '\xff', '9', '"', '}'}) {
      std::string changed = file;
      changed[i] = value;
      const std::string error = error_of([&] { parse(changed); });
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
}

}  // namespace fovea
