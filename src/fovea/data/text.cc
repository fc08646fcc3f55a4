#include "fovea/data/text.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "fovea/base/error.h"
#include "fovea/data/utf8.h"

namespace fovea {
namespace {

constexpr Index kChunk = Index{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // of a file that is no text after all
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string nfkc(std::string_view text) {
  utf8proc_uint8_t* composed = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &composed,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (length < 0) fail("text of {} bytes: {}", text.size(), utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

// Also the place where bytes that are not UTF-8 become U+FFFD.
std::string collapsed(std::string_view text) {
  std::string result;
  bool space = false;
  for_each_code_point(text, [&](char32_t c, std::string_view) {
    if (is_space_or_control(c)) {
      space = !result.empty();
      return;
    }
    if (space) result += ' ';
    space = false;
    append_utf8(result, c == U'\u2581' ? U'_' : c);
  });
  return result;
}

std::vector<std::string> lines_of(const ByteSource& source) {
  LineReader reader(source);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    const std::string problem = invalid_utf8(line);
    if (!problem.empty()) fail("{}{}; convert the file to UTF-8", reader.where(), problem);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

LineReader::LineReader(const ByteSource& source)
    : stream_(ByteStream::plain_or_gzip(source, Compression::kGzips)) {}

bool LineReader::refill() {
  chunk_.resize(static_cast<std::size_t>(kChunk));
  chunk_.resize(static_cast<std::size_t>(stream_.read_some(chunk_.data(), kChunk)));
  at_ = 0;
  return !chunk_.empty();
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (at_ == chunk_.size() && !refill()) return false;
  ++number_;
  std::size_t end = std::string::npos;
  do {
    end = chunk_.find('\n', at_);
    line.append(chunk_, at_, end == std::string::npos ? end : end - at_);
    if (line.size() > kLongestLine) {
      fail("{}: the line is longer than {} bytes; is this a text file?", where(), kLongestLine);
    }
  } while (end == std::string::npos && refill());
  at_ = end == std::string::npos ? chunk_.size() : end + 1;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

std::string LineReader::where() const { return fmt::format("{}:{}", stream_.name(), number_); }

std::string invalid_utf8(std::string_view line) {
  const std::size_t at = find_invalid_utf8(line);
  if (at == std::string_view::npos) return "";
  return fmt::format(":{}: byte 0x{:02x} is not UTF-8",
                     to_code_points(line.substr(0, at)).size() + 1,
                     static_cast<unsigned char>(line[at]));
}

std::vector<std::string> read_lines(const std::string& path) {
  return lines_of(ByteSource::file(path));
}
std::vector<std::string> parse_lines(std::string_view bytes, const std::string& name) {
  return lines_of(ByteSource::memory(bytes, name));
}

std::string normalized(std::string_view text, bool lower_cased) {
  const std::string composed = nfkc(collapsed(text));
  // Composing makes spaces out of wide and combining characters, lower-casing what can be composed.
  return collapsed(lower_cased ? nfkc(lower_case(composed)) : composed);
}

}  // namespace fovea
