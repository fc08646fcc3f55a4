#include "fovea/training/segments.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/utf8.h"

namespace fovea {

Segments pair_up(std::string_view metric, std::span<const std::string> hypotheses,
                 References references) {
  if (hypotheses.empty()) fail("{}: there are no sentences to score", metric);
  if (references.empty()) fail("{}: there are no references to score against", metric);
  for (const auto& reference : references) {
    if (reference.size() != hypotheses.size()) {
      fail("{}: {} hypotheses cannot be compared with {} references; there must be equally many",
           metric, hypotheses.size(), reference.size());
    }
  }
  Segments segments;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    Segment segment{.hypothesis = hypotheses[i], .references = {}};
    for (const auto& reference : references) {
      if (!reference[i].empty()) segment.references.push_back(reference[i]);
    }
    if (segment.references.empty())
      fail("{}: the reference of sentence {} is empty", metric, i + 1);
    segments.all.push_back(std::move(segment));
  }
  const std::size_t count = segments.all[0].references.size();
  const bool equal = std::all_of(segments.all.begin(), segments.all.end(),
                                 [&](const Segment& s) { return s.references.size() == count; });
  segments.reference_count = equal ? std::to_string(count) : "var";
  return segments;
}

double exact_match(std::span<const std::string> hypotheses, References references,
                   bool lower_case) {
  const Segments segments = pair_up("exact_match", hypotheses, references);
  const auto right = std::count_if(segments.all.begin(), segments.all.end(), [&](const Segment& s) {
    const auto letters = [&](std::string_view text) {
      return lower_case ? fovea::lower_case(text) : std::string(text);
    };
    const std::string said = letters(s.hypothesis);
    const auto words = split_at_space(said);
    return std::any_of(s.references.begin(), s.references.end(), [&](std::string_view r) {
      const std::string wanted = letters(r);
      return split_at_space(wanted) == words;
    });
  });
  return static_cast<double>(right) / static_cast<double>(segments.all.size());
}

}  // namespace fovea
