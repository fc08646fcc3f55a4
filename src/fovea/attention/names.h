// Scores and normalisers by name, for programs that are asked for one.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/attention/normalizer.h"
#include "fovea/attention/score.h"

namespace fovea {

struct NamedScore {
  const char* name;
  Score::Kind kind;
  const char* weight = nullptr;  // the shape of w; null: it has none
  const char* matrix = nullptr;  // and of W
};
constexpr std::array kNamedScores = {
    NamedScore{"scaled-dot", Score::Kind::kScaledDot},
    NamedScore{"dot", Score::Kind::kDot},
    NamedScore{"cosine", Score::Kind::kCosine},
    NamedScore{"general", Score::Kind::kGeneral, nullptr, "[dim, key_dim]"},
    NamedScore{"additive", Score::Kind::kAdditive, "[dim]"},
    NamedScore{"concat", Score::Kind::kConcat, "[hidden]", "[dim + key_dim, hidden]"},
    NamedScore{"concat-literal", Score::Kind::kConcatLiteral, "[dim + key_dim]"},
    NamedScore{"location", Score::Kind::kLocation, nullptr, "[dim, keys]"}};

struct NamedNormalizer {
  const char* name;
  Normalizer kind;
};
constexpr std::array kNamedNormalizers = {NamedNormalizer{"softmax", Normalizer::kSoftmax},
                                          NamedNormalizer{"sparsemax", Normalizer::kSparsemax},
                                          NamedNormalizer{"none", Normalizer::kNone}};

std::vector<std::string> names_in(const auto& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

// `name` is one of its names.
const auto& named(const auto& table, std::string_view name) {
  return *std::find_if(table.begin(), table.end(),
                       [&](const auto& entry) { return entry.name == name; });
}

}  // namespace fovea
