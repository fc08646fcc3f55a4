// Word alignments: the Pharaoh format, and the alignment error rate (Och and Ney 2003).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/data/link.h"

namespace fovea {

// One sentence a line, "0-0 1-2 1?3": source-target, with a question mark for a possible link.
// Written in order, and each link once.
std::string to_pharaoh(Alignment alignment);
Alignment parse_pharaoh(std::string_view line, const std::string& where);

// A file of such lines, plain or compressed by gzip; a sentence without links is an empty line.
std::vector<Alignment> read_alignments(const std::string& path);
std::vector<Alignment> parse_alignments(std::string_view bytes, const std::string& name);

// With A the found links, S the sure and P the sure or possible ones:
//   precision = |A and P| / |A|   recall = |A and S| / |S|
//   error rate = 1 - (|A and S| + |A and P|) / (|A| + |S|)
struct AlignmentScore {
  double error_rate = 0, precision = 1, recall = 1;  // 0 to 1
  Index found = 0, sure = 0, possible = 0;           // |A|, |S|, |P|

  // "AER = 0.083 (precision = 0.900 recall = 0.933 found = 10 sure = 15 possible = 20)"
  std::string text() const;
};

// Over all sentences together. Whether a found link is sure does not matter.
AlignmentScore alignment_error(std::span<const Alignment> found, std::span<const Alignment> gold);

}  // namespace fovea
