#include "fovea/models/recurrent_translator.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/layers/dropout.h"

namespace fovea {
namespace {

Var drop(const Var& x, float probability, Run& run) { return Dropout{probability}(x, run); }

// x [batch, time, dim]: the last word of each sentence first.
Var reversed(const Var& x, std::span<const Index> lengths) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(x.shape(0) * x.shape(1)));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i) * x.shape(1);
    std::reverse(first, first + lengths[i]);
  }
  const Var all = reshape(x, {-1, x.shape(2)});
  return embedding(all, Ids({x.shape(0), x.shape(1)}, std::move(rows)));
}

// [row, dim] of sentences times beams, beside a memory of `batch` sentences: [batch, beam, dim].
Var beside(const Var& x, Index batch) {
  return x.shape(0) == batch ? x : reshape(x, {batch, x.shape(0) / batch, x.shape(1)});
}
Var one_below_the_other(const Var& x) {
  return x.shape().rank() == 2 ? x : reshape(x, {-1, x.shape(-1)});
}

}  // namespace

RecurrentTranslator::RecurrentTranslator(const RecurrentTranslatorOptions& o, Random& random)
    : options_(o),
      target_(o.target_vocab, o.embedding_dim, random),
      encoder_({.kind = o.cell,
                .in = o.embedding_dim,
                .hidden = o.encoder_hidden(),
                .layers = o.encoder_layers,
                .both_directions = true,
                .dropout = o.state_dropout},
               random) {
  if (o.tie_output && o.readout_dim != o.embedding_dim && o.reading != Reading::kLuong) {
    fail("translator: a tied output needs readout_dim {} to be embedding_dim {}", o.readout_dim,
         o.embedding_dim);
  }
  if (o.share_embedding && o.source_vocab != o.target_vocab) {
    fail("translator: a shared embedding needs one vocabulary, but there are {} and {} words",
         o.source_vocab, o.target_vocab);
  }
  if (!o.share_embedding) source_ = Embedding(o.source_vocab, o.embedding_dim, random);
  const Index key_dim = 2 * o.encoder_hidden(), gates = kernels::gate_count(o.cell);
  const Index states = o.cell == Cell::kLstm ? 2 : 1;
  const bool paper = speaks_from_previous();
  if ((o.conditional || o.mean_start || o.word_shortcut) &&
      (o.reading != Reading::kBahdanau || o.paper)) {
    fail(
        "translator: only bahdanau, without the paper's preset, can be conditional, start from "
        "the mean or have a shortcut to words");
  }
  if (o.word_shortcut) shortcut_ = Linear(o.embedding_dim, key_dim, random, false);
  start_ = Linear(paper ? key_dim / 2 : key_dim, states * o.decoder_layers * o.hidden, random);
  word_ = Linear(o.embedding_dim, gates * o.hidden, random, o.conditional);
  if (o.conditional) {
    asking_ = RecurrentCell(o.cell, o.hidden, o.hidden, random);
    asking_.weights.input = asking_.weights.input_bias = Var();
  }
  const Index feed = o.reading != Reading::kLuong ? key_dim : o.readout_dim;
  for (Index l = 0; l < o.decoder_layers; ++l) {
    cells_.emplace_back(o.cell, l == 0 ? feed : o.hidden, o.hidden, random);
  }
  if (o.reading == Reading::kBahdanau) {
    additive_ = AdditiveAttention({.query_dim = o.hidden,
                                   .key_dim = key_dim,
                                   .dim = o.attention_dim,
                                   .uniform_start = o.paper},
                                  random);
  }
  if (o.reading == Reading::kLuong) {
    luong_ = LuongAttention({.query_dim = o.hidden,
                             .key_dim = key_dim,
                             .score = o.luong_score,
                             .view = o.luong_view,
                             .reach = o.reach,
                             .most_keys = o.longest,
                             .output_dim = o.readout_dim},
                            random);
  } else {
    readout_ =
        Linear(o.hidden + o.embedding_dim + key_dim, (paper ? 2 : 1) * o.readout_dim, random);
  }
  output_ = Linear(o.readout_dim, o.target_vocab, random);
  if (o.tie_output) output_.weight = Var();
}

