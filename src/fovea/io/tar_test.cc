// .tar archives: names short and long, what is passed over, and what is said of bad ones.
#include "fovea/io/tar.h"

#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

Files files_of(const TarArchive& archive) {
  Files files;
  for (const TarMember& member : archive.members()) {
    files.emplace_back(member.name, archive.read(member));
  }
  return files;
}
Files parsed(const std::string& bytes) { return files_of(TarArchive::memory(bytes, "a.tar")); }
std::string refused_tar(const std::string& bytes) {
  return error_of([&] { parsed(bytes); });
}

// One member, with header fields overwritten before its checksum is made anew.
struct Field {
  std::size_t at;
  std::string bytes;
};
std::string member(const std::string& name, const std::string& content,
                   const std::vector<Field>& fields = {}) {
  const auto size = static_cast<Index>(content.size());
  std::string header = tar_header(name, size);
  for (const Field& field : fields) header.replace(field.at, field.bytes.size(), field.bytes);
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  return header + content + tar_padding(size);
}
std::string typed(char type, const std::string& name, const std::string& content = "") {
  return member(name, content, {{156, std::string(1, type)}});
}

TEST(Tar, WhatIsWrittenIsRead) {
  const std::string large(1000, 'x');
  const std::string file =
      member("b.png", large) + member("a/x.txt", "") + member("c", "12") + tar_end();
  const Files files = {{"a/x.txt", ""}, {"b.png", large}, {"c", "12"}};
  EXPECT_EQ(parsed(file), files);
  EXPECT_EQ(parsed(gzipped(file)), files);
  const ScratchFolder folder;
  EXPECT_EQ(files_of(TarArchive::file(folder.write("a.tar", file))), files);
  EXPECT_EQ(files_of(TarArchive::file(folder.write("a.tgz", gzipped(file)))), files);
  EXPECT_EQ(parsed(tar_end()), Files{});
}

TEST(Tar, ReadsWhatTheProgramTarWrites) {
  const ScratchFolder folder;
  const std::string name(120, 'n'), longer = std::string(90, 'd') + "/" + std::string(90, 'e');
  std::filesystem::create_directories(folder / ("in/" + std::string(90, 'd')));
  folder.write("in/" + name, "1");
  folder.write("in/" + longer, "22");
  folder.write("in/short", "333");
  std::filesystem::create_symlink("short", folder / "in/link");
  for (const std::string format : {"ustar", "gnu", "pax"}) {
    const std::string tar = folder / (format + ".tar"), gz = tar + ".gz";
    const std::string command = "tar --format=" + format + " -C " + (folder / "in") + " -cf ";
    const std::string what = format == "ustar" ? longer + " short link" : ".";
    ASSERT_EQ(std::system((command + tar + " " + what).c_str()), 0);
    ASSERT_EQ(std::system((command + "- " + what + " | gzip > " + gz).c_str()), 0);
    Files files = {{longer, "22"}, {name, "1"}, {"short", "333"}};
    if (format == "ustar") files.erase(files.begin() + 1);
    EXPECT_EQ(files_of(TarArchive::file(tar)), files) << format;
    EXPECT_EQ(files_of(TarArchive::file(gz)), files) << format;
  }
}

TEST(Tar, PassesOverWhatIsNoFileAndTakesTheLastOfAName) {
  EXPECT_EQ(parsed(typed('5', "folder/") + typed('2', "link") + typed('1', "hard") +
                   typed('g', "global", "11 path=zz\n") + typed('\0', "old", "x") +
                   typed('\0', "folder/") + member("./a", "1") + member("a", "2") + tar_end()),
            (Files{{"a", "2"}, {"old", "x"}}));
}

TEST(Tar, TakesNamesAndSizesFromWherePaxAndGnuKeepThem) {
  EXPECT_EQ(parsed(typed('x', "pax", "22 comment=not a name\n17 path=long/one\n") +
                   member("short", "1") + member("next", "2") + tar_end()),
            (Files{{"long/one", "1"}, {"next", "2"}}));
  EXPECT_EQ(parsed(typed('L', "././@LongLink", std::string("gnu name\0", 9)) +
                   member("short", "1") + tar_end()),
            (Files{{"gnu name", "1"}}));
  EXPECT_EQ(parsed(typed('x', "pax", "9 size=2\n") + member("a", "12", {{124, "00000000000"}}) +
                   member("b", "345") + tar_end()),
            (Files{{"a", "12"}, {"b", "345"}}));
  EXPECT_EQ(parsed(member("a", "12", {{124, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x02", 12)}}) +
                   tar_end()),
            (Files{{"a", "12"}}));
}

TEST(Tar, NamesWhatIsWrong) {
  EXPECT_EQ(refused_tar(""), "a.tar: is empty, not a .tar archive");
  EXPECT_EQ(refused_tar(std::string(600, 'x')), "a.tar: is not a .tar archive");
  EXPECT_EQ(refused_tar("x"),
            "a.tar: ends at byte 1 without the blocks of zeros that end a .tar archive; is it "
            "complete?");
  std::string file = member("a", "1") + member("b", "2") + tar_end();
  EXPECT_EQ(refused_tar(file.substr(0, 1024)),
            "a.tar: ends at byte 1024 without the blocks of zeros that end a .tar archive; is it "
            "complete?");
  EXPECT_EQ(refused_tar(member("a", std::string(600, 'x')).substr(0, 1000)),
            "a.tar: the member at byte 0 claims more bytes than follow; is the file complete?");
  file[1030] ^= 1;
  EXPECT_EQ(refused_tar(file), "a.tar: is damaged: the header at byte 1024 has a wrong checksum");
  EXPECT_EQ(refused_tar(member("a", "1", {{124, "99999999999"}}) + tar_end()),
            "a.tar: the member at byte 0 claims more bytes than follow; is the file complete?");
  EXPECT_EQ(refused_tar(member("a", "1", {{124, std::string(12, '\xff')}}) + tar_end()),
            "a.tar: the member at byte 0 claims more bytes than follow; is the file complete?");
  EXPECT_EQ(refused_tar(typed('x', "pax", "99 path=x\n") + member("a", "1") + tar_end()),
            "a.tar: is damaged: what pax says at byte 512 cannot be read");
  EXPECT_EQ(refused_tar(typed('x', "pax", "10 size=x\n") + member("a", "1") + tar_end()),
            "a.tar: is damaged: 'x' at byte 512 is no size");
  EXPECT_EQ(refused_tar(typed('S', "holes", "1") + tar_end()),
            "a.tar: 'holes' is stored with holes (sparse), which cannot be read");
  EXPECT_EQ(error_of([] { tar_header(std::string(101, 'a'), 0); }),
            "tar: '" + std::string(101, 'a') + "' has 101 bytes, a name in an archive up to 100");
}

TEST(Tar, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const std::string file =
      typed('x', "pax", "17 path=long/one\n") + member("a", "1") + std::string(512, '\0');
  expect_every_truncation_refused(file, parsed);
  expect_every_changed_byte_handled(file, parsed);
}

}  // namespace
}  // namespace fovea
