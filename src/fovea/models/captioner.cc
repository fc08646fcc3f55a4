#include "fovea/models/captioner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/attention/additive_scores.h"
#include "fovea/base/error.h"
#include "fovea/data/tokenizer.h"
#include "fovea/layers/dropout.h"

namespace fovea {
namespace {

constexpr float kDrawnShare = 0.5f;     // of captions, while a hard one trains (4.1)
constexpr float kBaselineKeeps = 0.9f;  // of itself, a step (eq. 11)

// Ids of one list behind those of the other.
Ids joined(const std::vector<Ids>& parts) {
  std::vector<std::int32_t> all;
  for (const Ids& part : parts) all.insert(all.end(), part.values().begin(), part.values().end());
  return Ids(std::move(all));
}

// 1 or 0 for each caption, the same for all its words.
Tensor draw_captions(Index captions, Random& random) {
  Tensor drawn({captions, 1});
  for (float& d : drawn.flat()) d = random.uniform() < kDrawnShare ? 1.0f : 0.0f;
  return drawn;
}

}  // namespace

CaptionBatch caption_batch(std::span<const Words> captions, std::span<const Index> picture) {
  std::vector<std::size_t> order(captions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return captions[a].size() > captions[b].size();
  });
  std::vector<std::int32_t> pictures, input, labels, caption;
  for (const std::size_t i : order) pictures.push_back(static_cast<std::int32_t>(picture[i]));
  CaptionBatch batch;
  const std::size_t longest = captions.empty() ? 0 : captions[order[0]].size() + 1;
  for (std::size_t t = 0; t < longest; ++t) {
    Index rows = 0;
    for (; rows < std::ssize(order); ++rows) {
      const Words& words = captions[order[static_cast<std::size_t>(rows)]];
      if (t > words.size()) break;
      input.push_back(t == 0 ? kBeginId : words[t - 1]);
      labels.push_back(t == words.size() ? kEndId : words[t]);
      caption.push_back(static_cast<std::int32_t>(rows));
    }
    batch.rows.push_back(rows);
  }
  batch.picture = Ids(std::move(pictures));
  batch.input = Ids(std::move(input));
  batch.labels = Ids(std::move(labels));
  batch.caption = Ids(std::move(caption));
  return batch;
}

Captioner::Captioner(const CaptionerOptions& o, Random& random) : options_(o) {
  if (!o.features) {
    encoder_ = ImageEncoder(o.encoder, random);
    encoder_.grid_of(o.width, o.height);
  }
  const Index dim = annotation_dim();
  words_ = Embedding(o.vocab, o.embedding_dim, random);
  if (o.recalls) {
    const auto mlp = [&] {
      return Mlp{Linear(dim, o.hidden, random), Linear(o.hidden, o.hidden, random)};
    };
    start_state_ = mlp();
    start_memory_ = mlp();
  }
  attention_ =
      AdditiveAttention({.query_dim = o.hidden, .key_dim = dim, .dim = o.attention_dim}, random);
  if (o.word_asks) word_query_ = Linear(o.embedding_dim, o.attention_dim, random, false);
  gate_ = Linear(o.hidden, 1, random);
  word_ = Linear(o.embedding_dim, kernels::gate_count(Cell::kLstm) * o.hidden, random, false);
  cell_ = RecurrentCell(Cell::kLstm, dim, o.hidden, random);
  if (!o.recalls) cell_.weights.input = cell_.weights.input_bias = {};
  speak_state_ = Linear(o.hidden, o.embedding_dim, random);
  speak_context_ = Linear(dim, o.embedding_dim, random, false);
  output_ = Linear(o.embedding_dim, o.vocab, random);
  if (o.attention == CaptionAttention::kHard) {
    baseline_ = Tensor::full({1}, -std::log(static_cast<float>(std::max<Index>(1, o.vocab))));
  }
}