RecurrentTranslator::Encoded RecurrentTranslator::encode(const Sentences& source, Var words,
                                                         Run& run) const {
  const RecurrentTranslatorOptions& o = options_;
  if (o.reverse_source) words = reversed(words, source.lengths);
  words = drop(words, o.word_dropout, run);
  const auto encoded = encoder_(words, run, source.lengths);
  Var states = encoded.y;
  if (o.word_shortcut) states = shortcut_(words, Activation::kNone, states);
  states = drop(states, o.state_dropout, run);
  // Keys stand in the source's order, whatever way it was read.
  if (o.reverse_source) states = reversed(states, source.lengths);
  const std::vector<RecurrentState>& last = encoded.last.back();
  Memory memory{.summary = concat({last[0].h, last[1].h}, 1)};
  if (o.reading == Reading::kBahdanau) memory.additive = additive_.prepare(states, source.lengths);
  if (o.reading == Reading::kLuong) memory.luong = luong_.prepare(states, source.lengths);
  if (o.conditional) memory.asking = asking_.prepared();
  for (const RecurrentCell& cell : cells_) memory.cells.push_back(cell.prepared());

  const Var heard = speaks_from_previous() ? last[1].h
                    : o.mean_start         ? mean(states, source.lengths)
                                           : memory.summary;
  const Var first = start_(heard, Activation::kTanh);
  State start;
  for (Index l = 0; l < o.decoder_layers; ++l) {
    const auto part = [&](Index n) { return slice(first, 1, n * o.hidden, (n + 1) * o.hidden); };
    start.layers.push_back(
        {.h = part(l), .c = o.cell == Cell::kLstm ? part(o.decoder_layers + l) : Var()});
  }
  if (o.reading == Reading::kLuong) start.fed = Tensor::zeros({source.batch(), o.readout_dim});
  return {std::move(memory), std::move(start), states};
}

void RecurrentTranslator::read_ahead(Memory& memory, bool contexts) const {
  const RecurrentWeights& cell = cells_[0].weights;
  const Index told = options_.hidden + options_.embedding_dim, all = readout_.weight.shape(0);
  Linear ahead;
  ahead.weight = concat({cell.input, slice(readout_.weight, 0, told, all)}, 1);
  ahead.bias = concat({cell.input_bias, Tensor::zeros(readout_.bias.shape())}, 0);
  Var& value = memory.additive.value;
  const Var made = ahead(value);
  value = contexts ? concat({value, made}, -1) : made;
  memory.reads_ahead = true;
}

