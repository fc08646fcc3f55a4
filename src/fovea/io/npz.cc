#include "fovea/io/npz.h"

#include <zlib.h>

#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/io/npy_header.h"
#include "fovea/io/npy_stream.h"
#include "fovea/io/zip.h"

namespace fovea {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::map<std::string, Tensor> read_arrays(const ByteSource& archive) {
  const std::vector<ZipMember> members = read_zip_directory(archive);
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(kSuffix)) {
      fail("{}: member {} is no array: its name does not end in {}", archive.name(),
           in_quotes(member.name), kSuffix);
    }
  }
  std::map<std::string, Tensor> arrays;
  for (const ZipMember& member : members) {
    ByteStream stream = open_member(archive, member);
    arrays.emplace(member.name.substr(0, member.name.size() - kSuffix.size()), read_npy(stream));
  }
  return arrays;
}

std::string_view bytes_view(const Tensor& packed) {
  return {reinterpret_cast<const char*>(packed.data()), packed.flat().size_bytes()};
}

std::uint32_t checksum(std::string_view header, const Tensor& packed) {
  const auto add = [](uLong crc, std::string_view bytes) {
    return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  return static_cast<std::uint32_t>(add(add(0, header), bytes_view(packed)));
}

// Where everything will stand; their checksums come later. Fails before a byte is written.
std::vector<ZipMember> planned_members(const std::string& path,
                                       const std::map<std::string, Tensor>& arrays) {
  std::vector<ZipMember> members;
  Index end = 0;
  for (const auto& [name, array] : arrays) {
    if (!array) fail("{}: cannot write: array {} holds nothing", path, in_quotes(name));
    ZipMember member{.name = name + std::string(kSuffix)};
    if (static_cast<Index>(member.name.size()) > kLongestZipName) {
      fail("{}: cannot write: the name {} has {} bytes", path, in_quotes(name), name.size());
    }
    member.begin = end + static_cast<Index>(zip_member_header(member).size());
    member.size = static_cast<Index>(npy_header_text("<f4", array.shape()).size()) +
                  array.size() * static_cast<Index>(sizeof(float));
    member.packed_size = member.size;
    end = member.begin + member.size;
    if (end > kLargestZip) {
      fail("{}: cannot write: array {} would end at byte {}, an .npz can have {}; use safetensors",
           path, in_quotes(name), end, kLargestZip);
    }
    members.push_back(std::move(member));
  }
  if (static_cast<Index>(members.size()) > kMostZipMembers) {
    fail("{}: cannot write: {} arrays, an .npz can have {}; use safetensors", path, members.size(),
         kMostZipMembers);
  }
  return members;
}

}  // namespace

std::map<std::string, Tensor> read_npz(const std::string& path) {
  return read_arrays(ByteSource::file(path));
}

std::map<std::string, Tensor> parse_npz(std::string_view bytes, const std::string& name) {
  return read_arrays(ByteSource::memory(bytes, name));
}

void write_npz(const std::string& path, const std::map<std::string, Tensor>& arrays) {
  std::vector<ZipMember> members = planned_members(path, arrays);
  write_file(path, [&](const FileSink& sink) {
    auto member = members.begin();
    for (const auto& [name, array] : arrays) {
      const Tensor packed = array.packed();
      const std::string header = npy_header_text("<f4", packed.shape());
      member->crc32 = checksum(header, packed);
      sink(zip_member_header(*member));
      sink(header);
      sink(bytes_view(packed));
      ++member;
    }
    sink(zip_directory(members));
  });
}

}  // namespace fovea
