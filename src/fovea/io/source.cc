#include "fovea/io/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/files.h"

namespace fovea {
namespace {

constexpr std::size_t kMostFromPipe = std::size_t{1} << 32;  // an endless one must stop somewhere
constexpr std::size_t kLongestName = 200;                    // an error stays one readable line

[[noreturn]] void cannot_read(const std::string& path) {
  fail("{}: cannot read: {}", path, std::strerror(errno));
}

}  // namespace

ByteSource ByteSource::file(const std::string& path) {
  ByteSource source;
  source.name_ = path;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) cannot_read(path);
  if (!S_ISREG(status.st_mode)) {
    source.owned_ = read_file(path, kMostFromPipe);
    source.size_ = static_cast<Index>(source.owned_.size());
    return source;
  }
  source.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (source.descriptor_ < 0 || ::fstat(source.descriptor_, &status) != 0) cannot_read(path);
  source.size_ = status.st_size;
  return source;
}

ByteSource ByteSource::memory(std::string_view bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.size_ = static_cast<Index>(bytes.size());
  source.view_ = bytes;
  return source;
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : name_(std::move(other.name_)),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(std::move(other.owned_)),
      view_(other.view_) {}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ByteSource::read(Index offset, void* into, Index size) const {
  assert(offset >= 0 && size >= 0 && size <= size_ - offset);
  if (size == 0) return;  // `into` may be null
  if (descriptor_ < 0) {
    const std::string_view bytes = view_.data() == nullptr ? std::string_view(owned_) : view_;
    std::memcpy(into, bytes.data() + offset, static_cast<std::size_t>(size));
    return;
  }
  Index done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor_, static_cast<char*>(into) + done,
                                static_cast<std::size_t>(size - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(name_);
    if (got == 0) fail("{}: ended at byte {} while it was being read", name_, offset + done);
    done += got;
  }
}

std::string in_quotes(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, kLongestName)) {
    const bool plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
    text += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text + (name.size() > kLongestName ? "...'" : "'");
}

}  // namespace fovea
