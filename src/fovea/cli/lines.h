// Sentences to work on: arguments, or the lines of standard input as they come.
#pragma once

#include <string>
#include <vector>

#include "fovea/base/index.h"

namespace fovea::cli {

class LineBlocks {
 public:
  // None given: standard input.
  explicit LineBlocks(std::vector<std::string> given);

  // The lines that are there, at least one, at most some thousand; waits for the first. Empty at
  // the end. A line that is answered before the next one is written has a block of its own.
  std::vector<std::string> next();

  Index first() const { return first_; }  // number of the last block's first line, from 1
  std::string where(Index number) const;  // "standard input:17", "sentence 17"

 private:
  bool read_more();            // waits; false at the end
  bool more_is_there() const;  // without waiting
  void take_lines(std::vector<std::string>& block);

  std::vector<std::string> given_;
  bool standard_input_;
  bool ended_ = false;
  std::string rest_;  // read, and not yet a line
  Index first_ = 1, next_ = 1;
};

// Fails unless the line is UTF-8.
void check_utf8(const std::string& line, const std::string& where);

}  // namespace fovea::cli
