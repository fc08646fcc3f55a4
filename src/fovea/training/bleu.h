// BLEU (Papineni et al. 2002), equal to what sacreBLEU 2 (Post 2018) prints.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "fovea/base/index.h"
#include "fovea/training/bleu_tokens.h"
#include "fovea/training/segments.h"

namespace fovea {

// What to do about an order of which no n-gram is right (Chen and Cherry 2014). A score of which no
// n-gram at all is right is 0 with any of them.
enum class BleuSmoothing {
  kExponential,  // the first such precision is 1/2 of one n-gram's, the next 1/4, ...
  kFloor,        // instead of 0 right n-grams, a few hundredths
  kAddK,         // k more n-grams right and in total, of every order but the first
  kNone
};

struct BleuOptions {
  BleuTokens tokens = BleuTokens::k13a;
  bool lower_case = false;
  BleuSmoothing smoothing = BleuSmoothing::kExponential;
  std::optional<double> smoothing_value{};  // of kFloor (0.1 if not set) and kAddK (1)
  bool effective_order = false;  // leave out orders for which the hypotheses are too short
};

constexpr std::size_t kBleuOrder = 4;

struct BleuScore {
  double score = 0;                                // 0 to 100
  std::array<double, kBleuOrder> precisions{};     // 0 to 100
  std::array<Index, kBleuOrder> right{}, total{};  // n-grams
  double brevity_penalty = 1;
  Index hypothesis_length = 0, reference_length = 0;  // tokens
  std::string signature;  // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:fovea-0.1.0"

  // "BLEU = 41.02 71.0/47.5/34.3/24.5 (BP = 1.000 ratio = 1.001 hyp_len = 12106 ref_len = 12095)"
  std::string text() const;
};

BleuScore bleu(std::span<const std::string> hypotheses, References references,
               const BleuOptions& options = {});

}  // namespace fovea
