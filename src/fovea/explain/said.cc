#include "fovea/explain/said.h"

#include <algorithm>
#include <numeric>

#include "fovea/autograd/ops.h"
#include "fovea/data/tokenizer.h"

namespace fovea {
namespace {

constexpr std::size_t kSourcesAtOnce = 64;  // rows of one product: no faster with more

}  // namespace

Said::Said(const Translator& net, Words source, Words target)
    : net_(&net), source_(std::move(source)), target_(std::move(target)) {
  const NoGrad guard;
  vectors_ =
      net.source_vectors(source_sentences(std::span(&source_, 1)).words).value().select(0, 0);
}

// Row r reads only the words before its output, so that rows of early outputs are short.
Said::Rows Said::rows(const Var& x, const Ids& which, Insight* insight) const {
  const auto count = static_cast<std::size_t>(which.size());
  std::vector<Words> before;
  std::vector<std::int32_t> labels;
  for (const std::int32_t t : which.values()) {
    Words words{kBeginId};
    words.insert(words.end(), target_.begin(), target_.begin() + t);
    before.push_back(std::move(words));
    labels.push_back(t + 1 < outputs() ? target_[static_cast<std::size_t>(t)] : kEndId);
  }
  TranslationBatch batch{
      source_sentences(std::vector<Words>(count, source_)), side_by_side(before), Ids(labels), {}};
  std::vector<std::int32_t> position;
  for (std::size_t r = 0; r < count; ++r) {
    position.push_back(static_cast<std::int32_t>(static_cast<Index>(r) * batch.input.time()) +
                       which[static_cast<Index>(r)]);
  }
  batch.position = Ids(std::move(position));
  Run run;
  Insight none, &inside = insight != nullptr ? *insight : none;
  inside.source = x;
  Var logits = net_->logits(batch, run, &inside);
  return {std::move(logits), batch.labels};
}

Var Said::log_probability(const Var& x, const Ids& which, Insight* insight) const {
  const Rows r = rows(x, which, insight);
  return pick(log_softmax(r.logits), r.labels);
}

Explained Said::log_probability() const {
  return {outputs(),
          [this](const Var& x, const Ids& which) { return log_probability(x, which, nullptr); }};
}

Explained Said::activation() const {
  return {outputs(), [this](const Var& x, const Ids& which) {
            const Rows r = rows(x, which, nullptr);
            return pick(r.logits, r.labels);
          }};
}

Tensor Said::log_probabilities(std::span<const Words> sources) const {
  const NoGrad guard;
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sources[a].size() < sources[b].size();
  });
  Tensor result({static_cast<Index>(sources.size()), outputs()});
  for (std::size_t begin = 0; begin < order.size(); begin += kSourcesAtOnce) {
    const auto some =
        std::span(order).subspan(begin, std::min(kSourcesAtOnce, order.size() - begin));
    std::vector<Words> read;
    for (const std::size_t i : some) read.push_back(sources[i]);
    TranslationBatch batch = translation_batch(read, std::vector<Words>(some.size(), target_));
    batch.source = side_by_side(read);
    Run run;
    const Tensor log_p = pick(log_softmax(net_->logits(batch, run)), batch.labels).value().packed();
    for (std::size_t r = 0; r < some.size(); ++r) {
      std::copy_n(log_p.data() + static_cast<Index>(r) * outputs(), outputs(),
                  result.data() + static_cast<Index>(some[r]) * outputs());
    }
  }
  return result;
}

Insight Said::insight() const {
  const NoGrad guard;
  Run run;
  Insight insight;
  net_->logits(translation_batch(std::span(&source_, 1), std::span(&target_, 1)), run, &insight);
  return insight;
}

}  // namespace fovea