RecurrentTranslator::Moved RecurrentTranslator::advance(const Memory& memory, const State& state,
                                                        const Var& gates, Index t, Run& run) const {
  const RecurrentTranslatorOptions& o = options_;
  const Index batch = memory.summary.shape(0);
  Moved moved;
  Var entering;                              // beside the word
  Var more = o.conditional ? Var() : gates;  // that enters the first layer
  const RecurrentState before =
      o.conditional ? memory.asking({}, state.layers[0], gates) : state.layers[0];
  if (o.reading == Reading::kFixed) {
    const Index beams = gates.shape(0) / batch;
    moved.context = beams == 1 ? memory.summary
                               : reshape(broadcast_to(unsqueeze(memory.summary, 1),
                                                      {batch, beams, memory.summary.shape(1)}),
                                         {batch * beams, -1});
    entering = moved.context;
  } else if (o.reading == Reading::kBahdanau) {
    const Var& query = o.conditional ? before.h : state.layers.back().h;
    auto read = additive_(beside(query, batch), memory.additive, {}, run);
    const Var found = one_below_the_other(read.context);
    if (memory.reads_ahead) {
      const Index end = found.shape(1), said = end - readout_.bias.shape(0);
      const Index first = said - cells_[0].weights.input_bias.shape(0);
      const Var read_gates = slice(found, 1, first, said);
      if (first > 0) moved.context = slice(found, 1, 0, first);
      more = more ? more + read_gates : read_gates;
      moved.readout = slice(found, 1, said, end);
    } else {
      moved.context = entering = found;
    }
    moved.attended = std::move(read.attended);
  } else if (o.input_feeding) {
    entering = state.fed;
  }
  for (std::size_t l = 0; l < memory.cells.size(); ++l) {
    moved.state.layers.push_back(
        l == 0 ? memory.cells[l](entering, before, more)
               : memory.cells[l](drop(moved.state.layers.back().h, o.state_dropout, run),
                                 state.layers[l]));
  }
  moved.top = moved.state.layers.back().h;
  if (o.reading == Reading::kLuong) {
    auto step = luong_(beside(moved.top, batch), memory.luong, t);
    moved.context = one_below_the_other(step.context);
    moved.state.fed = one_below_the_other(step.state);
    moved.attended = std::move(step.attended);
  }
  return moved;
}

Var RecurrentTranslator::readout(const std::vector<Var>& told, Run& run, const Var& plus) const {
  const RecurrentTranslatorOptions& o = options_;
  Var out = told[0];  // Luong's h~ is one already
  if (o.reading != Reading::kLuong) {
    const Var all = concat(told, -1);
    out = speaks_from_previous() ? maxout(readout_(all, Activation::kNone, plus))
                                 : readout_(all, Activation::kTanh, plus);
  }
  return drop(out, o.output_dropout, run);
}

RecurrentTranslator RecurrentTranslator::prepared() const {
  const NoGrad guard;
  RecurrentTranslator copy = *this;
  copy.word_ = word_.prepared();
  if (can_read_ahead()) {  // what the context adds comes ready
    copy.readout_.weight = slice(readout_.weight, 0, 0, options_.hidden + options_.embedding_dim);
  }
  if (readout_.weight) copy.readout_ = copy.readout_.prepared();
  copy.output_.ready = output().prepared();
  return copy;
}

Var RecurrentTranslator::logits(const TranslationBatch& batch, Run& run, Insight* insight) const {
  return output().logits(readouts(batch, run, insight));
}

Var RecurrentTranslator::loss(const TranslationBatch& batch, Run& run,
                              const CrossEntropy& options) const {
  return output().loss(readouts(batch, run), batch.labels, options);
}

Var RecurrentTranslator::readouts(const TranslationBatch& batch, Run& run, Insight* insight) const {
  const RecurrentTranslatorOptions& o = options_;
  const bool given = insight != nullptr && insight->source;
  auto [memory, state, states] =
      encode(batch.source, given ? insight->source : source_vectors(batch.source.words), run);
  if (insight != nullptr) insight->states = states;
  Insight::Layer cross{
      "cross", 0, {}, o.reading == Reading::kBahdanau ? memory.additive.value : memory.luong.value};
  const Var words = drop(target_(batch.input.words), o.word_dropout, run);
  const Var gates = word_gates(words);  // of all steps at once
  const Index rows = batch.input.words.size();
  std::vector<Var> tops, contexts;
  for (Index t = 0; t < batch.input.time(); ++t) {
    if (speaks_from_previous()) tops.push_back(state.layers.back().h);
    Moved moved = advance(memory, state, select(gates, 1, t), t, run);
    if (o.reading == Reading::kLuong) {
      tops.push_back(moved.state.fed);
    } else {
      if (!speaks_from_previous()) tops.push_back(moved.top);
      contexts.push_back(moved.context);
    }
    if (insight != nullptr) cross.looks.push_back(std::move(moved.attended));
    state = std::move(moved.state);
  }
  if (insight != nullptr && o.reading != Reading::kFixed) {
    insight->layers.push_back(std::move(cross));
  }
  const auto counted = [&](const Var& x) {
    const Var all = reshape(x, {rows, x.shape(-1)});
    return batch.position.size() == rows ? all : embedding(all, batch.position);
  };
  if (o.reading == Reading::kLuong) return readout({counted(stack(tops, 1))}, run);
  return readout({counted(stack(tops, 1)), counted(words), counted(stack(contexts, 1))}, run);
}

