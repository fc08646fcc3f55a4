#include "fovea/io/zip.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>
#include <string_view>

#include "fovea/base/error.h"

// Names and layouts of the records: APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
namespace fovea {
namespace {

constexpr std::string_view kMemberMark = "PK\x03\x04";
constexpr std::string_view kEntryMark = "PK\x01\x02";
constexpr std::string_view kEndMark = "PK\x05\x06";
constexpr std::string_view kEnd64Mark = "PK\x06\x06";
constexpr std::string_view kLocator64Mark = "PK\x06\x07";
constexpr Index kMemberBytes = 30, kEntryBytes = 46, kEndBytes = 22;  // without names and comments
constexpr Index kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr Index kLongestComment = 0xffff;
constexpr std::uint64_t kSee64 = 0xffffffff;  // the number stands in the zip64 record

// Takes fields off the front of a record that is long enough.
class Fields {
 public:
  explicit Fields(std::string_view record) : rest_(record) {}

  template <class Field>
  Field next() {
    Field field;
    std::memcpy(&field, text(sizeof field).data(), sizeof field);
    return field;
  }
  std::string_view text(std::size_t size) {
    assert(size <= rest_.size());
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  void skip(std::size_t size) { text(size); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

std::string read_bytes(const ByteSource& archive, Index begin, Index size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  archive.read(begin, bytes.data(), size);
  return bytes;
}

// The directory by the record at the end of the archive, and where that record stands.
struct Directory {
  std::uint64_t count = 0, size = 0, begin = 0;
  Index limit = 0;
};

Directory find_end_record(const ByteSource& archive) {
  const Index tail_size = std::min(archive.size(), kEndBytes + kLongestComment);
  const std::string tail = read_bytes(archive, archive.size() - tail_size, tail_size);
  for (Index at = tail_size - kEndBytes; at >= 0; --at) {
    Fields fields(std::string_view(tail).substr(static_cast<std::size_t>(at)));
    if (fields.text(4) != kEndMark) continue;
    const auto disk = fields.next<std::uint16_t>(), directory_disk = fields.next<std::uint16_t>();
    fields.skip(2);
    Directory directory;
    directory.count = fields.next<std::uint16_t>();
    directory.size = fields.next<std::uint32_t>();
    directory.begin = fields.next<std::uint32_t>();
    directory.limit = archive.size() - tail_size + at;
    if (fields.next<std::uint16_t>() != fields.left()) continue;  // the mark stood in a comment
    if (disk != directory_disk) fail("{}: is one of several parts of an archive", archive.name());
    return directory;
  }
  fail("{}: has no end record of a zip archive; is it complete?", archive.name());
}

// Large archives have a second end record, which a locator before the first one points to.
void follow_locator(const ByteSource& archive, Directory& directory) {
  if (directory.limit < kLocator64Bytes) return;
  const Index locator_at = directory.limit - kLocator64Bytes;
  const std::string locator = read_bytes(archive, locator_at, kLocator64Bytes);
  Fields fields(locator);
  if (fields.text(4) != kLocator64Mark) return;
  fields.skip(4);
  const auto at = fields.next<std::uint64_t>();
  if (locator_at < kEnd64Bytes || at > static_cast<std::uint64_t>(locator_at - kEnd64Bytes)) {
    fail("{}: its zip64 end record at byte {} does not stand before byte {}", archive.name(), at,
         locator_at);
  }
  const std::string record = read_bytes(archive, static_cast<Index>(at), kEnd64Bytes);
  Fields end(record);
  if (end.text(4) != kEnd64Mark) fail("{}: has no zip64 end record at byte {}", archive.name(), at);
  end.skip(28);  // size, versions, disks, members on this disk
  directory.count = end.next<std::uint64_t>();
  directory.size = end.next<std::uint64_t>();
  directory.begin = end.next<std::uint64_t>();
  directory.limit = static_cast<Index>(at);
}

Directory find_directory(const ByteSource& archive) {
  Directory directory = find_end_record(archive);
  follow_locator(archive, directory);
  const auto limit = static_cast<std::uint64_t>(directory.limit);
  if (directory.begin > limit || directory.size > limit - directory.begin) {
    fail("{}: its directory of {} bytes at byte {} does not end before byte {}", archive.name(),
         directory.size, directory.begin, limit);
  }
  if (directory.count > directory.size / kEntryBytes) {
    fail("{}: {} members are claimed, but its directory has {} bytes", archive.name(),
         directory.count, directory.size);
  }
  return directory;
}

// A member as the directory has it: where its header stands is known, where its bytes begin is not.
struct Entry {
  ZipMember member;
  std::uint64_t header_at = 0, packed_size = 0, size = 0;
  std::uint16_t flags = 0, method = 0;
};

// The zip64 extra field has those numbers that do not fit the entry, in this order.
bool read_extra(Fields extra, Entry& entry) {
  while (extra.left() >= 4) {
    const auto id = extra.next<std::uint16_t>(), size = extra.next<std::uint16_t>();
    if (size > extra.left()) return false;
    Fields field(extra.text(size));
    if (id != 1) continue;
    for (std::uint64_t* number : {&entry.size, &entry.packed_size, &entry.header_at}) {
      if (*number != kSee64) continue;
      if (field.left() < 8) return false;
      *number = field.next<std::uint64_t>();
    }
  }
  return true;
}

std::optional<Entry> read_entry(Fields& directory) {
  if (directory.left() < kEntryBytes) return std::nullopt;
  if (directory.text(4) != kEntryMark) return std::nullopt;
  directory.skip(4);  // versions
  Entry entry;
  entry.flags = directory.next<std::uint16_t>();
  entry.method = directory.next<std::uint16_t>();
  directory.skip(4);  // time and date
  entry.member.crc32 = directory.next<std::uint32_t>();
  entry.packed_size = directory.next<std::uint32_t>();
  entry.size = directory.next<std::uint32_t>();
  const std::size_t name_size = directory.next<std::uint16_t>();
  const std::size_t extra_size = directory.next<std::uint16_t>();
  const std::size_t comment_size = directory.next<std::uint16_t>();
  directory.skip(8);  // disk and attributes
  entry.header_at = directory.next<std::uint32_t>();
  if (directory.left() < name_size + extra_size + comment_size) return std::nullopt;
  entry.member.name = directory.text(name_size);
  if (!read_extra(Fields(directory.text(extra_size)), entry)) return std::nullopt;
  directory.skip(comment_size);
  return entry;
}

std::string where(const ByteSource& archive, const ZipMember& member) {
  return fmt::format("{}: member {}", archive.name(), in_quotes(member.name));
}

void check_packing(const ByteSource& archive, Entry& entry) {
  if ((entry.flags & 1) != 0) fail("{} is encrypted", where(archive, entry.member));
  if (entry.method != 0 && entry.method != 8) {
    fail("{} is packed by method {}; stored (0) and deflated (8) ones can be read",
         where(archive, entry.member), entry.method);
  }
  entry.member.compression = entry.method == 0 ? Compression::kNone : Compression::kDeflate;
  if (entry.method == 0 && entry.size != entry.packed_size) {
    fail("{} is stored in {} bytes but has {}", where(archive, entry.member), entry.packed_size,
         entry.size);
  }
}

// Finds the bytes of a member behind its header, which must stand, as they must, before byte
// `limit`.
void find_bytes(const ByteSource& archive, Entry& entry, std::uint64_t limit) {
  ZipMember& member = entry.member;
  const auto outside = [&] {
    fail("{} of {} bytes at byte {} does not end before byte {}, where the directory begins",
         where(archive, member), entry.packed_size, entry.header_at, limit);
  };
  if (limit < kMemberBytes || entry.header_at > limit - kMemberBytes) outside();
  const auto header_at = static_cast<Index>(entry.header_at);
  const std::string header = read_bytes(archive, header_at, kMemberBytes);
  Fields fields(header);
  if (fields.text(4) != kMemberMark) {
    fail("{} has no header at byte {}", where(archive, member), header_at);
  }
  fields.skip(22);  // what the directory has too, and may be missing here
  const std::size_t name_size = fields.next<std::uint16_t>();
  const std::size_t extra_size = fields.next<std::uint16_t>();
  const std::uint64_t before = entry.header_at + kMemberBytes + name_size + extra_size;
  if (before > limit || entry.packed_size > limit - before) outside();
  const std::string name =
      read_bytes(archive, header_at + kMemberBytes, static_cast<Index>(name_size));
  if (name != member.name) {
    fail("{} has the name {} in its own header", where(archive, member), in_quotes(name));
  }
  if (!std::in_range<Index>(entry.size)) {
    fail("{}: an impossible size of {} bytes is claimed", where(archive, member), entry.size);
  }
  member.begin = static_cast<Index>(before);
  member.packed_size = static_cast<Index>(entry.packed_size);
  member.size = static_cast<Index>(entry.size);
}

void check_distinct(const ByteSource& archive, std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.member.name < b.member.name; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].member.name == entries[i - 1].member.name) {
      fail("{} comes twice", where(archive, entries[i].member));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.header_at < b.header_at; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const ZipMember& before = entries[i - 1].member;
    const auto end = static_cast<std::uint64_t>(before.begin + before.packed_size);
    if (entries[i].header_at < end) {
      fail("{} begins at byte {} but member {} ends at byte {}", where(archive, entries[i].member),
           entries[i].header_at, in_quotes(before.name), end);
    }
  }
}

template <class... Field>
void append(std::string& record, Field... field) {
  (record.append(reinterpret_cast<const char*>(&field), sizeof field), ...);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; });
}

// What header and directory entry of a member have in common.
std::string common_fields(const ZipMember& member) {
  assert(member.compression == Compression::kNone && member.size <= kLargestZip);
  constexpr std::uint16_t kVersion = 20, kStored = 0, kNoTime = 0;
  constexpr std::uint16_t kFirstDay = 1 << 5 | 1;  // 1980-01-01, the earliest there is
  const auto size = static_cast<std::uint32_t>(member.size);
  const std::uint16_t utf8_flag = is_ascii(member.name) ? 0 : 1 << 11;
  std::string fields;
  append(fields, kVersion, utf8_flag, kStored, kNoTime, kFirstDay, member.crc32, size, size,
         static_cast<std::uint16_t>(member.name.size()), std::uint16_t{0});  // no extra field
  return fields;
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const ByteSource& archive) {
  const Directory directory = find_directory(archive);
  const std::string bytes =
      read_bytes(archive, static_cast<Index>(directory.begin), static_cast<Index>(directory.size));
  Fields fields(bytes);
  std::vector<Entry> entries;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    std::optional<Entry> entry = read_entry(fields);
    if (!entry) fail("{}: its directory is damaged at member {}", archive.name(), i);
    check_packing(archive, *entry);
    find_bytes(archive, *entry, directory.begin);
    entries.push_back(std::move(*entry));
  }
  if (fields.left() != 0) {
    fail("{}: its directory goes on after {} members", archive.name(), directory.count);
  }
  check_distinct(archive, entries);
  std::vector<ZipMember> members;
  members.reserve(entries.size());
  for (Entry& entry : entries) members.push_back(std::move(entry.member));
  return members;
}

