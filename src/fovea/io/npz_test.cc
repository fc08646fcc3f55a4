// .npz archives: NumPy's own files are read, what is written comes back, lies of a zip archive are
// named.
#include "fovea/io/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "fovea/io/npy.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

// A member as an archive tells of it: every field can lie.
struct Member {
  std::string name, bytes;
  std::uint16_t method = 0, flags = 0;
  std::uint32_t size = 0, packed_size = 0, crc = 0;
  std::uint32_t header_at = 0;  // filled in
  std::string own_name{}, extra{};
};

Member stored(const std::string& name, const std::string& content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  return {.name = name,
          .bytes = content,
          .size = size,
          .packed_size = size,
          .crc = crc,
          .own_name = name};
}

Member packed(const std::string& name, const std::string& content) {
  Member member = stored(name, content);
  member.bytes = deflated(std::string(content), -15);
  member.method = 8;
  member.packed_size = static_cast<std::uint32_t>(member.bytes.size());
  return member;
}

using Members = std::vector<Member>;

std::string header_of(const Member& m) {
  return "PK\x03\x04" +
         bytes_of_values(std::uint16_t{20}, m.flags, m.method, std::uint32_t{0}, m.crc,
                         m.packed_size, m.size, static_cast<std::uint16_t>(m.own_name.size()),
                         std::uint16_t{0}) +
         m.own_name;
}

std::string entry_of(const Member& m) {
  return "PK\x01\x02" +
         bytes_of_values(std::uint32_t{20}, m.flags, m.method, std::uint32_t{0}, m.crc,
                         m.packed_size, m.size, static_cast<std::uint16_t>(m.name.size()),
                         static_cast<std::uint16_t>(m.extra.size()), std::uint16_t{0},
                         std::uint32_t{0}, std::uint32_t{0}, m.header_at) +
         m.name + m.extra;
}

// Members one behind the other, the directory, and what `end` makes of directory size and place.
template <class End>
std::string archive_of(Members members, const End& end) {
  std::string archive, directory;
  for (Member& m : members) {
    m.header_at += static_cast<std::uint32_t>(archive.size());
    archive += header_of(m) + m.bytes;
    directory += entry_of(m);
  }
  const std::size_t begin = archive.size();
  archive += directory;
  return archive + end(members.size(), directory.size(), begin);
}

std::string end_record(std::uint64_t count, std::uint64_t size, std::uint64_t begin) {
  return "PK\x05\x06" + bytes_of_values(std::uint32_t{0}, static_cast<std::uint16_t>(count),
                                        static_cast<std::uint16_t>(count),
                                        static_cast<std::uint32_t>(size),
                                        static_cast<std::uint32_t>(begin), std::uint16_t{0});
}

std::string archive_of(Members members) { return archive_of(std::move(members), end_record); }

std::string refused_npz(const std::string& archive) {
  return error_of([&] { parse_npz(archive, "z"); });
}
std::string refused_member(const Member& member) {
  return refused_npz(archive_of(Members{member}));
}

// An .npy file.
std::string npy_of(const Tensor& x) {
  const ScratchFolder folder;
  write_npy(folder / "x", x);
  return folder.read("x");
}
const std::string& ones() {
  static const std::string npy = npy_of(Tensor::full({2, 2}, 1));
  return npy;
}

TEST(Npz, ReadsWhatNumPyWrites) {
  const auto stored_arrays = read_npz("tests/corpus/npz/stored.npz");
  EXPECT_EQ(stored_arrays.at("weight").values(), (Floats{1, -2, 3, 4, 5, -6.5f}));
  EXPECT_EQ(stored_arrays.at("count").item(), 5);
  const auto deflated_arrays = read_npz("tests/corpus/npz/deflated.npz");
  EXPECT_EQ(deflated_arrays.at("weight").values(), Floats(64, 0));
  EXPECT_EQ(deflated_arrays.at("bias").values(), (Floats{1, 2}));
  EXPECT_TRUE(read_npz("tests/corpus/npz/empty.npz").empty());
}

