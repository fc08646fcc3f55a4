#include "fovea/models/answerer.h"

#include <algorithm>
#include <map>

#include "fovea/attention/position.h"
#include "fovea/base/error.h"
#include "fovea/data/tokenizer.h"

namespace fovea {

Questions questions_of(std::span<const std::vector<std::int32_t>> questions) {
  std::size_t longest = 1;
  for (const auto& words : questions) longest = std::max(longest, words.size());
  std::vector<std::int32_t> padded;
  std::vector<Index> lengths;
  for (const auto& words : questions) {
    if (words.empty()) fail("answer: question {} has no words", lengths.size() + 1);
    padded.insert(padded.end(), words.begin(), words.end());
    padded.insert(padded.end(), longest - words.size(), kPadId);
    lengths.push_back(static_cast<Index>(words.size()));
  }
  return {Ids({static_cast<Index>(questions.size()), static_cast<Index>(longest)}, padded),
          lengths};
}

namespace {

// Places weigh more than they would by themselves: scores that follow them are learnt sooner.
constexpr float kPlaceScale = 4;

// [image, dim, rows, columns] -> [image, region, dim + kPlaceFeatures]
Var placed_regions(const Var& grid) {
  const Index rows = grid.shape(2), columns = grid.shape(3);
  const Tensor places = map(Unary::kMultiply, place_features(rows, columns), kPlaceScale);
  const Shape shape{grid.shape(0), rows * columns, kPlaceFeatures};
  return concat({regions_of(grid), Var(places.unsqueeze(0).broadcast_to(shape))}, 2);
}

// Each question once, and which of them each row asks.
std::pair<Questions, Ids> distinct(const Questions& questions) {
  const Index time = questions.words.shape()[1];
  const std::span<const std::int32_t> words = questions.words.values();
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  std::vector<std::int32_t> kept, which;
  Questions result;
  for (std::size_t row = 0; row < questions.lengths.size(); ++row) {
    const auto begin = words.begin() + static_cast<Index>(row) * time;
    std::vector<std::int32_t> text(begin, begin + time);
    const auto [found, is_new] = known.emplace(text, static_cast<std::int32_t>(known.size()));
    which.push_back(found->second);
    if (!is_new) continue;
    kept.insert(kept.end(), text.begin(), text.end());
    result.lengths.push_back(questions.lengths[row]);
  }
  result.words = Ids({std::ssize(result.lengths), time}, std::move(kept));
  return {std::move(result), Ids(std::move(which))};
}

}  // namespace

Answerer::Answerer(const AnswererOptions& o, Random& random)
    : options_(o), encoder_(o.image, random), words_(o.words, o.word_dim, random) {
  encoder_.grid_of(o.width, o.height);
  if (o.hops < 1) fail("answerer: {} hops were asked for; take at least 1", o.hops);
  Index read_dim = 2 * o.reader_dim;
  if (o.reader == QuestionReader::kGru) {
    recurrent_ =
        RecurrentStack({.in = o.word_dim, .hidden = o.reader_dim, .both_directions = true}, random);
  } else {
    const BlockOptions block{
        .model_dim = o.word_dim, .heads = o.heads, .inner_dim = 2 * o.word_dim};
    for (Index l = 0; l < o.layers; ++l) blocks_.emplace_back(block, random);
    read_dim = o.word_dim;
  }
  question_ = Linear(read_dim, o.hidden, random);
  const Index dim = encoder_.dim() + kPlaceFeatures;
  for (Index t = 0; t < o.hops; ++t) {
    Hop& hop = hops_.emplace_back();
    if (o.attends) {
      hop.attention = AdditiveAttention(
          {.query_dim = o.hidden, .key_dim = dim, .dim = o.attention_dim}, random);
    }
    hop.inner = Linear(o.hidden + dim, 2 * o.hidden, random);
    hop.outer = Linear(2 * o.hidden, o.hidden, random);
    hop.norm = LayerNorm(o.hidden);
  }
  hidden_ = Linear(o.hidden, 2 * o.hidden, random);
  output_ = Linear(2 * o.hidden, o.answers, random);
}

Var Answerer::read(const Questions& all, Run& run) const {
  const auto [questions, which] = distinct(all);
  Var x = words_(questions.words);
  if (options_.reader == QuestionReader::kGru) {
    const auto last = recurrent_(x, run, questions.lengths).last[0];
    return embedding(question_(concat({last[0].h, last[1].h}, 1)), which);
  }
  x = x + Var(sinusoids(questions.words.shape()[1], options_.word_dim));
  for (const EncoderBlock& block : blocks_) x = block(x, key_lengths(questions.lengths), run);
  return embedding(question_(mean(x, questions.lengths)), which);
}

Answering Answerer::operator()(const Var& images, const Questions& questions, Run& run) const {
  Answering result{.logits = {}, .grid = encoder_(images, run), .looks = {}};
  const Var& grid = result.grid;
  const Var regions = placed_regions(grid);
  const auto rows = static_cast<Index>(questions.lengths.size());
  const Index count = grid.shape(0);
  if (rows == 0 || rows % count != 0) {
    fail("answer: {} questions about {} images; ask each image equally many", rows, count);
  }
  const Index each = rows / count;
  Var known = reshape(read(questions, run), {count, each, -1});
  for (const Hop& hop : hops_) {
    Var glimpse;
    if (options_.attends) {
      auto read = hop.attention(known, hop.attention.prepare(regions));
      glimpse = read.context;
      result.looks.push_back(std::move(read.attended));
    } else {
      glimpse = broadcast_to(mean(regions, 1, true), {count, each, regions.shape(2)});
    }
    known = hop.norm(known + hop.outer(hop.inner(concat({known, glimpse}, 2), Activation::kRelu)));
  }
  result.logits = reshape(output_(hidden_(known, Activation::kRelu)), {rows, -1});
  return result;
}

}  // namespace fovea
