#include <fmt/format.h>

#include "fovea/base/parallel.h"
#include "fovea/data/scene_world.h"
#include "fovea/training/asked_pictures.h"

namespace fovea {
namespace {

using football::Scene;

constexpr Index kTexts = 2000;  // scenes whose questions are read for words and answers
// Batches that ask for all kinds alike. Relations are learnt last, from what the other kinds have
// taught, and need the most practice: from then on three of four questions are one.
constexpr Index kSimple = 1200;

AskedQuestion asked(const football::SceneQuestion& q) {
  return {q.text, q.answer, football::kQuestionKindNames[static_cast<std::size_t>(q.kind)],
          q.boxes};
}

class Scenes final : public AskedPictures {
 public:
  Scenes(const AskedScenes& scenes, const AskedBatches& batches)
      : scenes_(scenes), batches_(batches) {}

  std::vector<AskedPicture> batch(Index number) const override {
    const Index begin = number * batches_.pictures;
    return drawn(begin, begin + batches_.pictures, Split::kTrain,
                 {batches_.questions, number >= kSimple});
  }
  std::vector<AskedPicture> held_out(Index begin, Index end) const override {
    return drawn(begin, end, scenes_.held_out, {});
  }
  Index held_out_count() const override { return scenes_.held_out_count; }

  std::vector<AskedQuestion> texts() const override {
    std::vector<AskedQuestion> all;
    for (Index i = 0; i < kTexts; ++i) {
      for (AskedQuestion& one : questions(scene(Split::kTrain, i), stream(Split::kTrain, i), {})) {
        all.push_back(std::move(one));
      }
    }
    return all;
  }
  std::string fingerprint() const override {
    return fmt::format("football scenes of {0} x {0}, batches of {1} and {2}, seed {3}",
                       scenes_.size, batches_.pictures, batches_.questions, batches_.seed);
  }

 private:
  Random stream(Split split, Index i) const {
    return football::scene_random(batches_.seed, split, static_cast<std::uint64_t>(i));
  }
  Scene scene(Split split, Index i) const {
    return football::world_scene(batches_.seed, split, static_cast<std::uint64_t>(i), scenes_.size);
  }

  struct Asking {
    Index count = 0;         // 0: one of each kind
    bool relations = false;  // three of four are
  };

  std::vector<AskedQuestion> questions(const Scene& scene, const Random& of_scene,
                                       const Asking& asking) const {
    if (scenes_.what == AskedScenes::What::kKicker) {
      const football::Player& kicker = scene.players[scene.kicker];
      return {{"", football::kDyeNames[static_cast<std::size_t>(kicker.shirt)], "", {kicker.box}}};
    }
    Random random = of_scene.split(3);
    std::vector<AskedQuestion> all;
    for (Index q = 0; q < asking.count; ++q) {
      all.push_back(asked(asking.relations && q % 4 != 0
                              ? sample_question(scene, football::QuestionKind::kRelation, random)
                              : sample_question(scene, random)));
    }
    if (asking.count > 0) return all;
    for (std::size_t kind = 0; kind < football::kQuestionKindNames.size(); ++kind) {
      all.push_back(
          asked(sample_question(scene, static_cast<football::QuestionKind>(kind), random)));
    }
    return all;
  }

  std::vector<AskedPicture> drawn(Index begin, Index end, Split split, const Asking& asking) const {
    std::vector<AskedPicture> pictures(static_cast<std::size_t>(end - begin));
    parallel_for(end - begin, 1, [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) {
        const Scene one = scene(split, begin + i);
        const Random random = stream(split, begin + i);
        pictures[static_cast<std::size_t>(i)] = {draw(one, random.split(2)),
                                                 questions(one, random, asking)};
      }
    });
    return pictures;
  }

  AskedScenes scenes_;
  AskedBatches batches_;
};

}  // namespace

std::unique_ptr<AskedPictures> asked_scenes(const AskedScenes& scenes,
                                            const AskedBatches& batches) {
  return std::make_unique<Scenes>(scenes, batches);
}

}  // namespace fovea
