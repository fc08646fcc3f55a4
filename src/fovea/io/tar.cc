#include "fovea/io/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/io/stream.h"

namespace fovea {
namespace {

constexpr Index kBlock = 512;
constexpr Index kLongestText = Index{1} << 20;   // of a name, or of what pax says of a member
constexpr Index kMostInflated = Index{1} << 32;  // bytes
constexpr Index kMostMembers = 10'000'000;
constexpr std::size_t kName = 100;

// Fields of a header, and where they begin (POSIX.1, pax, "ustar Interchange Format").
constexpr std::size_t kSizeAt = 124, kSumAt = 148, kTypeAt = 156, kMagicAt = 257, kPrefixAt = 345,
                      kPrefix = 155;

using Header = std::array<char, kBlock>;

std::string_view text(const Header& header, std::size_t at, std::size_t most) {
  const std::string_view field(header.data() + at, most);
  return field.substr(0, field.find('\0'));
}

// Octal between spaces, or (GNU) the lower seven bytes in base 256.
std::optional<Index> number(const Header& header, std::size_t at, std::size_t length) {
  const auto first = static_cast<unsigned char>(header[at]);
  Index value = 0;
  if (first == 0x80) {
    for (std::size_t i = at + 1; i < at + length; ++i) {
      if (value >> 55 != 0) return {};
      value = value << 8 | static_cast<unsigned char>(header[i]);
    }
    return value;
  }
  std::string_view digits = text(header, at, length);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) return {};
  return value;
}

// Of all bytes, with spaces in the place of the sum.
Index checksum(const Header& header) {
  Index sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    sum += i >= kSumAt && i < kSumAt + 8 ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

class TarReader {
 public:
  explicit TarReader(const ByteSource& archive) : archive_(archive) {}

  std::vector<TarMember> read() {
    if (archive_.size() == 0) fail("{}: is empty, not a .tar archive", archive_.name());
    while (next()) continue;
    std::vector<TarMember> members;
    for (auto& [name, member] : members_) members.push_back(std::move(member));
    return members;
  }

 private:
  bool next() {
    Header header;
    if (archive_.size() - at_ < kBlock) {
      fail(
          "{}: ends at byte {} without the blocks of zeros that end a .tar archive; is it "
          "complete?",
          archive_.name(), archive_.size());
    }
    archive_.read(at_, header.data(), kBlock);
    if (std::all_of(header.begin(), header.end(), [](char c) { return c == '\0'; })) return false;
    if (number(header, kSumAt, 8) != checksum(header)) {
      if (at_ == 0) fail("{}: is not a .tar archive", archive_.name());
      fail("{}: is damaged: the header at byte {} has a wrong checksum", archive_.name(), at_);
    }
    const Index here = std::exchange(at_, at_ + kBlock);
    const char type = header[kTypeAt];
    const bool about_next = type == 'x' || type == 'L';
    std::optional<Index> size = number(header, kSizeAt, 12);
    if (!about_next && type != 'g' && type != 'K' && size_) size = size_;
    if (!size || *size > archive_.size() - at_) {
      fail("{}: the member at byte {} claims more bytes than follow; is the file complete?",
           archive_.name(), here);
    }
    if (about_next) {
      hear(type, short_text(*size));
    } else if (type != 'g' && type != 'K') {
      add(header, type, *size, here);
    }
    const Index padded = round_up(*size, kBlock);
    at_ += std::min(padded, archive_.size() - at_);
    return true;
  }

  std::string short_text(Index size) const {
    if (size > kLongestText) {
      fail("{}: the name at byte {} has {} bytes; is this a .tar archive?", archive_.name(), at_,
           size);
    }
    std::string bytes(static_cast<std::size_t>(size), '\0');
    archive_.read(at_, bytes.data(), size);
    return bytes;
  }

  // What a member says of the one behind it.
  void hear(char type, const std::string& bytes) {
    if (type == 'L') {
      long_name_ = bytes.substr(0, bytes.find('\0'));
      return;
    }
    // Records of pax: "17 path=some/name\n", the length with all that belongs to it.
    for (std::string_view left = bytes; !left.empty();) {
      std::size_t length = 0;
      const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), length);
      const auto digits = static_cast<std::size_t>(end - left.data());
      if (error != std::errc() || length < digits + 2 || length > left.size() ||
          left[digits] != ' ' || left[length - 1] != '\n') {
        fail("{}: is damaged: what pax says at byte {} cannot be read", archive_.name(), at_);
      }
      const std::string_view record = left.substr(digits + 1, length - digits - 2);
      left.remove_prefix(length);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
      if (key == "path") long_name_ = value;
      if (key == "size") hear_size(value);
      if (key.starts_with("GNU.sparse")) sparse_ = true;
    }
  }
  void hear_size(std::string_view value) {
    Index size = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (error != std::errc() || end != value.data() + value.size() || size < 0)
      fail("{}: is damaged: {} at byte {} is no size", archive_.name(), in_quotes(value), at_);
    size_ = size;
  }