class RecurrentDecoding final : public Decoding {
 public:
  RecurrentDecoding(const RecurrentTranslator& model, const Sentences& source,
                    const DecodingOptions& options)
      : model_(model.prepared()), options_(options) {
    const NoGrad guard;
    auto [memory, state, states] = model_.encode(source, model_.source_vectors(source.words), run_);
    memory_ = std::move(memory);
    if (model.can_read_ahead()) model.read_ahead(memory_, options.looks);
    state_ = std::move(state);
    lengths_ = source.lengths;
  }

  DecodingStep step(const Ids& words) override {
    const NoGrad guard;
    const Var word = model_.target_(words);
    const Var previous = state_.layers.back().h;
    auto moved = model_.advance(memory_, state_, model_.word_gates(word), t_++, run_);
    const bool luong = model_.options_.reading == RecurrentTranslator::Reading::kLuong;
    const Var& top = luong ? moved.state.fed : model_.speaks_from_previous() ? previous : moved.top;
    const std::vector<Var> told =
        moved.readout ? std::vector{top, word} : std::vector{top, word, moved.context};
    const Var readout = model_.readout(told, run_, moved.readout);
    DecodingStep result{.next = model_.output().next(readout)};
    if (options_.looks) {
      result.context = moved.context.value();
      if (moved.attended.looked) {
        const auto by_row = [&](const Tensor& x) { return x.reshape({words.size(), -1}); };
        result.looks.push_back(
            {0, 0, by_row(moved.attended.scores()), by_row(moved.attended.weights())});
      }
    }
    state_ = std::move(moved.state);
    return result;
  }

  void reorder(const Ids& rows) override {
    for (RecurrentState& layer : state_.layers) {
      layer.h = rows_of(layer.h.value(), rows);
      if (layer.c) layer.c = rows_of(layer.c.value(), rows);
    }
    if (state_.fed) state_.fed = rows_of(state_.fed.value(), rows);
    if (own_memory()) pick_memory(rows);
  }

  void keep(const Ids& sentences) override {
    if (!own_memory()) pick_memory(sentences);
  }

 private:
  // A window at step t is the same for all rows of a memory, so each beam has its own.
  bool own_memory() const { return model_.options_.luong_view == LuongView::kMonotonic; }

  void pick_memory(const Ids& rows) {
    const auto pick = [&](Var& x) {
      if (x) x = rows_of(x.value(), rows);
    };
    pick(memory_.summary);
    std::vector<Index> lengths;
    for (const std::int32_t r : rows.values()) {
      lengths.push_back(lengths_[static_cast<std::size_t>(r)]);
    }
    lengths_ = lengths;
    pick(memory_.additive.projected);
    pick(memory_.additive.value);
    Tensor& powers = memory_.additive.key_powers;
    if (powers) powers = rows_of(powers, rows);
    memory_.additive.mask = key_lengths(lengths_);
    pick(memory_.luong.projected);
    pick(memory_.luong.value);
    memory_.luong.lengths = lengths_;
  }

  const RecurrentTranslator model_;
  DecodingOptions options_;
  Run run_;
  RecurrentTranslator::Memory memory_;
  RecurrentTranslator::State state_;
  std::vector<Index> lengths_;  // of the memory's rows
  Index t_ = 0;
};

std::unique_ptr<Decoding> RecurrentTranslator::decode(const Sentences& source,
                                                      const DecodingOptions& options) const {
  return std::make_unique<RecurrentDecoding>(*this, source, options);
}

}  // namespace fovea