ByteStream open_member(const ByteSource& archive, const ZipMember& member) {
  return ByteStream(archive, {.name = where(archive, member),
                              .kind = "member",
                              .begin = member.begin,
                              .packed_size = member.packed_size,
                              .compression = member.compression,
                              .size = member.size,
                              .crc32 = member.crc32});
}

std::string zip_member_header(const ZipMember& member) {
  return std::string(kMemberMark) + common_fields(member) + member.name;
}

std::string zip_directory(const std::vector<ZipMember>& members) {
  assert(static_cast<Index>(members.size()) <= kMostZipMembers);
  constexpr std::uint16_t kVersion = 20, kNone = 0;
  std::string directory;
  Index end = 0;
  for (const ZipMember& member : members) {
    const auto header_at = static_cast<std::uint32_t>(member.begin - kMemberBytes -
                                                      static_cast<Index>(member.name.size()));
    directory += kEntryMark;
    append(directory, kVersion);
    directory += common_fields(member);
    append(directory, kNone, kNone, kNone, std::uint32_t{0},
           header_at);  // comment, disk, attributes
    directory += member.name;
    end = member.begin + member.size;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  const auto size = static_cast<std::uint32_t>(directory.size());
  directory += kEndMark;
  append(directory, kNone, kNone, count, count, size, static_cast<std::uint32_t>(end), kNone);
  return directory;
}

}  // namespace fovea
