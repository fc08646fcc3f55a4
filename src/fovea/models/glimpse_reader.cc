#include "fovea/models/glimpse_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "fovea/base/error.h"

namespace fovea {
namespace {

constexpr float kMostStride = 4;  // pixels between filters of a window that sees all it can
// Adam steps at full rate however noisy a reward is. A chooser that learnt as fast as all else
// would be driven to the edges of the picture, where tanh holds it, before it has seen anything: it
// reads its inputs this much smaller, with weights that begin as much larger.
constexpr float kPaceOfChoosing = 0.1f;
constexpr float kShareOfEarlier =
    0.3f;  // of cross-entropy: so that beliefs on the way mean something
constexpr float kLeastLikelihood = -4;  // so that one picture in a batch does not drown the others
constexpr float kReachAtFirst = 0.1f;   // of places: they begin close to the middle

void slow_down(Linear& layer, float reach = 1) {
  for (float& w : layer.weight.mutable_value().flat()) w *= reach / kPaceOfChoosing;
}

// Close to the identity (Le et al. 2015): what the first glimpse showed is still there at the last.
void keep_what_was_seen(Linear& core) {
  Tensor w = core.weight.mutable_value();
  const Index size = w.shape(0);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      w.data()[i * size + j] = (i == j ? 1.0f : 0.0f) + w.data()[i * size + j] / 2;
    }
  }
}

bool learns_by_reward(Looking looking) {
  return looking == Looking::kPlaces || looking == Looking::kHard;
}

Index whole_numbers(const GlimpseReaderOptions& o) { return o.channels * o.height * o.width; }

Tensor random_places(Index batch, Random& random) {
  Tensor places({batch, 2});
  for (float& p : places.flat()) p = random.uniform(-1, 1);
  return places;
}

std::vector<float> rewards_of(const Var& logits, const Ids& labels, Reward kind) {
  std::vector<float> rewards;
  if (kind == Reward::kLikelihood) {
    const Tensor log_p = pick(log_softmax(logits), labels).value().packed();
    for (const float p : log_p.flat()) rewards.push_back(std::max(p, kLeastLikelihood));
    return rewards;
  }
  const Ids guess = argmax(logits.value());
  for (Index i = 0; i < labels.size(); ++i) rewards.push_back(guess[i] == labels[i] ? 1.0f : 0.0f);
  return rewards;
}

Index choices_of(const GlimpseReaderOptions& o) {
  switch (o.looking) {
    case Looking::kPlaces:
      return 2;
    case Looking::kHard:
    case Looking::kSoft:
      return o.tiles * o.tiles;
    case Looking::kGaussian:
      return 4;  // x, y, stride, sigma
    case Looking::kRandom:
    case Looking::kWhole:
      return 0;
  }
  return 0;
}

}  // namespace

struct GlimpseReader::Look {
  Tensor places;          // [batch, 2]
  Var patch, place;       // what the glimpse network reads
  Var log_probability{};  // [batch]
  Var entropy{};          // one number, a mean over the batch
  Tensor tiles{};         // [batch, tile]
  Tensor sides{};         // [batch], where a patch is not as wide as the retina
};

struct GlimpseReader::Scene {
  Var images;         // [batch, channel, height, width]
  Var tiles{};        // [batch, tile, number]: what each tile shows, if all are looked at
  Tensor grid{};      // [tile, 2]: their places
  bool draw = false;  // choices are drawn; else the likeliest is taken
};

GlimpseReader::GlimpseReader(const GlimpseReaderOptions& options, Random& random)
    : options_(options), drop_{options.dropout} {
  const GlimpseReaderOptions& o = options_;
  if (o.glimpses < 1)
    fail("glimpse reader: {} glimpses were asked for; take at least 1", o.glimpses);
  const bool whole = o.looking == Looking::kWhole;
  patch_ = Linear(whole ? whole_numbers(o) : o.retina.numbers(o.channels), o.patch_dim, random);
  what_ = Linear(o.patch_dim, o.glimpse_dim, random);
  output_ = Linear(whole ? o.glimpse_dim : o.hidden, o.classes, random);
  if (whole) return;
  place_ = Linear(2, o.place_dim, random);
  where_ = Linear(o.place_dim, o.glimpse_dim, random);
  core_glimpse_ = Linear(o.glimpse_dim, o.hidden, random);
  core_state_ = Linear(o.hidden, o.hidden, random);
  keep_what_was_seen(core_state_);
  if (const Index choices = choices_of(o); choices > 0) {
    chooser_hidden_ = Linear(o.hidden, o.hidden / 2, random);
    chooser_ = Linear(o.hidden / 2, choices, random);
  }
  if (learns_by_reward(o.looking)) {
    slow_down(chooser_hidden_);
    slow_down(chooser_, o.looking == Looking::kPlaces ? kReachAtFirst : 1);
    baseline_ = Linear(o.hidden, 1, random);
  }
}

