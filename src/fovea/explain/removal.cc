#include "fovea/explain/removal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fovea/base/shuffle.h"
#include "fovea/data/tokenizer.h"

namespace fovea {
namespace {

using Order = std::vector<Index>;  // of words, the first to go first
using Kept = std::vector<bool>;    // which words are there

double area(const std::vector<double>& share, const std::vector<double>& curve) {
  double total = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    total += (share[i] - share[i - 1]) * (curve[i] + curve[i - 1]) / 2;
  }
  return total;
}

Order order_of(const Tensor& row) {
  const std::vector<float> weights = row.values();
  Order order(weights.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return larger(weights[static_cast<std::size_t>(a)], a, weights[static_cast<std::size_t>(b)], b);
  });
  return order;
}

Order random_order(Index words, Random& random) {
  Order order(static_cast<std::size_t>(words));
  std::iota(order.begin(), order.end(), Index{0});
  shuffle(std::span(order), random);
  return order;
}

// The first `count` of an order there, and no others; or the others only.
Kept kept(const Order& order, Index count, bool first) {
  Kept result(order.size(), !first);
  for (Index i = 0; i < count; ++i) {
    result[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = first;
  }
  return result;
}

// Probabilities of all outputs for many selections of words, each computed once.
class Selections {
 public:
  Selections(const Said& said, const SpelledWords& source) : said_(said), source_(source) {}

  void want(const Kept& words) { rows_.emplace(words, static_cast<Index>(rows_.size())); }

  void compute() {
    std::vector<Words> sources(rows_.size());
    for (const auto& [words, row] : rows_) {
      Words& left = sources[static_cast<std::size_t>(row)];
      for (std::size_t i = 0; i < said_.source().size(); ++i) {
        const Index word = source_.word_of[i];
        if (word < 0 || words[static_cast<std::size_t>(word)]) left.push_back(said_.source()[i]);
      }
      left.push_back(kEndId);
    }
    log_p_ = said_.log_probabilities(sources);
  }

  double probability(const Kept& words, Index output) const {
    return std::exp(static_cast<double>(log_p_.data()[rows_.at(words) * said_.outputs() + output]));
  }

 private:
  const Said& said_;
  const SpelledWords& source_;
  std::map<Kept, Index> rows_;
  Tensor log_p_;
};

// How many words are gone at each point.
std::vector<Index> counts(Index words, Index points) {
  const Index steps = std::min(words, points);
  std::vector<Index> counts;
  for (Index i = 0; i <= steps; ++i) {
    counts.push_back(steps == 0 ? 0 : (i * words + steps / 2) / steps);
  }
  return counts;
}

}  // namespace

double RemovalCurves::deletion_area() const { return area(share, deletion); }
double RemovalCurves::insertion_area() const { return area(share, insertion); }

Tensor columns_of_words(const Tensor& map, const SpelledWords& source) {
  const auto words = static_cast<Index>(source.words.size());
  const Tensor from = map.packed();
  Tensor result = Tensor::zeros({map.shape(0), words});
  for (Index t = 0; t < map.shape(0); ++t) {
    for (std::size_t s = 0; s < source.word_of.size(); ++s) {
      if (source.word_of[s] < 0) continue;
      result.data()[t * words + source.word_of[s]] +=
          from.data()[t * map.shape(1) + static_cast<Index>(s)];
    }
  }
  return result;
}

Removal remove_words(const Said& said, const SpelledWords& source, std::span<const Tensor> maps,
                     const RemovalOptions& options) {
  const auto words = static_cast<Index>(source.words.size());
  const Index outputs = said.outputs() - 1;
  const std::vector<Index> gone = counts(words, options.points);
  // One order for each output of each map; a random one serves all outputs.
  std::vector<std::vector<Order>> orders;
  for (const Tensor& map : maps) {
    const Tensor by_word = columns_of_words(map, source);
    std::vector<Order>& of_map = orders.emplace_back();
    for (Index t = 0; t < outputs; ++t) of_map.push_back(order_of(by_word.select(0, t)));
  }
  Random random{.seed = options.seed};
  for (Index i = 0; i < options.orders; ++i) {
    orders.emplace_back(static_cast<std::size_t>(outputs), random_order(words, random));
  }

  Selections selections(said, source);
  for (const auto& of_map : orders) {
    for (const Order& order : of_map) {
      for (const Index count : gone) {
        selections.want(kept(order, count, false));
        selections.want(kept(order, count, true));
      }
    }
  }
  selections.compute();

  Removal result{std::vector<RemovalCurves>(maps.size()), {}};
  const auto add = [&](RemovalCurves& curves, const std::vector<Order>& of_map, double weight) {
    curves.deletion.resize(gone.size());
    curves.insertion.resize(gone.size());
    curves.share.clear();
    for (std::size_t i = 0; i < gone.size(); ++i) {
      curves.share.push_back(
          words == 0 ? 0 : static_cast<double>(gone[i]) / static_cast<double>(words));
      for (Index t = 0; t < outputs; ++t) {
        const Order& order = of_map[static_cast<std::size_t>(t)];
        const double part = weight / static_cast<double>(outputs);
        curves.deletion[i] += part * selections.probability(kept(order, gone[i], false), t);
        curves.insertion[i] += part * selections.probability(kept(order, gone[i], true), t);
      }
    }
  };
  for (std::size_t m = 0; m < maps.size(); ++m) add(result.maps[m], orders[m], 1);
  for (std::size_t r = maps.size(); r < orders.size(); ++r) {
    add(result.random, orders[r], 1 / static_cast<double>(options.orders));
  }
  return result;
}

}  // namespace fovea
