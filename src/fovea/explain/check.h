// Whether a map of a translation can be trusted: figures that expose a pretty but empty one.
//
//   deletion, insertion                  areas under the curves of removal.h
//   deletion_random, insertion_random    the same for words in random order
//   agreement                            share of target words whose largest weight is a gold link
//   randomised                           rank correlation with the map of the same model with new
//                                        random weights: an explanation of what was learnt differs
#pragma once

#include <optional>

#include "fovea/explain/removal.h"
#include "fovea/explain/translation_methods.h"
#include "fovea/models/translation_model.h"

namespace fovea {

struct CheckOptions {
  MethodOptions methods{};
  RemovalOptions removal{};
  // Of the new weights. A stream of its own: a training with the same seed must not have begun with
  // them.
  Random weights = Random{.seed = 1}.split(0xC4EC);
};

// Words of both sides, and their true links.
struct GoldWords {
  SpelledWords source, target;
  Alignment links;
};

class TranslationCheck {
 public:
  explicit TranslationCheck(const TranslationModel& model, const CheckOptions& options = {});

  // Adds the figures to methods that explain() made of `said`, which `model` says.
  void operator()(const Said& said, std::vector<Trace::Method>& methods,
                  const std::optional<GoldWords>& gold = {}) const;

 private:
  const TranslationModel& model_;
  CheckOptions options_;
  TranslationModel random_;
};

// Share of the target's words whose largest weight is a link, sure or possible, of map [target +
// 1, source + 1].
double agreement(const Tensor& map, const GoldWords& gold);

// Every figure's mean over translations that were explained by the same methods. A figure counts
// where it is there.
std::vector<Trace::Method> mean_figures(std::span<const std::vector<Trace::Method>> translations);

}  // namespace fovea