Index Captioner::annotation_dim() const {
  return options_.features ? options_.feature_dim : encoder_.dim() + kPlaceFeatures;
}

Var Captioner::annotations(const Var& pictures, Run& run) const {
  if (!options_.features) {
    const Var grid = encoder_(pictures, run);
    return with_places(regions_of(grid), grid.shape(2), grid.shape(3));
  }
  if (pictures.shape().rank() != 3 || pictures.shape(2) != options_.feature_dim) {
    fail("captioner: features {}; take [picture, region, {}], as in training",
         pictures.shape().text(), options_.feature_dim);
  }
  return pictures;
}

Captioner::Memory Captioner::Memory::first(Index rows) const {
  if (rows == regions.shape(0)) return *this;
  return {slice(regions, 0, 0, rows), slice(projected, 0, 0, rows), key_powers.slice(0, 0, rows),
          query, cell};
}

Captioner::Memory Captioner::remember(const Var& regions) const {
  const AdditiveAttention::Memory memory = attention_.prepare(regions);
  return {regions, memory.projected, memory.key_powers, memory.query, cell_.prepared()};
}

RecurrentState Captioner::start(const Var& regions) const {
  if (!options_.recalls) return cell_.start(regions.shape(0));
  const Var middle = mean(regions, 1);
  return {start_state_(middle), start_memory_(middle)};
}

Captioner::Heard Captioner::hear(const Var& word) const {
  return {word, word_(word), options_.word_asks ? word_query_(word) : Var()};
}

Captioner::Heard Captioner::Heard::part(Index begin, Index end) const {
  const auto of = [&](const Var& x) { return x ? slice(x, 0, begin, end) : x; };
  return {of(word), of(gates), of(query)};
}

Captioner::Moved Captioner::advance(const Memory& memory, const RecurrentState& state,
                                    const Heard& heard, const Tensor& drawn, Run& run) const {
  const Index rows = state.h.shape(0), batch = memory.regions.shape(0),
              regions = memory.regions.shape(1), beams = rows / batch;
  Moved moved;
  if (!options_.recalls) moved.state = memory.cell({}, state, heard.gates);
  const Var asking = options_.recalls ? state.h : moved.state.h;
  const Var query = reshape(memory.query(asking, Activation::kNone, heard.query),
                            {batch, 1, beams, options_.attention_dim});
  moved.scores =
      reshape(additive_scores(query, memory.projected, attention_.weight, memory.key_powers),
              {rows, regions});
  Var reading;  // what the regions are read by
  if (drawn) {
    moved.log_weights = log_softmax(moved.scores);
    moved.weights = exp(moved.log_weights);
    moved.region = sample_categorical(moved.scores.value(), run.random);
    reading = moved.weights * (1 - Var(drawn)) + Var(one_hot(moved.region, regions)) * Var(drawn);
  } else {
    moved.weights = softmax(moved.scores);
    reading = options_.attention == CaptionAttention::kHard
                  ? Var(one_hot(argmax(moved.scores.value()), regions))
                  : moved.weights;
  }
  const Var gate = sigmoid(gate_(asking));
  const auto read = [&](const Var& by) {
    const Var each = matmul(reshape(by, {batch, beams, regions}), memory.regions);
    return gate * reshape(each, {rows, -1});
  };
  moved.context = read(reading);
  if (options_.recalls) moved.state = memory.cell(moved.context, state, heard.gates);
  if (drawn) {
    const NoGrad guard;
    moved.soft_context = read(moved.weights);
    moved.soft_h =
        options_.recalls ? memory.cell(moved.soft_context, state, heard.gates).h : moved.state.h;
  }
  return moved;
}

Var Captioner::speak(const Var& word, const Var& state, const Var& context, Run& run) const {
  const Var known = speak_state_(state, Activation::kNone, word);
  const Var all = speak_context_(context, Activation::kNone, known);
  return output_(Dropout{options_.dropout}(all, run));
}

