// The part of the zip format that .npz archives use: members that are stored or deflated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/io/source.h"
#include "fovea/io/stream.h"

namespace fovea {

struct ZipMember {
  std::string name;
  Compression compression = Compression::kNone;
  Index begin = 0;        // its bytes in the archive, as they stand there
  Index packed_size = 0;  // how many
  Index size = 0;         // and how many they inflate to
  std::uint32_t crc32 = 0;
};

// The members (zip64 or not) as they stand one behind the other. All lie within the archive, none
// overlap, no name comes twice.
std::vector<ZipMember> read_zip_directory(const ByteSource& archive);
ByteStream open_member(const ByteSource& archive, const ZipMember& member);

// What stands before the bytes of a stored member, and behind those of the last one. Without a
// date, so that the same content gives the same bytes; without zip64, so that members and archive
// stay below kLargestZip.
constexpr Index kLargestZip = 0xfffffffe;
constexpr Index kMostZipMembers = 0xfffe;
constexpr Index kLongestZipName = 0xffff;
std::string zip_member_header(const ZipMember& member);
std::string zip_directory(const std::vector<ZipMember>& members);

}  // namespace fovea