Tensor GlimpseReader::tile_places() const {
  const Index n = options_.tiles;
  Tensor places({n * n, 2});
  for (Index i = 0; i < n * n; ++i) {
    places.data()[2 * i] = (2 * static_cast<float>(i % n) + 1) / static_cast<float>(n) - 1;
    places.data()[2 * i + 1] = (2 * static_cast<float>(i / n) + 1) / static_cast<float>(n) - 1;
  }
  return places;
}

Var GlimpseReader::see(const Var& patch, const Var& place) const {
  const Var what = what_(patch_(patch, Activation::kRelu));
  return where_(place_(place, Activation::kRelu), Activation::kRelu, what);
}

GlimpseReader::Scene GlimpseReader::scene_of(const Var& images) const {
  Scene scene{images};
  const bool soft = options_.looking == Looking::kSoft;
  if (soft || options_.looking == Looking::kHard) scene.grid = tile_places();
  if (!soft) return scene;
  const Index batch = images.shape(0);
  std::vector<Var> tiles;
  for (Index k = 0; k < scene.grid.shape(0); ++k) {
    Tensor places({batch, 2});
    for (Index b = 0; b < batch; ++b)
      std::copy_n(scene.grid.data() + 2 * k, 2, places.data() + 2 * b);
    tiles.push_back(glimpse(images, places, options_.retina));
  }
  scene.tiles = stack(tiles, 1);
  return scene;
}

GlimpseReader::Look GlimpseReader::look_at(const Scene& scene, const Tensor& places) const {
  return {places, glimpse(scene.images, places, options_.retina), Var(places)};
}

bool GlimpseReader::draws(GlimpseRequest request) const {
  const Looking looking = options_.looking;
  if (looking == Looking::kWhole) return false;
  return looking == Looking::kRandom || !options_.from_centre ||
         (request.draw && learns_by_reward(looking));
}

GlimpseReader::Look GlimpseReader::first_look(const Scene& scene, Run& run) const {
  const Index batch = scene.images.shape(0);
  Look look = look_at(scene, options_.from_centre && options_.looking != Looking::kRandom
                                 ? Tensor::zeros({batch, 2})
                                 : random_places(batch, run.random));
  if (scene.grid) look.tiles = Tensor::zeros({batch, scene.grid.shape(0)});
  return look;
}

GlimpseReader::Look GlimpseReader::look_softly(const Scene& scene, const Var& logits) const {
  const Index batch = scene.images.shape(0), count = scene.grid.shape(0);
  const Var p = softmax(logits);
  const Var patch = reshape(matmul(reshape(p, {batch, 1, count}), scene.tiles), {batch, -1});
  const Var place = matmul(p, Var(scene.grid));
  return {.places = place.value(), .patch = patch, .place = place, .tiles = p.value()};
}

GlimpseReader::Look GlimpseReader::look_through_window(const Scene& scene, const Var& raw) const {
  const Index batch = scene.images.shape(0);
  const auto part = [&](Index i) { return reshape(slice(raw, 1, i, i + 1), {batch}); };
  const Var x = tanh(part(0)), y = tanh(part(1));
  const Var stride = sigmoid(part(2)) * kMostStride + 0.2f,
            sigma = sigmoid(part(3)) * (kMostStride / 2) + 0.3f;
  std::vector<Var> patches;
  for (Index scale = 0; scale < options_.retina.scales; ++scale) {
    const auto wider = static_cast<float>(Index{1} << scale);
    patches.push_back(reshape(
        gaussian_glimpse(scene.images, {x, y, stride * wider, sigma * wider, options_.retina.size}),
        {batch, -1}));
  }
  const Var patch = concat(patches, 1);
  const Var place = stack(std::initializer_list<Var>{x, y}, 1);
  const Var sides = stride * static_cast<float>(options_.retina.size);
  return {.places = place.value(), .patch = patch, .place = place, .sides = sides.value()};
}