CaptionReading Captioner::read(const Var& annotations, const CaptionBatch& batch, Run& run) const {
  const Index captions = batch.picture.size(), pictures = annotations.shape(0);
  const Var flat = reshape(annotations, {pictures, -1});
  const Var regions = reshape(embedding(flat, batch.picture),
                              {captions, annotations.shape(1), annotations.shape(2)});
  Memory memory = remember(regions);
  RecurrentState state = start(regions);
  const bool draws = options_.attention == CaptionAttention::kHard && run.training;
  const Tensor drawn = draws ? draw_captions(captions, run.random) : Tensor();
  const Heard heard = hear(Dropout{options_.dropout}(words_(batch.input), run));
  std::vector<Var> states, contexts, weights, log_weights, soft_states, soft_contexts;
  std::vector<Ids> region;
  Index at = 0;
  for (const Index rows : batch.rows) {
    if (rows < memory.regions.shape(0)) {
      memory = memory.first(rows);
      state = {slice(state.h, 0, 0, rows), slice(state.c, 0, 0, rows)};
    }
    Moved moved = advance(memory, state, heard.part(at, at + rows),
                          draws ? drawn.slice(0, 0, rows) : Tensor(), run);
    at += rows;
    states.push_back(moved.state.h);
    contexts.push_back(moved.context);
    weights.push_back(moved.weights);
    if (draws) {
      log_weights.push_back(moved.log_weights);
      region.push_back(moved.region);
      soft_states.push_back(moved.soft_h);
      soft_contexts.push_back(moved.soft_context);
    }
    state = std::move(moved.state);
  }
  CaptionReading reading;
  reading.logits = speak(heard.word, concat(states, 0), concat(contexts, 0), run);
  reading.weights = concat(weights, 0);
  if (draws) {
    reading.log_weights = concat(log_weights, 0);
    reading.region = joined(region);
    reading.drawn = rows_of(drawn, batch.caption).reshape({batch.caption.size()});
    const NoGrad guard;
    Run still;
    const Var softly = speak(heard.word, concat(soft_states, 0), concat(soft_contexts, 0), still);
    reading.softly = pick(log_softmax(softly), batch.labels).value().packed();
  }
  return reading;
}

class CaptionDecoding final : public Decoding {
 public:
  CaptionDecoding(const Captioner& model, const Tensor& annotations, const DecodingOptions& options)
      : model_(model), options_(options) {
    const NoGrad guard;
    memory_ = model_.remember(annotations);
    state_ = model_.start(annotations);
    model_.word_ = model_.word_.prepared();
    if (model_.word_query_.weight) model_.word_query_ = model_.word_query_.prepared();
    model_.speak_state_ = model_.speak_state_.prepared();
    model_.speak_context_ = model_.speak_context_.prepared();
    model_.output_ = model_.output_.prepared();
  }

  DecodingStep step(const Ids& words) override {
    const NoGrad guard;
    const Captioner::Heard heard = model_.hear(model_.words_(words));
    const auto moved = model_.advance(memory_, state_, heard, {}, run_);
    state_ = moved.state;
    DecodingStep result{
        .next = NextWords(model_.speak(heard.word, state_.h, moved.context, run_).value())};
    if (options_.looks) {
      result.context = moved.context.value();
      result.looks.push_back({0, 0, moved.scores.value(), moved.weights.value()});
    }
    return result;
  }

  void reorder(const Ids& rows) override {
    state_ = {rows_of(state_.h.value(), rows), rows_of(state_.c.value(), rows)};
  }

  void keep(const Ids& sentences) override {
    memory_.regions = rows_of(memory_.regions.value(), sentences);
    memory_.projected = rows_of(memory_.projected.value(), sentences);
    memory_.key_powers = rows_of(memory_.key_powers, sentences);
  }

 private:
  Captioner model_;
  DecodingOptions options_;
  Run run_;
  Captioner::Memory memory_;
  RecurrentState state_;
};

