// Lines of text out of files, plain or compressed by gzip, and text brought to one form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/io/source.h"
#include "fovea/io/stream.h"

namespace fovea {

// One line after the other, however long the file. They are bytes as they stand there: whether they
// are UTF-8, invalid_utf8 tells.
class LineReader {
 public:
  explicit LineReader(const ByteSource& source);  // `source` must outlive this

  // The next line, without its end (\n or \r\n) and without a byte order mark; false when there is
  // none.
  bool next(std::string& line);

  Index number() const { return number_; }  // of the line that came last, from 1
  std::string where() const;                // "pairs.tsv:17"

 private:
  bool refill();

  ByteStream stream_;
  std::string chunk_;
  std::size_t at_ = 0;  // in chunk_
  Index number_ = 0;
};

// "" if `line` is UTF-8, else ":5: byte 0xff is not UTF-8", with the column in characters, to stand
// behind the place of the line.
std::string invalid_utf8(std::string_view line);

// All lines of a file, which must be UTF-8.
std::vector<std::string> read_lines(const std::string& path);
std::vector<std::string> parse_lines(std::string_view bytes, const std::string& name);

// The form in which text is compared, counted and cut into pieces: Unicode's NFKC, white space and
// control characters collapsed to one space between words, none at the ends. U+2581, by which
// subwords mark a space, becomes an underscore. Bytes that are not UTF-8 become U+FFFD.
std::string normalized(std::string_view text, bool lower_cased = false);

}  // namespace fovea