GlimpseReader::Look GlimpseReader::look_at_tile(const Scene& scene, const Var& logits,
                                                Run& run) const {
  const Index batch = scene.images.shape(0);
  const Ids tiles =
      scene.draw ? sample_categorical(logits.value(), run.random) : argmax(logits.value());
  Tensor places({batch, 2});
  for (Index b = 0; b < batch; ++b)
    std::copy_n(scene.grid.data() + 2 * tiles[b], 2, places.data() + 2 * b);
  Look look = look_at(scene, places);
  const Var log_p = log_softmax(logits), p = exp(log_p);
  look.log_probability = pick(log_p, tiles);
  look.entropy = -mean(sum(p * log_p, 1));
  look.tiles = p.value();
  return look;
}

GlimpseReader::Look GlimpseReader::look_at_place(const Scene& scene, const Var& chosen,
                                                 Run& run) const {
  const float sigma = options_.sigma;
  const Var middle = tanh(chosen);  // [batch, 2]
  Tensor places = middle.value().packed();
  if (scene.draw) {
    places = zip(Binary::kAdd, places, Tensor::normal(places.shape(), 0, sigma, run.random));
  }
  // The density is that of what was drawn; the eye stays within the image.
  const Var away = (Var(places) - middle) / sigma;
  Tensor seen(places.shape());
  std::transform(places.flat().begin(), places.flat().end(), seen.flat().begin(),
                 [](float p) { return std::clamp(p, -1.0f, 1.0f); });
  Look look = look_at(scene, seen);
  look.log_probability = sum(square(away) * -0.5f, 1);
  const float entropy = 1 + std::log(2 * std::numbers::pi_v<float>) + 2 * std::log(sigma);
  look.entropy = Var(Tensor::scalar(entropy));
  return look;
}

GlimpseReader::Look GlimpseReader::next_look(const Scene& scene, const Var& state, Run& run) const {
  if (options_.looking == Looking::kRandom)
    return look_at(scene, random_places(scene.images.shape(0), run.random));
  // What is drawn learns by reward alone: its loss must not reshape the state.
  const bool rewarded = learns_by_reward(options_.looking);
  const float pace = rewarded ? kPaceOfChoosing : 1;
  // The state's size says how much was seen, not where to look, and it grows with each glimpse.
  const Index hidden = options_.hidden;
  const Var known = layer_norm(rewarded ? state.detach() : state, Tensor::full({hidden}, pace),
                               Tensor::zeros({hidden}));
  const Var chosen = chooser_(chooser_hidden_(known, Activation::kTanh) * pace);
  switch (options_.looking) {
    case Looking::kSoft:
      return look_softly(scene, chosen);
    case Looking::kGaussian:
      return look_through_window(scene, chosen);
    case Looking::kHard:
      return look_at_tile(scene, chosen, run);
    default:
      return look_at_place(scene, chosen, run);
  }
}

GlimpseReading GlimpseReader::read_whole(const Var& images, Run& run,
                                         GlimpseRequest request) const {
  const GlimpseReaderOptions& o = options_;
  const Shape& shape = images.shape();
  if (shape[2] != o.height || shape[3] != o.width) {
    fail(
        "glimpse reader: images of {} x {}, but this one reads {} x {} at once; only glimpses "
        "read other sizes",
        shape[3], shape[2], o.width, o.height);
  }
  const Var hidden = patch_(reshape(images, {shape[0], -1}), Activation::kRelu);
  GlimpseReading reading;
  reading.logits = output_(drop_(what_(drop_(hidden, run), Activation::kRelu), run));
  if (request.beliefs) reading.beliefs.push_back(softmax(reading.logits).value());
  return reading;
}

GlimpseReading GlimpseReader::read(const Var& images, Run& run, GlimpseRequest request) const {
  const GlimpseReaderOptions& o = options_;
  const Shape& shape = images.shape();
  if (shape.rank() != 4 || shape[1] != o.channels) {
    fail("glimpse reader: images {}; take [batch, {}, height, width]", shape.text(), o.channels);
  }
  if (o.looking == Looking::kWhole) return read_whole(images, run, request);
  return prepared().read_in_glimpses(images, run, request);
}