TEST(Npz, WhatIsWrittenComesBackAndIsTheSameBytes) {
  const ScratchFolder folder;
  const Tensor x({2, 3}, Floats{1, 2, 3, 4, 5, 6});
  write_npz(folder / "a", {{"x", x}, {"view é", x.transpose()}, {"", Tensor::scalar(2)}});
  const auto back = read_npz(folder / "a");
  EXPECT_EQ(back.at("x").values(), x.values());
  EXPECT_EQ(back.at("view é").shape(), (Shape{3, 2}));
  EXPECT_EQ(back.at("view é").values(), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(back.at("").item(), 2);
  write_npz(folder / "b", back);
  EXPECT_EQ(folder.read("a"), folder.read("b"));
  write_npz(folder / "none", {});
  EXPECT_TRUE(read_npz(folder / "none").empty());
}

TEST(Npz, WritesAnArchiveAsOthersDo) {
  const ScratchFolder folder;
  write_npz(folder / "a", {{"x", Tensor::full({2, 2}, 1)}});
  Member member = stored("x.npy", ones());
  std::string expected = archive_of(Members{member});
  // The date, which is a number of its own in header and entry, and the version of the writer.
  const std::size_t entry = expected.find("PK\x01\x02");
  expected.replace(12, 2, "\x21\x00", 2);
  expected.replace(entry + 14, 2, "\x21\x00", 2);
  expected.replace(entry + 4, 4, "\x14\x00\x14\x00", 4);
  EXPECT_EQ(folder.read("a"), expected);
}

TEST(Npz, ReadsDeflatedMembersOfAnySize) {
  Tensor large({300, 300});
  for (Index i = 0; i < large.size(); ++i) {
    large.data()[i] = static_cast<float>(i * 7919 % 10007);  // hard to pack: several chunks
  }
  const auto arrays =
      parse_npz(archive_of(Members{packed("a.npy", npy_of(large)), packed("b.npy", ones())}), "z");
  EXPECT_EQ(arrays.at("a").values(), large.values());
  EXPECT_EQ(arrays.at("b").values(), Floats(4, 1));
}

TEST(Npz, ReadsZip64) {
  Member member = stored("x.npy", ones());
  member.extra =
      bytes_of_values(std::uint16_t{7}, std::uint16_t{1}, 'u', std::uint16_t{1}, std::uint16_t{16},
                      std::uint64_t{member.size}, std::uint64_t{member.packed_size});
  member.size = member.packed_size = 0xffffffff;
  const auto end64 = [](std::uint64_t count, std::uint64_t size, std::uint64_t begin) {
    return "PK\x06\x06" +
           bytes_of_values(std::uint64_t{44}, std::uint32_t{0}, std::uint64_t{0}, count, count,
                           size, begin) +
           "PK\x06\x07" + bytes_of_values(std::uint32_t{0}, begin + size, std::uint32_t{1}) +
           end_record(0xffff, 0xffffffff, 0xffffffff);
  };
  EXPECT_EQ(parse_npz(archive_of({member}, end64), "z").at("x").values(), Floats(4, 1));

  const auto outside = [&](std::uint64_t count, std::uint64_t size, std::uint64_t) {
    return end64(count, size, std::uint64_t{1} << 63);
  };
  const std::string lie = refused_npz(archive_of({member}, outside));
  EXPECT_EQ(lie,
            "z: its zip64 end record at byte 9223372036854775884 does not stand before byte 311");
  member.extra.pop_back();
  EXPECT_EQ(refused_npz(archive_of({member}, end64)), "z: its directory is damaged at member 0");
}

TEST(Npz, ACommentMayFollow) {
  std::string archive = archive_of({stored("x.npy", ones())});
  archive.replace(archive.size() - 2, 2, bytes_of_values(std::uint16_t{30}));
  archive += "PK\x05\x06" + std::string(26, '.');  // and look like an end record
  EXPECT_EQ(parse_npz(archive, "z").size(), 1u);
}

TEST(Npz, NamesWhatIsWrongWithTheArchive) {
  EXPECT_EQ(refused_npz(""), "z: has no end record of a zip archive; is it complete?");
  EXPECT_EQ(refused_npz(ones()), "z: has no end record of a zip archive; is it complete?");
  const auto with_end = [](std::uint64_t count, std::uint64_t size, std::uint64_t begin) {
    return refused_npz(archive_of({stored("x.npy", ones())},
                                  [&](auto...) { return end_record(count, size, begin); }));
  };
  EXPECT_EQ(with_end(1, 51, 179), "");
  EXPECT_EQ(with_end(1, 52, 179),
            "z: its directory of 52 bytes at byte 179 does not end before byte 230");
  EXPECT_EQ(with_end(1, 4, 0xfffffff0),
            "z: its directory of 4 bytes at byte 4294967280 does not end before byte 230");
  EXPECT_EQ(with_end(2, 51, 179), "z: 2 members are claimed, but its directory has 51 bytes");
  EXPECT_EQ(with_end(0, 51, 179), "z: its directory goes on after 0 members");
  EXPECT_EQ(with_end(1, 50, 180), "z: its directory is damaged at member 0");
}

TEST(Npz, NamesTheMemberThatIsWrong) {
  const Member good = stored("x.npy", ones());
  const auto with = [&](auto Member::*field, auto value) {
    Member member = good;
    member.*field = static_cast<std::remove_cvref_t<decltype(member.*field)>>(value);
    return refused_member(member);
  };
  EXPECT_EQ(refused_member(good), "");
  EXPECT_EQ(with(&Member::name, "y.npy"),
            "z: member 'y.npy' has the name 'x.npy' in its own header");
  EXPECT_EQ(with(&Member::flags, 1), "z: member 'x.npy' is encrypted");
  EXPECT_EQ(with(&Member::method, 12),
            "z: member 'x.npy' is packed by method 12; stored (0) and "
            "deflated (8) ones can be read");
  EXPECT_EQ(with(&Member::size, 145), "z: member 'x.npy' is stored in 144 bytes but has 145");
  EXPECT_EQ(with(&Member::header_at, 1), "z: member 'x.npy' has no header at byte 1");
  EXPECT_EQ(with(&Member::header_at, 150),
            "z: member 'x.npy' of 144 bytes at byte 150 does not end before byte 179, where the "
            "directory begins");
  EXPECT_EQ(
      with(&Member::crc, 1),
      fmt::format("z: member 'x.npy': is damaged: its checksum is {:08x}, 00000001 was expected",
                  good.crc));
  EXPECT_EQ(refused_member(stored("notes.txt", "hello")),
            "z: member 'notes.txt' is no array: its name does not end in .npy");
  EXPECT_EQ(refused_member(stored("x.npy", ones() + "more")),
            "z: member 'x.npy': goes on after byte 144, its end");
  EXPECT_EQ(refused_member(stored("x.npy", ones().substr(0, 140))),
            "z: member 'x.npy': ends at byte 144 by its header, but the member has 140");
}

TEST(Npz, MembersMustNotOverlapOrComeTwice) {
  EXPECT_EQ(refused_npz(archive_of({stored("x.npy", ones()), stored("x.npy", ones())})),
            "z: member 'x.npy' comes twice");
  // A member whose bytes contain another member, header and all.
  const Member inner = stored("b.npy", ones());
  Member outer = stored("a.npy", header_of(inner) + inner.bytes);
  Member pointer = inner;
  pointer.bytes = "";
  pointer.header_at = static_cast<std::uint32_t>(-(179 + 35) + 35);
  EXPECT_EQ(refused_npz(archive_of({outer, pointer})),
            "z: member 'b.npy' begins at byte 35 but member 'a.npy' ends at byte 214");
}

TEST(Npz, WhatIsInflatedIsBoundedByWhatIsClaimed) {
  const Member good = packed("x.npy", ones());
  EXPECT_EQ(refused_member(good), "");
  Member bomb = packed("x.npy", ones() + std::string(1 << 20, '\0'));  // more than the shape says
  EXPECT_EQ(refused_member(bomb), "z: member 'x.npy': goes on after byte 144, its end");
  bomb.size = 144;
  EXPECT_EQ(refused_member(bomb), "z: member 'x.npy': goes on after byte 144, its end");
  Member boast = good;
  boast.size = 4000000;
  EXPECT_EQ(
      refused_member(boast),
      fmt::format("z: member 'x.npy': 4000000 bytes are claimed, but {} compressed ones can hold "
                  "at most {}",
                  good.bytes.size(), good.bytes.size() * 1032));
  boast.size = 145;
  EXPECT_EQ(refused_member(boast), "z: member 'x.npy': has 144 bytes, but 145 are claimed");
  Member lying_shape = packed("x.npy", npy_of(Tensor::zeros({9, 9})).substr(0, 144));
  EXPECT_EQ(refused_member(lying_shape),
            "z: member 'x.npy': ends at byte 452 by its header, but the member has 144");
  lying_shape.size = 452;
  EXPECT_EQ(refused_member(lying_shape), "z: member 'x.npy': ends at byte 144, more was expected");
}

TEST(Npz, DamagedCompressionIsNamed) {
  Member member = packed("x.npy", ones());
  member.bytes[0] = '\x07';  // a kind of block that does not exist
  EXPECT_EQ(refused_member(member),
            "z: member 'x.npy': its compressed data is damaged after byte 0");
  member = packed("x.npy", ones());
  member.bytes.pop_back();
  --member.packed_size;
  EXPECT_EQ(refused_member(member),
            "z: member 'x.npy': its compressed data ends early; is the file complete?");
  member = packed("x.npy", ones());
  member.bytes += "..";
  member.packed_size += 2;
  EXPECT_EQ(refused_member(member),
            "z: member 'x.npy': 2 bytes follow the end of the compressed data");
}

TEST(Npz, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const std::string archive = archive_of({packed("a.npy", ones()), stored("b.npy", ones())});
  const auto parse = [](const std::string& bytes) { parse_npz(bytes, "z"); };
  expect_every_truncation_refused(archive, parse);
  expect_every_changed_byte_handled(archive, parse);
}

TEST(Npz, WhatCannotBeWrittenIsNamed) {
  const ScratchFolder folder;
  const auto refused = [&](const std::map<std::string, Tensor>& arrays) {
    return error_of([&] { write_npz(folder / "a", arrays); });
  };
  const std::string cannot = (folder / "a") + ": cannot write: ";
  const Tensor huge = Tensor::scalar(0).broadcast_to({1 << 20, 1 << 10});
  EXPECT_EQ(refused({{"x", Tensor()}}), cannot + "array 'x' holds nothing");
  EXPECT_EQ(refused({{"x", huge}}),
            cannot +
                "array 'x' would end at byte 4294967459, an .npz can have 4294967294; use "
                "safetensors");
  EXPECT_EQ(refused({{std::string(70000, 'n'), Tensor::scalar(0)}}),
            cannot + "the name '" + std::string(200, 'n') + "...' has 70000 bytes");
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace fovea
