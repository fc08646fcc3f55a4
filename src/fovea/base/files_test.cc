// Files: a reader sees the old content or the new one, and errors say what, where and what to do.
#include "fovea/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fovea/base/base_test_tools.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, gone afterwards.
class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "fovea-files-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) fail("{}: cannot make a folder", pattern);
    folder_ = pattern;
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string folder_;
};

TEST_F(Files, AreReadAsTheyWereWritten) {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 1 << 20, 3'000'000}) {
    const std::string content = bytes.substr(0, size);
    write_file(path("a"), content);
    EXPECT_EQ(read_file(path("a")), content) << size;
  }
}

TEST_F(Files, AreWrittenInPiecesOfAnySizeInTheirOrder) {
  std::string expected;
  write_file(path("a"), [&](const FileSink& sink) {
    for (std::size_t size = 0; size < 2'500'000; size = size * 3 + 1) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      sink(piece);
      expected += piece;
    }
  });
  EXPECT_EQ(read_file(path("a")), expected);
}

TEST_F(Files, KeepTheOldContentUntilTheNewOneIsWhole) {
  write_file(path("a"), "old");
  write_file(path("a"), [&](const FileSink& sink) {
    sink(std::string(2'000'000, 'n'));
    EXPECT_EQ(read_file(path("a")), "old");
  });
  EXPECT_EQ(read_file(path("a")), std::string(2'000'000, 'n'));
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, SurviveAFullDisk) {
  write_file(path("a"), "old");
  {
    const FullDisk full(100'000);
    EXPECT_EQ(error_of([&] { write_file(path("a"), std::string(200'000, 'n')); }),
              path("a") +
                  ": cannot write: File too large; free some space, the file that stood there is "
                  "unchanged");
    EXPECT_NE(error_of([&] { write_file(path("b"), std::string(3'000'000, 'n')); }), "");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, SurviveAnExceptionOfTheWriter) {
  write_file(path("a"), "old");
  auto stop_after = [&](std::size_t bytes) {
    write_file(path("a"), [&](const FileSink& sink) {
      sink(std::string(bytes, 'n'));
      throw std::out_of_range("no more");
    });
  };
  EXPECT_THROW(stop_after(10), std::out_of_range);
  EXPECT_THROW(stop_after(5'000'000), std::out_of_range);
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, OfOneNameWrittenByTwoThreadsAreOneOrTheOther) {
  const std::string a(300'000, 'a'), b(400'000, 'b');
  std::vector<std::thread> writers;
  for (const std::string* content : {&a, &b}) {
    writers.emplace_back([this, content] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(error_of([&] { write_file(path("a"), *content); }), "");
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    if (!fs::exists(path("a"))) continue;
    const std::string seen = read_file(path("a"));
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
  }
  for (std::thread& writer : writers) writer.join();
  const std::string last = read_file(path("a"));
  EXPECT_TRUE(last == a || last == b) << last.size();
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(Files, ARemainderOfACrashedWriterIsNeitherUsedNorInTheWay) {
  // Another writer's temporary files, also one that points elsewhere.
  write_file(path("victim"), "untouched");
  for (int i = 0; i < 100; ++i) {
    fs::create_symlink(path("victim"), fmt::format("{}.{}.{}.tmp", path("a"), ::getpid(), i));
  }
  fs::create_symlink(path("victim"), fmt::format("{}.{}.tmp", path("a"), ::getpid()));
  write_file(path("a"), "new");
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(read_file(path("victim")), "untouched");
}

TEST_F(Files, OfKilledWritersAreRemovedAndNoOthers) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const pid_t parent = ::getppid();
  const std::vector<std::string> stay = {"a",
                                         "a.1.tmp",
                                         fmt::format("a.{}.0.tmp", parent),
                                         fmt::format("a.{}.0x.tmp", gone),
                                         fmt::format("a.b.{}.0.tmp", gone),
                                         fmt::format("b.{}.0.tmp", gone)};
  for (const std::string& name : stay) write_file(path(name), "x");
  for (int i = 0; i < 3; ++i) write_file(path(fmt::format("a.{}.{}.tmp", gone, i)), "x");
  remove_remainders(path("a"));
  std::vector<std::string> left = names(), expected = stay;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(left, expected);
  remove_remainders(path("no/folder"));
}

TEST_F(Files, KeepTheirPermissions) {
  write_file(path("a"), "old");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  write_file(path("a"), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const mode_t mask = ::umask(027);
  write_file(path("b"), "new");
  ::umask(mask);
  EXPECT_EQ(fs::status(path("b")).permissions(), fs::perms(0640));
}

TEST_F(Files, AreWrittenThroughALinkThatStaysALink) {
  fs::create_directory(path("run"));
  write_file(path("run/model"), "old");
  fs::create_symlink("run/model", path("latest"));
  write_file(path("latest"), "new");
  EXPECT_TRUE(fs::is_symlink(path("latest")));
  EXPECT_EQ(read_file(path("run/model")), "new");
  EXPECT_EQ(read_file(path("latest")), "new");
  fs::create_symlink("run/next", path("to come"));
  write_file(path("to come"), "first");
  EXPECT_TRUE(fs::is_symlink(path("to come")));
  EXPECT_EQ(read_file(path("run/next")), "first");
}

TEST_F(Files, InAFolderThatDoesNotExistAskForIt) {
  EXPECT_EQ(error_of([&] { write_file(path("no/a"), "x"); }),
            path("no/a") + ": cannot write: No such file or directory; does the folder exist?");
  write_file(path("a"), "x");
  EXPECT_EQ(error_of([&] { write_file(path("a/b"), "x"); }),
            path("a/b") + ": cannot write: Not a directory; does the folder exist?");
}

// While it lives, this process has no more rights than anybody.
class NoPrivileges {
 public:
  NoPrivileges() { done_ = ::seteuid(::geteuid() == 0 ? 65534 : ::geteuid()) == 0; }
  ~NoPrivileges() { done_ = ::seteuid(saved_) == 0; }
  NoPrivileges(const NoPrivileges&) = delete;
  NoPrivileges& operator=(const NoPrivileges&) = delete;
  bool done() const { return done_; }

 private:
  uid_t saved_ = ::geteuid();
  bool done_ = false;
};

TEST_F(Files, InAFolderWithoutPermissionSaySo) {
  write_file(path("a"), "old");
  fs::permissions(folder_, fs::perms(0555));
  {
    const NoPrivileges nobody;
    ASSERT_TRUE(nobody.done());
    EXPECT_EQ(error_of([&] { write_file(path("a"), "x"); }),
              path("a") + ": cannot write: Permission denied; check the permissions of the folder");
  }
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_EQ(read_file(path("a")), "old");
}

TEST_F(Files, AreNotWrittenOverAFolder) {
  EXPECT_EQ(error_of([&] { write_file(folder_, "x"); }),
            folder_ + ": cannot write: Is a directory");
  EXPECT_TRUE(fs::is_directory(folder_));
}

TEST_F(Files, ThatAreDevicesAreWrittenToAndNotReplaced) {
  write_file("/dev/null", std::string(3'000'000, 'x'));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, ThatArePipesAreWrittenToAndRead) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string content(200'000, 'x');
  std::string seen;
  std::thread reader([&] { seen = read_file(path("pipe")); });
  write_file(path("pipe"), content);
  reader.join();
  EXPECT_EQ(seen, content);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(names(), std::vector<std::string>{"pipe"});
}

TEST_F(Files, ThatCannotBeReadSayWhy) {
  EXPECT_EQ(error_of([&] { read_file(path("no")); }),
            path("no") + ": cannot read: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(folder_); }),
            folder_ + ": cannot read: it is a folder, a file is needed");
}

TEST_F(Files, LargerThanAllowedAreRefused) {
  write_file(path("a"), std::string(1000, 'x'));
  EXPECT_EQ(read_file(path("a"), 1000).size(), 1000u);
  EXPECT_EQ(error_of([&] { read_file(path("a"), 999); }),
            path("a") + ": 1000 bytes are more than the 999 allowed here");
  EXPECT_EQ(error_of([] { read_file("/dev/zero", 100'000); }),
            "/dev/zero: more than the 100000 bytes allowed here");
  // A sparse file that claims a terabyte is refused before memory is asked for.
  const int sparse = ::open(path("b").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(::ftruncate(sparse, off_t{1} << 40), 0);
  ::close(sparse);
  EXPECT_EQ(error_of([&] { read_file(path("b"), 1 << 20); }),
            path("b") + ": 1099511627776 bytes are more than the 1048576 allowed here");
}

}  // namespace
}  // namespace fovea
