// Attention of a decoder's state to all of a sequence, or to a window of it (Luong et al. 2015, 3).
//
//   LuongAttention attention({.query_dim = 64, .key_dim = 64}, random);
//   const auto memory = attention.prepare(encoded, lengths);  // once per sequence
//   const auto step = attention(state, memory, t);            // step.state: h~ = tanh(W_c [c; h])
#pragma once

#include <span>
#include <vector>

#include "fovea/attention/attend.h"
#include "fovea/base/enum_names.h"
#include "fovea/layers/linear.h"

namespace fovea {

enum class LuongScore {
  kDot,      // h . k
  kGeneral,  // h' W k
  kConcat,   // w' tanh(W [h; k])
  kLocation  // (W h)_j: on the state alone
};
constexpr std::array<const char*, 4> names_of(LuongScore) {
  return {"dot", "general", "concat", "location"};
}

enum class LuongView {
  kGlobal,      // all keys
  kMonotonic,   // local-m: the window around t, as if both languages had one order
  kPredictive,  // local-p: the window around p = S sigmoid(v' tanh(W h)), S the sequence's length;
                // weights times a Gaussian around p with deviation reach / 2
};
constexpr std::array<const char*, 3> names_of(LuongView) {
  return {"global", "local-m", "local-p"};
}

struct LuongOptions {
  Index query_dim, key_dim;
  LuongScore score = LuongScore::kGeneral;
  LuongView view = LuongView::kGlobal;
  Index reach = 10;      // D: a window is [p - reach, p + reach]
  Index most_keys = 0;   // of a location score
  Index output_dim = 0;  // of h~; 0: query_dim
};

struct LuongAttention {
  Linear query;         // of concat: the part of W for h, query_dim -> query_dim
  Linear key;           // of general: W; of concat: its part for k; key_dim -> query_dim
  Var weight;           // of concat: w, [query_dim]
  Var location_matrix;  // of location: W, [query_dim, most_keys]
  Linear position;      // of local-p: W, query_dim -> query_dim
  Var position_weight;  // of local-p: v, [query_dim]
  Linear output;        // W_c: key_dim + query_dim -> output_dim
  LuongScore score = LuongScore::kGeneral;
  LuongView view = LuongView::kGlobal;
  Index query_dim = 0, key_dim = 0, reach = 10;

  LuongAttention() = default;
  LuongAttention(const LuongOptions& options, Random& random);

  struct Memory {
    Var projected;  // W k, or k: [batch, 1, key, query_dim]
    Var value;      // k: [batch, 1, key, key_dim]
    std::vector<Index> lengths;
  };
  // keys [batch, key, key_dim]; lengths: one per sequence, or empty when all fill `key`.
  Memory prepare(const Var& keys, std::span<const Index> lengths = {}) const;

  struct Step {
    Var state;    // h~: [batch, output_dim] or [batch, query, output_dim]
    Var context;  // c: [batch, key_dim] or [batch, query, key_dim]
    Var center;   // of local-p: p, [batch, 1, query]
    Attended attended;
  };
  // state [batch, query_dim] or [batch, query, query_dim]; t: the position of the first query.
  // A window beyond the end of a sequence holds nothing: its context is 0.
  Step operator()(const Var& state, const Memory& memory, Index t = 0) const;

  void visit(auto&& member) {  // those that a score or view does not have are left out
    member("query", query);
    member("key", key);
    member("weight", weight);
    member("location", location_matrix);
    member("position", position);
    member("position_weight", position_weight);
    member("output", output);
  }
};

}  // namespace fovea
