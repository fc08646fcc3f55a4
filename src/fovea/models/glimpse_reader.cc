#include "fovea/models/glimpse_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/error.h"

namespace fovea {
namespace {

constexpr float kMostStride = 4;  // pixels between filters of a window that sees all it can

Index whole_numbers(const GlimpseReaderOptions& o) { return o.channels * o.height * o.width; }

Tensor random_places(Index batch, Random& random) {
  Tensor places({batch, 2});
  for (float& p : places.flat()) p = random.uniform(-1, 1);
  return places;
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
};

GlimpseReader::GlimpseReader(const GlimpseReaderOptions& options, Random& random)
    : options_(options) {
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
  if (const Index choices = choices_of(o); choices > 0) {
    chooser_hidden_ = Linear(o.hidden, o.hidden / 2, random);
    chooser_ = Linear(o.hidden / 2, choices, random);
  }
  if (o.looking == Looking::kPlaces || o.looking == Looking::kHard)
    baseline_ = Linear(o.hidden, 1, random);
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
  return relu(what_(patch_(patch, Activation::kRelu)) + where_(place_(place, Activation::kRelu)));
}

GlimpseReader::Look GlimpseReader::look_at(const Tensor& images, const Tensor& places) const {
  return {places, Var(glimpse(images, places, options_.retina)), Var(places)};
}

GlimpseReader::Look GlimpseReader::first_look(const Tensor& images, Run& run) const {
  const Index batch = images.shape(0);
  return look_at(images, options_.from_centre && options_.looking != Looking::kRandom
                             ? Tensor::zeros({batch, 2})
                             : random_places(batch, run.random));
}

GlimpseReader::Look GlimpseReader::look_softly(const Tensor& images, const Var& logits) const {
  const Tensor tiles = tile_places();
  const Index batch = images.shape(0), count = tiles.shape(0),
              numbers = options_.retina.numbers(options_.channels);
  Tensor patches({batch, count, numbers});
  for (Index k = 0; k < count; ++k) {
    Tensor places({batch, 2});
    for (Index b = 0; b < batch; ++b) std::copy_n(tiles.data() + 2 * k, 2, places.data() + 2 * b);
    Tensor there = patches.slice(1, k, k + 1);
    copy_into(glimpse(images, places, options_.retina).reshape({batch, 1, numbers}), there);
  }
  const Var p = softmax(logits);
  const Var patch = reshape(matmul(reshape(p, {batch, 1, count}), Var(patches)), {batch, numbers});
  const Var place = matmul(p, Var(tiles));
  return {place.value(), patch, place};
}

GlimpseReader::Look GlimpseReader::look_through_window(const Tensor& images, const Var& raw) const {
  const Index batch = images.shape(0);
  const auto part = [&](Index i) { return reshape(slice(raw, 1, i, i + 1), {batch}); };
  const Var x = tanh(part(0)), y = tanh(part(1));
  const Var stride = sigmoid(part(2)) * kMostStride + 0.2f,
            sigma = sigmoid(part(3)) * (kMostStride / 2) + 0.3f;
  std::vector<Var> patches;
  for (Index scale = 0; scale < options_.retina.scales; ++scale) {
    const auto wider = static_cast<float>(Index{1} << scale);
    patches.push_back(reshape(
        gaussian_glimpse(Var(images), {x, y, stride * wider, sigma * wider, options_.retina.size}),
        {batch, -1}));
  }
  const Var patch = concat(patches, 1);
  const Var place = stack(std::initializer_list<Var>{x, y}, 1);
  return {place.value(), patch, place};
}

GlimpseReader::Look GlimpseReader::next_look(const Tensor& images, const Var& state,
                                             Run& run) const {
  const Index batch = images.shape(0);
  const bool follows = options_.looking == Looking::kSoft || options_.looking == Looking::kGaussian;
  if (options_.looking == Looking::kRandom)
    return look_at(images, random_places(batch, run.random));
  // What is drawn learns by reward alone: its loss must not reshape the state.
  const Var chosen = chooser_(chooser_hidden_(follows ? state : state.detach(), Activation::kRelu));
  if (options_.looking == Looking::kSoft) return look_softly(images, chosen);
  if (options_.looking == Looking::kGaussian) return look_through_window(images, chosen);
  if (options_.looking == Looking::kHard) {
    const Ids tiles =
        run.training ? sample_categorical(chosen.value(), run.random) : argmax(chosen.value());
    const Tensor grid = tile_places();
    Tensor places({batch, 2});
    for (Index b = 0; b < batch; ++b)
      std::copy_n(grid.data() + 2 * tiles[b], 2, places.data() + 2 * b);
    Look look = look_at(images, places);
    const Var log_p = log_softmax(chosen);
    look.log_probability = pick(log_p, tiles);
    look.entropy = -mean(sum(exp(log_p) * log_p, 1));
    return look;
  }
  const Var middle = tanh(chosen);  // [batch, 2]
  Tensor places = middle.value().packed();
  if (run.training) {
    Tensor drawn({batch, 2});
    for (Index i = 0; i < 2 * batch; ++i) {
      drawn.data()[i] = places.data()[i] + options_.sigma * run.random.normal();
    }
    places = drawn;
  }
  // The density is that of what was drawn; the eye stays within the image.
  const Var away = (Var(places) - middle) / options_.sigma;
  Tensor seen(places.shape());
  std::transform(places.flat().begin(), places.flat().end(), seen.flat().begin(),
                 [](float p) { return std::clamp(p, -1.0f, 1.0f); });
  Look look = look_at(images, seen);
  look.log_probability = sum(square(away) * -0.5f, 1);
  const float entropy = 1 + std::log(2 * std::numbers::pi_v<float>) + 2 * std::log(options_.sigma);
  look.entropy = Var(Tensor::scalar(entropy));
  return look;
}

GlimpseReading GlimpseReader::read(const Tensor& images, Run& run, bool beliefs) const {
  const GlimpseReaderOptions& o = options_;
  const Shape& shape = images.shape();
  if (shape.rank() != 4 || shape[1] != o.channels) {
    fail("glimpse reader: images {}; take [batch, {}, height, width]", shape.text(), o.channels);
  }
  GlimpseReading reading;
  if (o.looking == Looking::kWhole) {
    if (shape[2] != o.height || shape[3] != o.width) {
      fail(
          "glimpse reader: images of {} x {}, but this one reads {} x {} at once; only glimpses "
          "read other sizes",
          shape[3], shape[2], o.width, o.height);
    }
    const Var hidden = patch_(Var(images.reshape({shape[0], -1})), Activation::kRelu);
    reading.logits = output_(what_(hidden, Activation::kRelu));
    if (beliefs) reading.beliefs.push_back(softmax(reading.logits).value());
    return reading;
  }
  Var state;
  std::vector<Var> log_probabilities, baselines, entropies;
  for (Index t = 0; t < o.glimpses; ++t) {
    const Look look = t == 0 ? first_look(images, run) : next_look(images, state, run);
    if (look.log_probability) {
      log_probabilities.push_back(look.log_probability);
      baselines.push_back(reshape(baseline_(state.detach()), {shape[0]}));
      entropies.push_back(look.entropy);
    }
    reading.places.push_back(look.places);
    const Var input = core_glimpse_(see(look.patch, look.place));
    state = relu(state ? input + core_state_(state) : input);
    if (beliefs) reading.beliefs.push_back(softmax(output_(state)).value());
  }
  reading.logits = output_(state);
  if (!log_probabilities.empty()) {
    reading.log_probability = stack(log_probabilities, 1);
    reading.baseline = stack(baselines, 1);
    reading.entropy = mean(stack(entropies, 0));
  }
  return reading;
}

GlimpseLoss glimpse_loss(const GlimpseReading& reading, const Ids& labels, float entropy_bonus) {
  GlimpseLoss loss;
  loss.total = cross_entropy(reading.logits, labels, {.mean = false});
  loss.cross_entropy = loss.total.value().item();
  const Ids guess = argmax(reading.logits.value());
  for (Index i = 0; i < labels.size(); ++i) loss.reward += guess[i] == labels[i] ? 1 : 0;
  if (!reading.log_probability) return loss;
  Tensor reward(reading.log_probability.shape());
  const Index choices = reward.shape(1);
  for (Index i = 0; i < reward.size(); ++i) {
    reward.data()[i] = guess[i / choices] == labels[i / choices] ? 1.0f : 0.0f;
  }
  loss.total = loss.total -
               score_function(reading.log_probability, reward, reading.baseline.value()) +
               sum(square(reading.baseline - Var(reward)));
  if (entropy_bonus != 0) {
    loss.total = loss.total - reading.entropy * (entropy_bonus * static_cast<float>(labels.size()));
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
