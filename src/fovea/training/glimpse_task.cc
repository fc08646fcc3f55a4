#include "fovea/training/glimpse_task.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr std::uint64_t kPictureStream = 0x91C7;

std::uint64_t hash_of(const LabelledImages& data, std::uint64_t hash) {
  const auto bytes = [&](const void* from, Index count) {
    hash = hash_bytes(
        std::string_view(static_cast<const char*>(from), static_cast<std::size_t>(count) * 4),
        hash);
  };
  bytes(data.images.data(), data.images.size());
  bytes(data.labels.values().data(), data.labels.size());
  return hash;
}

void check(const LabelledImages& data, const char* what, const GlimpseReaderOptions& options) {
  if (data.images.rank() != 3 || data.images.shape(0) < 1) {
    fail("glimpse: {} are {}; take [image, height, width], at least one", what,
         data.images.shape().text());
  }
  for (Index i = 0; i < data.labels.size(); ++i) {
    if (data.labels[i] < 0 || data.labels[i] >= options.classes) {
      fail("glimpse: {}: label {} of image {} is none of {} classes", what, data.labels[i], i,
           options.classes);
    }
  }
}

Buckets buckets_of(Index images, const GlimpseTaskOptions& o) {
  if (o.batch < 1) fail("glimpse: batches of {} images; take at least 1", o.batch);
  const std::vector<Index> lengths(static_cast<std::size_t>(images), 1);
  return Buckets(lengths, {.size = o.batch, .seed = o.seed});
}

std::string text_of(const GlimpseTaskOptions& o) {
  const Warp& w = o.warp;
  const std::string placing =
      o.placing ? fmt::format("placed in {} with {} pieces of {}", o.placing->size,
                              o.placing->pieces, o.placing->piece)
                : "as they are";
  return fmt::format("{} images, {}, shift {} turn {} zoom {}, reward {}, entropy {}, seed {}",
                     o.batch, placing, w.shift, w.turn, w.zoom, name_of(o.loss.reward),
                     o.loss.entropy_bonus, o.seed);
}

}  // namespace

GlimpseTask::GlimpseTask(GlimpseModel& model, LabelledImages train, LabelledImages valid,
                         const GlimpseTaskOptions& options)
    : ModelTask(model),
      train_(std::move(train)),
      valid_{std::move(valid), options.placing, options.seed},
      options_(options),
      buckets_(buckets_of(train_.images.shape(0), options)) {
  check(train_, "images to learn from", model.net.options());
  check(valid_.images, "images to validate with", model.net.options());
  if (options.placing) pictures(0);  // what does not fit is better known now
  const std::uint64_t hash = hash_of(valid_.images, hash_of(train_, kHashStart));
  data_fingerprint_ = fmt::format("{} images, {:016x}", train_.images.shape(0), hash);
}

LabelledImages GlimpseTask::pictures(Index batch) const {
  const std::vector<Index> chosen = buckets_.batch(batch);
  const auto count = static_cast<Index>(chosen.size());
  const Index height = train_.images.shape(1), width = train_.images.shape(2);
  const Random random =
      Random{.seed = options_.seed}.split(kPictureStream).split(static_cast<std::uint64_t>(batch));
  std::vector<std::int32_t> labels;
  for (const Index i : chosen) labels.push_back(train_.labels[i]);
  Tensor images({count, height, width});
  const auto each = [&](const auto& use) {
    parallel_for(count, 8, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) use(i);
    });
  };
  each([&](Index i) {
    const float* from = train_.images.data() + chosen[static_cast<std::size_t>(i)] * height * width;
    float* to = images.data() + i * height * width;
    Random own = random.split(static_cast<std::uint64_t>(2 * i));
    if (options_.warp) {
      warp(from, height, width, options_.warp, own, to);
    } else {
      std::copy_n(from, height * width, to);
    }
  });
  if (!options_.placing) return {images, Ids(labels)};
  const Index size = options_.placing->size;
  Tensor placed({count, size, size});
  each([&](Index i) {  // pieces come from others of the batch
    Random own = random.split(static_cast<std::uint64_t>(2 * i + 1));
    const Tensor picture = place_digit(images, i, *options_.placing, own).image;
    std::copy_n(picture.data(), size * size, placed.data() + i * size * size);
  });
  return {placed, Ids(labels)};
}

Loss GlimpseTask::step(Index batch, Run& run) {
  const LabelledImages shown = pictures(batch);
  const Shape& shape = shown.images.shape();
  const GlimpseReading reading =
      model_.net.read(shown.images.reshape({shape[0], 1, shape[1], shape[2]}), run);
  const GlimpseLoss loss = glimpse_loss(reading, shown.labels, options_.loss);
  backward(loss.total);
  const auto count = static_cast<double>(shape[0]);
  Loss found{loss.cross_entropy, count, {{"reward", loss.reward}}};
  if (!reading.places.empty())
    found.figures.emplace_back("spread", spread_of(reading.places) * count);
  if (reading.entropy)
    found.figures.emplace_back("entropy",
                               static_cast<double>(reading.entropy.value().item()) * count);
  return found;
}

Grade GlimpseTask::validate(const std::atomic<bool>*) {
  const double right = 100 - examine(model_.net, valid_).error();
  return {right, "right", fmt::format("{:.2f} %", right)};
}

std::map<std::string, std::string> GlimpseTask::identity() const {
  return {{"model", model_.options_text()},
          {"data", data_fingerprint_},
          {"pictures", text_of(options_)}};
}

}  // namespace fovea
