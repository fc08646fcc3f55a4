#include "fovea/training/alignment.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/data/text.h"
#include "fovea/data/utf8.h"

namespace fovea {
namespace {

using Place = std::pair<Index, Index>;

Link parse_link(std::string_view text, const std::string& where) {
  Link link;
  const char* const end = text.data() + text.size();
  const auto source = std::from_chars(text.data(), end, link.source);
  const bool mark = source.ptr != end && (*source.ptr == '-' || *source.ptr == '?');
  const auto target = mark ? std::from_chars(source.ptr + 1, end, link.target) : source;
  if (source.ec != std::errc() || target.ec != std::errc() || !mark || target.ptr != end ||
      link.source < 0 || link.target < 0) {
    fail("{}: {} is no link; expected source-target such as 0-2, or 0?2 if it is only possible",
         where, in_quotes(text));
  }
  link.sure = *source.ptr == '-';
  return link;
}

std::vector<Alignment> alignments_of(const ByteSource& source) {
  LineReader reader(source);
  std::vector<Alignment> alignments;
  for (std::string line; reader.next(line);) {
    alignments.push_back(parse_pharaoh(line, reader.where()));
  }
  return alignments;
}

Index count_common(const std::set<Place>& a, const std::set<Place>& b) {
  return std::count_if(a.begin(), a.end(), [&](const Place& place) { return b.contains(place); });
}

double ratio(Index part, Index whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string to_pharaoh(Alignment alignment) {
  // Sure links sort behind possible ones at the same place, and win.
  std::sort(alignment.begin(), alignment.end(), std::greater<>());
  const auto same = [](const Link& a, const Link& b) {
    return a.source == b.source && a.target == b.target;
  };
  alignment.erase(std::unique(alignment.begin(), alignment.end(), same), alignment.end());
  std::vector<std::string> links;
  for (auto link = alignment.rbegin(); link != alignment.rend(); ++link) {
    links.push_back(fmt::format("{}{}{}", link->source, link->sure ? '-' : '?', link->target));
  }
  return fmt::format("{}", fmt::join(links, " "));
}

Alignment parse_pharaoh(std::string_view line, const std::string& where) {
  Alignment alignment;
  for (const std::string_view text : split_at_space(line)) {
    alignment.push_back(parse_link(text, where));
  }
  return alignment;
}

std::vector<Alignment> read_alignments(const std::string& path) {
  return alignments_of(ByteSource::file(path));
}
std::vector<Alignment> parse_alignments(std::string_view bytes, const std::string& name) {
  return alignments_of(ByteSource::memory(bytes, name));
}

AlignmentScore alignment_error(std::span<const Alignment> found, std::span<const Alignment> gold) {
  if (found.size() != gold.size()) {
    fail(
        "alignment_error: {} alignments cannot be compared with {} gold ones; there must be "
        "equally many",
        found.size(), gold.size());
  }
  AlignmentScore score;
  Index right_sure = 0, right_possible = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::set<Place> links, sure, possible;
    for (const Link& link : found[i]) links.emplace(link.source, link.target);
    for (const Link& link : gold[i]) {
      possible.emplace(link.source, link.target);
      if (link.sure) sure.emplace(link.source, link.target);
    }
    right_sure += count_common(links, sure);
    right_possible += count_common(links, possible);
    score.found += static_cast<Index>(links.size());
    score.sure += static_cast<Index>(sure.size());
    score.possible += static_cast<Index>(possible.size());
  }
  score.precision = ratio(right_possible, score.found);
  score.recall = ratio(right_sure, score.sure);
  score.error_rate = 1 - ratio(right_sure + right_possible, score.found + score.sure);
  return score;
}

std::string AlignmentScore::text() const {
  return fmt::format(
      "AER = {:.3f} (precision = {:.3f} recall = {:.3f} found = {} sure = {} possible = {})",
      error_rate, precision, recall, found, sure, possible);
}

}  // namespace fovea
