#include "fovea/base/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "; free some space, the file that stood there is unchanged";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; check the permissions of the folder";
    case ENOENT:
    case ENOTDIR:
      return "; does the folder exist?";
    default:
      return "";
  }
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  fail("{}: cannot write: {}{}", path, std::strerror(error), advice(error));
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that a link stands for: replacing it must leave the link a link.
std::string followed(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target =
      std::filesystem::path(path).parent_path() / std::filesystem::read_symlink(path, error);
  const std::filesystem::path end = std::filesystem::weakly_canonical(target, error);
  return error ? path : end.string();
}

// A new file beside `path`, under a name that no other thread, process or remainder has.
int create_beside(const std::string& path, std::string& name) {
  static std::atomic<unsigned> count{0};
  while (true) {
    name = fmt::format("{}.{}.{}.tmp", path, ::getpid(), count++);
    const int file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
}

// Whether `name` is one that create_beside gave to a process that is gone, or to this one.
bool is_remainder(std::string_view name, std::string_view of) {
  if (!name.starts_with(of) || !name.ends_with(".tmp")) return false;
  name.remove_prefix(of.size());
  name.remove_suffix(4);
  pid_t process = 0;
  unsigned count = 0;
  const char* const end = name.data() + name.size();
  if (name.empty() || name[0] != '.') return false;
  const auto first = std::from_chars(name.data() + 1, end, process);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.' || process <= 0)
    return false;
  const auto second = std::from_chars(first.ptr + 1, end, count);
  if (second.ec != std::errc{} || second.ptr != end) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      cannot_write(path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("{}: cannot read: {}", path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("{}: cannot read: {}", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("{}: cannot read: it is a folder, a file is needed", path);
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > limit) {
    fail("{}: {} bytes are more than the {} allowed here", path, status.st_size, limit);
  }
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (true) {
    if (size == content.size())
      content.resize(size + (std::size_t{1} << 16));  // pipes; growing files
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("{}: cannot read: {}", path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > limit) fail("{}: more than the {} bytes allowed here", path, limit);
  }
  content.resize(size);
  return content;
}

void write_file(const std::string& path, const std::function<void(const FileSink&)>& write) {
  // A device or a pipe (/dev/stdout, a shell's >(...)) is written to; replacing it would destroy
  // it.
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) cannot_write(path, EISDIR);
  const bool replace = !exists || S_ISREG(status.st_mode);
  const std::string target = followed(path);
  std::string temporary;
  Descriptor file(replace ? create_beside(target, temporary)
                          : ::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) cannot_write(path, errno);
  std::string pending;  // so that many small pieces are few system calls
  auto sink = [&](std::string_view bytes) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    if (pending.size() + bytes.size() < kPiece) {
      pending.append(bytes);
      return;
    }
    write_all(file.get(), pending, path);
    pending.clear();
    write_all(file.get(), bytes, path);
  };
  if (!replace) {
    write(sink);
    write_all(file.get(), pending, path);
    return;
  }
  try {
    write(sink);
    write_all(file.get(), pending, path);
    if (exists) ::fchmod(file.get(), status.st_mode & 07777);  // what was private stays so
    if (::fsync(file.get()) != 0) cannot_write(path, errno);
    if (file.close() != 0) cannot_write(path, errno);
    if (::rename(temporary.c_str(), target.c_str()) != 0) cannot_write(path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());  // the rename itself survives a power cut
}

void write_file(const std::string& path, std::string_view content) {
  write_file(path, [&](const FileSink& sink) { sink(content); });
}

void check_can_write(const std::string& path) {
  struct Enough {};
  try {
    write_file(path, [](const FileSink&) { throw Enough(); });
  } catch (const Enough&) {  // the temporary file has gone again
  }
}

void remove_remainders(const std::string& path) {
  const std::filesystem::path target = followed(path);
  std::error_code ignored;  // what cannot be listed or removed is in nobody's way
  std::vector<std::filesystem::path> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_of(target.string()), ignored)) {
    if (is_remainder(entry.path().filename().string(), target.filename().string()))
      found.push_back(entry.path());
  }
  for (const auto& file : found) std::filesystem::remove(file, ignored);
}

}  // namespace fovea