  void add(const Header& header, char type, Index size, Index here) {
    std::string name(text(header, 0, kName));
    const std::string_view prefix = text(header, kPrefixAt, kPrefix);
    const bool posix =
        std::string_view(header.data() + kMagicAt, 6) == std::string_view("ustar\0", 6);
    if (posix && !prefix.empty()) name = fmt::format("{}/{}", prefix, name);
    if (!long_name_.empty()) name = std::exchange(long_name_, {});
    while (name.starts_with("./")) name.erase(0, 2);
    size_.reset();
    if (std::exchange(sparse_, false) || type == 'S')
      fail("{}: {} is stored with holes (sparse), which cannot be read", archive_.name(),
           in_quotes(name));
    const bool plain = (type == '0' || type == '\0' || type == '7') && !name.ends_with('/');
    if (!plain || name.empty()) return;
    if (std::ssize(members_) == kMostMembers)
      fail("{}: has more than {} files", archive_.name(), kMostMembers);
    members_[name] = {name, here + kBlock, size};
  }

  const ByteSource& archive_;
  Index at_ = 0;
  std::string long_name_;      // of the next member,
  std::optional<Index> size_;  // its size
  bool sparse_ = false;        // and whether it has holes
  std::map<std::string, TarMember> members_;
};

// What a compressed archive holds; nothing if it is not compressed.
std::unique_ptr<std::string> inflated(const ByteSource& source) {
  std::array<unsigned char, 2> start{};
  source.read(0, start.data(), std::min<Index>(source.size(), start.size()));
  if (start[0] != 0x1f || start[1] != 0x8b) return nullptr;
  ByteStream stream = ByteStream::all(source, Compression::kGzips);
  auto bytes = std::make_unique<std::string>();
  std::string chunk(std::size_t{1} << 20, '\0');
  while (const Index got = stream.read_some(chunk.data(), std::ssize(chunk))) {
    if (std::ssize(*bytes) + got > kMostInflated)
      fail("{}: inflates to more than 4 GiB; unpack it first", stream.name());
    bytes->append(chunk, 0, static_cast<std::size_t>(got));
  }
  return bytes;
}

}  // namespace

TarArchive::TarArchive(ByteSource source)
    : inflated_(inflated(source)),
      source_(inflated_ ? ByteSource::memory(*inflated_, source.name()) : std::move(source)),
      members_(TarReader(source_).read()) {}

TarArchive TarArchive::file(const std::string& path) { return TarArchive(ByteSource::file(path)); }
TarArchive TarArchive::memory(std::string_view bytes, std::string name) {
  return TarArchive(ByteSource::memory(bytes, std::move(name)));
}

std::string TarArchive::read(const TarMember& member) const {
  std::string bytes(static_cast<std::size_t>(member.size), '\0');
  source_.read(member.begin, bytes.data(), member.size);
  return bytes;
}

std::string tar_header(std::string_view name, Index size) {
  if (name.empty() || name.size() > kName)
    fail("tar: {} has {} bytes, a name in an archive up to {}", in_quotes(name), name.size(),
         kName);
  Header header{};
  const auto put = [&](std::size_t at, std::string_view field) {
    std::memcpy(header.data() + at, field.data(), field.size());
  };
  put(0, name);
  put(100, "0000644");  // who may read it
  put(108, "0000000");  // its owner
  put(116, "0000000");  // and group
  put(kSizeAt, fmt::format("{:011o}", size));
  put(136, "00000000000");  // 1970
  put(kTypeAt, "0");
  put(kMagicAt, std::string_view("ustar\0"
                                 "00",
                                 8));
  put(kSumAt, fmt::format("{:06o}", checksum(header)));
  header[kSumAt + 7] = ' ';
  return {header.data(), header.size()};
}

std::string tar_padding(Index size) {
  return std::string(static_cast<std::size_t>(round_up(size, kBlock) - size), '\0');
}

std::string tar_end() { return std::string(2 * kBlock, '\0'); }

}  // namespace fovea
