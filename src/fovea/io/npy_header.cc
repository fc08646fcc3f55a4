#include "fovea/io/npy_header.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr Index kLongestHeader =
    65536;  // six axes need a hundred bytes; version 1.0 can have no more
constexpr std::size_t kNpyAlignment = 64;  // of the numbers in a file, as NumPy has it

struct NpyClaim {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<Index>> shape;
};

// Reads the one Python literal an array may have for a header:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class LiteralReader {
 public:
  LiteralReader(const std::string& file, std::string_view text, Index begin)
      : file_(file), text_(text), begin_(begin) {}

  NpyClaim read() {
    expect("{");
    while (!accept("}")) {
      read_field();
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    skip_spaces();
    if (at_ != text_.size()) expected("nothing more");
    return std::move(claim_);
  }

 private:
  void read_field() {
    const std::string key = quoted_text();
    expect(":");
    const bool known = key == "descr" || key == "fortran_order" || key == "shape";
    if (!known) fail("{}: its header has an unknown key {}", file_, in_quotes(key));
    const bool twice = key == "descr"   ? claim_.descr.has_value()
                       : key == "shape" ? claim_.shape.has_value()
                                        : claim_.fortran_order.has_value();
    if (twice) fail("{}: its header has {} twice", file_, in_quotes(key));
    if (key == "descr") {
      claim_.descr = quoted_text();
    } else if (key == "shape") {
      claim_.shape = tuple();
    } else {
      claim_.fortran_order = truth();
    }
  }

  // No escapes: nothing that is read here has a use for them.
  std::string quoted_text() {
    const bool double_quotes = accept("\"");
    if (!double_quotes && !accept("'")) expected("text in quotes");
    const std::size_t end = text_.find(double_quotes ? '"' : '\'', at_);
    if (end == std::string_view::npos) expected("a closing quote");
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(found);
  }

  bool truth() {
    if (accept("True")) return true;
    if (!accept("False")) expected("True or False");
    return false;
  }

  std::vector<Index> tuple() {
    std::vector<Index> extents;
    expect("(");
    while (!accept(")")) {
      extents.push_back(whole_number());
      const bool comma = accept(",");
      if (!comma && extents.size() == 1) expected("','");  // (3) is no tuple
      if (!comma) {
        expect(")");
        break;
      }
    }
    return extents;
  }

  Index whole_number() {
    skip_spaces();
    Index number = 0;
    const char* const first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), number);
    if (error != std::errc() || number < 0) expected("a whole number that fits 63 bits");
    at_ += static_cast<std::size_t>(last - first);
    return number;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void expect(std::string_view word) {
    if (!accept(word)) expected(fmt::format("'{}'", word));
  }

  [[noreturn]] void expected(std::string_view what) const {
    fail("{}: its header is not as NumPy writes it: {} was expected at byte {}", file_, what,
         begin_ + static_cast<Index>(at_));
  }

  const std::string& file_;
  std::string_view text_;
  Index begin_;  // where the text stands in the file
  std::size_t at_ = 0;
  NpyClaim claim_;
};

// "<f4" and its kin: byte order, kind and size.
std::optional<NumberFormat> number_format(std::string_view descr) {
  static constexpr std::array<std::pair<std::string_view, NumberType>, 12> kTypes{{
      {"b1", NumberType::kBool},
      {"i1", NumberType::kInt8},
      {"u1", NumberType::kUint8},
      {"i2", NumberType::kInt16},
      {"u2", NumberType::kUint16},
      {"i4", NumberType::kInt32},
      {"u4", NumberType::kUint32},
      {"i8", NumberType::kInt64},
      {"u8", NumberType::kUint64},
      {"f2", NumberType::kFloat16},
      {"f4", NumberType::kFloat32},
      {"f8", NumberType::kFloat64},
  }};
  if (descr.size() != 3) return std::nullopt;
  for (const auto& [name, type] : kTypes) {
    if (descr.substr(1) != name) continue;
    const bool ordered = descr[0] == '<' || descr[0] == '>';
    const bool unordered = descr[0] == '|' && bytes_of(type) == 1;
    if (!ordered && !unordered) return std::nullopt;
    return NumberFormat{.type = type, .big_endian = descr[0] == '>'};
  }
  return std::nullopt;
}

// The bytes of the header behind the magic: version, length, text.
std::string header_text(ByteStream& stream) {
  std::array<char, 8> start{};
  stream.read(start.data(), start.size());
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    fail("{}: does not start as an .npy file does", stream.name());
  }
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("{}: is of version {}.{}; 1.0, 2.0 and 3.0 can be read", stream.name(), major, minor);
  }
  std::uint32_t length = 0;
  stream.read(&length, major == 1 ? 2 : 4);
  if (length > kLongestHeader) {
    fail("{}: a header of {} bytes is claimed, at most {} are allowed", stream.name(), length,
         kLongestHeader);
  }
  std::string text(length, '\0');
  stream.read(text.data(), static_cast<Index>(length));
  return text;
}

}  // namespace

NpyHeader read_npy_header(ByteStream& stream) {
  const std::string text = header_text(stream);
  const Index begin = stream.position() - static_cast<Index>(text.size());
  const NpyClaim claim = LiteralReader(stream.name(), text, begin).read();
  const char* const missing = !claim.descr           ? "descr"
                              : !claim.fortran_order ? "fortran_order"
                              : !claim.shape         ? "shape"
                                                     : nullptr;
  if (missing != nullptr) fail("{}: its header has no '{}'", stream.name(), missing);
  const std::optional<NumberFormat> format = number_format(*claim.descr);
  if (!format) {
    fail("{}: has the dtype {}; floats of 2, 4 or 8 bytes, whole numbers and bool can be read",
         stream.name(), in_quotes(*claim.descr));
  }
  if (claim.shape->size() > Shape::kMaxRank) {
    fail("{}: has {} axes, at most {} can be read", stream.name(), claim.shape->size(),
         Shape::kMaxRank);
  }
  const std::optional<Index> count = count_numbers(*claim.shape);
  if (!count) {
    fail("{}: has an impossible shape ({})", stream.name(), fmt::join(*claim.shape, ", "));
  }
  if (*count * bytes_of(format->type) > stream.limit() - stream.position()) {
    fail("{}: ends at byte {} by its header, but the {} has {}", stream.name(),
         stream.position() + *count * bytes_of(format->type), stream.kind(), stream.limit());
  }
  return {.format = *format, .fortran_order = *claim.fortran_order, .shape = Shape(*claim.shape)};
}

std::string npy_header_text(std::string_view dtype, const Shape& shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                  fmt::join(shape, ", "), shape.rank() == 1 ? "," : "");
  const std::size_t prefix = kMagic.size() + 4;  // version and length
  const std::size_t total =
      (prefix + dictionary.size() + kNpyAlignment) / kNpyAlignment * kNpyAlignment;
  dictionary.resize(total - prefix - 1, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

}  // namespace fovea
