#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fovea/base/hash.h"
#include "fovea/base/parallel.h"
#include "fovea/base/shuffle.h"
#include "fovea/training/asked_pictures.h"
#include "fovea/training/buckets.h"

namespace fovea {
namespace {

// What is asked about each picture.
std::vector<std::vector<AskedQuestion>> by_picture(const QuestionedPictures& all) {
  std::vector<std::vector<AskedQuestion>> questions(all.images.size());
  for (const PictureQuestion& q : all.questions) {
    questions[static_cast<std::size_t>(q.picture)].push_back({q.text, q.answer, "", {}});
  }
  return questions;
}

class Files final : public AskedPictures {
 public:
  Files(AskedFiles files, const AskedBatches& batches)
      : files_(std::move(files)),
        batches_(batches),
        train_(by_picture(files_.train)),
        held_out_(by_picture(files_.held_out)) {
    if (!train_.empty()) {
      order_.emplace(std::vector<Index>(train_.size(), 1),
                     Buckets::Options{.size = batches.pictures, .seed = batches.seed});
    }
    std::uint64_t hash = kHashStart;
    for (const QuestionedPictures* part : {&files_.train, &files_.held_out}) {
      for (const Image& image : part->images) {
        hash = hash_bytes({reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size()},
                          hash);
      }
      for (const PictureQuestion& q : part->questions) {
        hash = hash_bytes(q.text + '\t' + q.answer + '\n', hash);
      }
    }
    const AugmentOptions& a = files_.augment;
    fingerprint_ = fmt::format("{} pictures, {:016x}, batches of {} and {}, seed {}, {} {} {}",
                               files_.train.images.size(), hash, batches_.pictures,
                               batches_.questions, batches_.seed, a.mirror, a.shift, a.brightness);
  }

  std::vector<AskedPicture> batch(Index number) const override {
    const std::vector<Index> which = order_->batch(number);
    std::vector<AskedPicture> pictures(which.size());
    const Random of_batch =
        Random{.seed = batches_.seed}.split(0xA5CEDu).split(static_cast<std::uint64_t>(number));
    parallel_for(std::ssize(which), 1, [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) {
        Random random = of_batch.split(static_cast<std::uint64_t>(i));
        const auto at = static_cast<std::size_t>(which[static_cast<std::size_t>(i)]);
        pictures[static_cast<std::size_t>(i)] = {
            augmented(files_.train.images[at], files_.augment, random), some(train_[at], random)};
      }
    });
    return pictures;
  }

  std::vector<AskedPicture> held_out(Index begin, Index end) const override {
    std::vector<AskedPicture> pictures;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      pictures.push_back({files_.held_out.images[i], held_out_[i]});
    }
    return pictures;
  }
  Index held_out_count() const override { return std::ssize(held_out_); }

  std::vector<AskedQuestion> texts() const override {
    std::vector<AskedQuestion> all;
    for (const auto& questions : train_) all.insert(all.end(), questions.begin(), questions.end());
    return all;
  }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  // As many as a batch asks, drawn without putting back.
  std::vector<AskedQuestion> some(std::vector<AskedQuestion> all, Random& random) const {
    const auto wanted = static_cast<std::size_t>(batches_.questions);
    draw_first(std::span(all), batches_.questions, random);
    if (all.size() > wanted) all.resize(wanted);
    return all;
  }

  AskedFiles files_;
  AskedBatches batches_;
  std::vector<std::vector<AskedQuestion>> train_, held_out_;
  std::optional<Buckets> order_;  // none where there is nothing to learn from
  std::string fingerprint_;
};

}  // namespace

std::unique_ptr<AskedPictures> asked_files(AskedFiles files, const AskedBatches& batches) {
  return std::make_unique<Files>(std::move(files), batches);
}

QuestionedPictures questioned(LabelledPictures pictures) {
  QuestionedPictures result;
  static_cast<Pictures&>(result) = std::move(static_cast<Pictures&>(pictures));
  for (Index i = 0; i < pictures.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(pictures.labels[i]);
    result.questions.push_back({i, "", pictures.classes[label]});
  }
  return result;
}

}  // namespace fovea
