#include "fovea/cli/lines.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/data/text.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostLines = 2000;  // of a block: enough to sort by length
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineBlocks::LineBlocks(std::vector<std::string> given)
    : given_(std::move(given)), standard_input_(given_.empty()), ended_(!standard_input_) {}

std::vector<std::string> LineBlocks::next() {
  first_ = next_;
  std::vector<std::string> block = std::exchange(given_, {});
  take_lines(block);
  while (!ended_ && block.size() < kMostLines && rest_.size() <= kLongestLine &&
         (block.empty() || more_is_there())) {
    if (!read_more() && !rest_.empty()) rest_ += '\n';  // the last line may lack its end
    take_lines(block);
  }
  next_ += static_cast<Index>(block.size());
  return block;
}

bool LineBlocks::read_more() {
  std::array<char, 1 << 16> chunk;
  ssize_t got = -1;
  do {
    got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail("standard input: cannot read: {}", std::strerror(errno));
  rest_.append(chunk.data(), static_cast<std::size_t>(got));
  ended_ = got == 0;
  return !ended_;
}

bool LineBlocks::more_is_there() const {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) > 0;
}

void LineBlocks::take_lines(std::vector<std::string>& block) {
  std::size_t begin = 0;
  for (std::size_t end; block.size() < kMostLines; begin = end + 1) {
    end = rest_.find('\n', begin);
    if (end == std::string::npos) break;
    std::string line = rest_.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (next_ == 1 && block.empty() && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    block.push_back(std::move(line));
  }
  rest_.erase(0, begin);
  if (block.empty() && rest_.size() > kLongestLine) {  // what stood before it has been answered
    fail("{}: the line is longer than {} bytes; is this text?", where(next_), kLongestLine);
  }
}

std::string LineBlocks::where(Index number) const {
  return fmt::format("{}{}", standard_input_ ? "standard input:" : "sentence ", number);
}

void check_utf8(const std::string& line, const std::string& where) {
  const std::string problem = invalid_utf8(line);
  if (!problem.empty()) fail("{}{}; convert it to UTF-8", where, problem);
}

}  // namespace fovea::cli