std::unique_ptr<Decoding> Captioner::decode(const Tensor& annotations,
                                            const DecodingOptions& options) const {
  return std::make_unique<CaptionDecoding>(*this, annotations, options);
}

namespace {

// [caption, region]: how much of its words each region got.
Var looked_at(const CaptionReading& reading, const CaptionBatch& batch) {
  Tensor owner = Tensor::zeros({batch.picture.size(), batch.caption.size()});
  for (Index i = 0; i < batch.caption.size(); ++i) {
    owner.data()[batch.caption[i] * batch.caption.size() + i] = 1;
  }
  return matmul(Var(owner), reading.weights);
}

// Squared, from each word of a caption to the next; there are two steps at least.
Var way_of_eyes(const CaptionReading& reading, const CaptionBatch& batch) {
  std::vector<std::int32_t> before;  // of each label but the first ones, the one before it
  Index at = 0;
  for (std::size_t t = 1; t < batch.rows.size(); ++t) {
    for (Index r = 0; r < batch.rows[t]; ++r) before.push_back(static_cast<std::int32_t>(at + r));
    at += batch.rows[t - 1];
  }
  const Var later = slice(reading.weights, 0, batch.rows[0], batch.labels.size());
  return sum(square(later - embedding(reading.weights, Ids(std::move(before)))));
}

// What drawing regions adds to the loss; moves the baseline.
Var score_term(Captioner& captioner, const CaptionReading& reading, const CaptionBatch& batch) {
  const Tensor said = [&] {
    const NoGrad guard;
    return pick(log_softmax(reading.logits), batch.labels).value().packed();
  }();
  float& baseline = captioner.baseline().data()[0];
  const Index labels = batch.labels.size();
  Tensor reward({labels}), expected({labels});
  const auto captions = static_cast<std::size_t>(batch.picture.size());
  std::vector<double> behind(captions, 0.0), words_behind(captions, 0.0);  // that count
  double total = 0, count = 0;
  for (Index i = labels - 1; i >= 0; --i) {
    const auto c = static_cast<std::size_t>(batch.caption[i]);
    const double drawn = static_cast<double>(reading.drawn.data()[i]),
                 log_p = static_cast<double>(said.data()[i]),
                 softly = static_cast<double>(reading.softly.data()[i]);
    reward.data()[i] = static_cast<float>(drawn * (log_p + behind[c]));
    expected.data()[i] =
        static_cast<float>(drawn * (softly + words_behind[c] * static_cast<double>(baseline)));
    if (captioner.options().recalls) {
      behind[c] += log_p;
      words_behind[c] += 1;
    }
    total += drawn * log_p;
    count += drawn;
  }
  if (count > 0) {
    baseline = kBaselineKeeps * baseline + (1 - kBaselineKeeps) * static_cast<float>(total / count);
  }
  return score_function(pick(reading.log_weights, reading.region), reward, expected);
}

}  // namespace

CaptionLoss caption_loss(Captioner& captioner, const CaptionReading& reading,
                         const CaptionBatch& batch, const CaptionLossOptions& options) {
  CaptionLoss loss;
  loss.total = cross_entropy(reading.logits, batch.labels,
                             {.label_smoothing = options.label_smoothing, .mean = false});
  loss.cross_entropy = loss.total.value().item();
  if (options.penalty > 0) {
    loss.total = loss.total + sum(square(1 - looked_at(reading, batch))) * options.penalty;
  }
  if (options.rest > 0 && batch.rows.size() > 1) {
    loss.total = loss.total + way_of_eyes(reading, batch) * options.rest;
  }
  if (reading.log_weights) {
    const Var entropy = -sum(exp(reading.log_weights) * reading.log_weights);
    loss.total = loss.total - score_term(captioner, reading, batch) * options.reward -
                 entropy * options.entropy;
  }
  return loss;
}

}  // namespace fovea
