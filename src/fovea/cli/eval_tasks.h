// What fovea eval does for the tasks that look at pictures.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/data/split.h"
#include "fovea/models/search.h"

namespace fovea::cli {

struct EvalFlags {
  std::vector<std::string> models;
  std::string images, labels;  // IDX files, or a folder or .tar and a .tsv
  std::string questions;       // a .tsv
  std::string captions;        // a .tsv
  std::string features;        // .npy, of captioners
  SearchOptions search{};
  std::optional<Index> held_out, count, size, clutter, piece, readings;
  std::uint64_t seed = 1;
  Split split = Split::kValid;
  bool json = false;

  bool world() const { return images.empty() && features.empty(); }
};

void eval_caption(const EvalFlags& flags, std::ostream& out);
void eval_glimpse(const EvalFlags& flags, std::ostream& out);
void eval_answer(const EvalFlags& flags, std::ostream& out);
void eval_classify(const EvalFlags& flags, std::ostream& out);

}  // namespace fovea::cli