GlimpseReader GlimpseReader::prepared() const {
  GlimpseReader copy = *this;
  copy.visit([](const char*, Linear& layer) {
    if (layer.weight) layer = layer.prepared();
  });
  return copy;
}

GlimpseReading GlimpseReader::read_in_glimpses(const Var& images, Run& run,
                                               GlimpseRequest request) const {
  const GlimpseReaderOptions& o = options_;
  const Index batch = images.shape(0);
  Scene scene = scene_of(images);
  scene.draw = run.training || request.draw;
  GlimpseReading reading;
  Var state;
  std::vector<Var> states, log_probabilities, entropies;  // states: all but the last
  for (Index t = 0; t < o.glimpses; ++t) {
    const Look look = t == 0 ? first_look(scene, run) : next_look(scene, state, run);
    if (look.log_probability) {
      log_probabilities.push_back(look.log_probability);
      entropies.push_back(look.entropy);
    }
    reading.places.push_back(look.places);
    const Var seen = drop_(see(look.patch, look.place), run);
    state = core_glimpse_(seen, Activation::kRelu, state ? core_state_(state) : Var());
    if (t + 1 < o.glimpses) states.push_back(state);
    if (!request.beliefs) continue;
    reading.beliefs.push_back(softmax(output_(state)).value());
    if (look.tiles) reading.tiles.push_back(look.tiles);
    reading.sides.push_back(look.sides ? look.sides
                                       : Tensor::full({batch}, static_cast<float>(o.retina.size)));
  }
  reading.logits = output_(drop_(state, run));
  if (states.empty()) return reading;
  const Var all = concat(states, 0);
  if (run.training) reading.earlier = output_(all);
  if (!log_probabilities.empty()) {
    reading.log_probability = stack(log_probabilities, 1);
    reading.baseline = transpose(reshape(baseline_(all.detach()), {-1, batch}), 0, 1);
    reading.entropy = mean(stack(entropies, 0));
  }
  return reading;
}

GlimpseLoss glimpse_loss(const GlimpseReading& reading, const Ids& labels,
                         const GlimpseLossOptions& options) {
  GlimpseLoss loss;
  loss.total = cross_entropy(reading.logits, labels, {.mean = false});
  loss.cross_entropy = loss.total.value().item();
  if (reading.earlier) {
    const Index glimpses = reading.earlier.shape(0) / labels.size();
    std::vector<std::int32_t> repeated;
    for (Index t = 0; t < glimpses; ++t) {
      repeated.insert(repeated.end(), labels.values().begin(), labels.values().end());
    }
    loss.total = loss.total + cross_entropy(reading.earlier, Ids(repeated), {.mean = false}) *
                                  (kShareOfEarlier / static_cast<float>(glimpses));
  }
  const std::vector<float> rewards = rewards_of(reading.logits.detach(), labels, options.reward);
  loss.reward = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  if (!reading.log_probability) return loss;
  Tensor reward(reading.log_probability.shape());
  const Index choices = reward.shape(1);
  for (Index i = 0; i < reward.size(); ++i)
    reward.data()[i] = rewards[static_cast<std::size_t>(i / choices)];
  loss.total = loss.total -
               score_function(reading.log_probability, reward, reading.baseline.value()) +
               sum(square(reading.baseline - Var(reward)));
  if (options.entropy_bonus != 0) {
    loss.total =
        loss.total - reading.entropy * (options.entropy_bonus * static_cast<float>(labels.size()));
  }
  return loss;
}

double spread_of(const std::vector<Tensor>& places) {
  double total = 0;
  for (const Tensor& each : places) {
    const Tensor p = each.packed();
    const Index batch = p.shape(0);
    for (Index axis = 0; axis < 2; ++axis) {
      double sum = 0, squares = 0;
      for (Index b = 0; b < batch; ++b) {
        const double x = p.data()[2 * b + axis];
        sum += x;
        squares += x * x;
      }
      const double mean = sum / static_cast<double>(batch);
      total += std::sqrt(std::max(0.0, squares / static_cast<double>(batch) - mean * mean));
    }
  }
  return places.empty() ? 0 : total / (2 * static_cast<double>(places.size()));
}

}  // namespace fovea
