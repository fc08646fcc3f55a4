// What fovea eval does for each task.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "fovea/cli/translating.h"
#include "fovea/data/translation_world.h"

namespace fovea::cli {

struct EvalFlags {
  std::vector<std::string> models;
  std::optional<Index> count;
  std::uint64_t seed = 1;
  bool test = false;  // of the built-in worlds: the split that nothing was tuned on
  DecodingFlags decoding;
  bool json = false;

  // of translators
  std::string data, source, target, gold, svg;
  WordCount gold_words = WordCount::kSpace;
  BleuTokens tokens = BleuTokens::k13a;
  bool skip_bad = false, lower_case = false, ensemble = false, by_length = false;
  Index bucket = 10;
  Index shortest = kWorldLimits.shortest;
  std::optional<Index> longest;

  // of tasks with pictures
  std::string images, labels;  // IDX files, or a folder or .tar and a .tsv
  std::string questions;       // a .tsv
  std::string captions;        // a .tsv
  std::string features;        // .npy, of captioners
  std::optional<Index> held_out, size, clutter, piece, readings;

  bool world() const {
    return data.empty() && source.empty() && images.empty() && features.empty();
  }
  Split split() const { return test ? Split::kTest : Split::kValid; }
  const char* split_name() const { return test ? "test" : "valid"; }
  WorldLengths lengths() const {
    return {shortest, longest.value_or(by_length ? kWorldLimits.longest : WorldLengths{}.longest)};
  }
};

void eval_translate(const EvalFlags& flags, std::ostream& out, std::ostream& err);
void eval_caption(const EvalFlags& flags, std::ostream& out);
void eval_glimpse(const EvalFlags& flags, std::ostream& out);
void eval_answer(const EvalFlags& flags, std::ostream& out);
void eval_classify(const EvalFlags& flags, std::ostream& out);

}  // namespace fovea::cli
