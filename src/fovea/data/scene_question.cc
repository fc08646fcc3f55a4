// Questions about scenes. One is only asked where it has one answer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "fovea/data/scene_world.h"

namespace fovea::football {
namespace {

using Maybe = std::optional<SceneQuestion>;

std::string shirt_name(const Player& p) { return kDyeNames[static_cast<std::size_t>(p.shirt)]; }
std::string action_name(const Player& p) {
  return kActionNames[static_cast<std::size_t>(p.action)];
}
std::string place_name(const Scene& scene, const Box& box) {
  return kPlaceNames[static_cast<std::size_t>(place_of(scene, box))];
}

bool only_one(const Scene& scene, const std::function<bool(const Player&)>& fits) {
  return std::count_if(scene.players.begin(), scene.players.end(), fits) == 1;
}
bool shirt_is_unique(const Scene& scene, const Player& player) {
  return only_one(scene, [&](const Player& p) { return p.shirt == player.shirt; });
}
bool action_is_unique(const Scene& scene, const Player& player) {
  return only_one(scene, [&](const Player& p) { return p.action == player.action; });
}

const Player& any_player(const Scene& scene, Random& random) {
  return scene.players[static_cast<std::size_t>(random.below(std::ssize(scene.players)))];
}

// How a player may be named without a doubt: by his shirt, or by what he does.
std::optional<std::string> described(const Scene& scene, const Player& player, Random& random) {
  const bool by_shirt = shirt_is_unique(scene, player), by_action = action_is_unique(scene, player);
  if (!by_shirt && !by_action) return {};
  if (by_shirt && (!by_action || random.below(2) == 0))
    return "the player in " + shirt_name(player);
  return player.action == Action::kKicking ? "the player kicking the ball"
                                           : "the player who is " + action_name(player);
}

Maybe colour_question(const Scene& scene, Random& random) {
  if (random.below(5) == 0) {
    return SceneQuestion{QuestionKind::kColour,
                         "what colour is the ball",
                         kDyeNames[static_cast<std::size_t>(scene.ball_dye)],
                         {scene.ball}};
  }
  const Player& player =
      random.below(2) == 0 ? scene.players[scene.kicker] : any_player(scene, random);
  if (!action_is_unique(scene, player)) return {};
  const std::string who = player.action == Action::kKicking
                              ? "the player kicking the ball"
                              : "the player who is " + action_name(player);
  return SceneQuestion{QuestionKind::kColour,
                       "what colour is the shirt of " + who,
                       shirt_name(player),
                       {player.box}};
}

Maybe action_question(const Scene& scene, Random& random) {
  const Player& player = any_player(scene, random);
  if (!shirt_is_unique(scene, player)) return {};
  return SceneQuestion{QuestionKind::kAction,
                       fmt::format("what is the player in {} doing", shirt_name(player)),
                       action_name(player),
                       {player.box}};
}

Maybe count_question(const Scene& scene, Random& random) {
  std::string text = "how many players are there";
  std::function<bool(const Player&)> counts = [](const Player&) { return true; };
  const Index form = random.below(3);
  // Of somebody in the picture two times of three, so that zero is no good guess.
  const bool seen = random.below(3) != 0;
  if (form == 1) {
    const Dye shirt = seen ? any_player(scene, random).shirt
                           : static_cast<Dye>(random.below(std::ssize(kDyeNames)));
    text = fmt::format("how many players wear {}", kDyeNames[static_cast<std::size_t>(shirt)]);
    counts = [=](const Player& p) { return p.shirt == shirt; };
  } else if (form == 2) {
    const Action action = seen ? any_player(scene, random).action
                               : static_cast<Action>(random.below(std::ssize(kActionNames)));
    text = fmt::format("how many players are {}", kActionNames[static_cast<std::size_t>(action)]);
    counts = [=](const Player& p) { return p.action == action; };
  }
  SceneQuestion question{QuestionKind::kCount, text, "", {}};
  for (const Player& player : scene.players) {
    if (counts(player)) question.boxes.push_back(player.box);
  }
  question.answer = kNumberNames[question.boxes.size()];
  return question;
}

Maybe place_question(const Scene& scene, Random& random) {
  if (random.below(3) == 0) {
    return SceneQuestion{
        QuestionKind::kPlace, "where is the ball", place_name(scene, scene.ball), {scene.ball}};
  }
  const Player& player = any_player(scene, random);
  const auto who = described(scene, player, random);
  if (!who) return {};
  return SceneQuestion{
      QuestionKind::kPlace, "where is " + *who, place_name(scene, player.box), {player.box}};
}

float distance(const Box& a, const Box& b) {
  return std::hypot(a.centre_x() - b.centre_x(), a.centre_y() - b.centre_y());
}

// Pixels of a picture of 64: what lies closer together than a third of a player is hard to tell.
constexpr float kClear = 5;

// The other player whose `rank` is least; nobody if two are nearly alike.
const Player* least(const Scene& scene, const Player& from, float margin,
                    const std::function<std::optional<float>(const Player&)>& rank) {
  const Player* best = nullptr;
  float first = 0, second = INFINITY;
  for (const Player& player : scene.players) {
    if (&player == &from) continue;
    const std::optional<float> r = rank(player);
    if (!r) continue;
    if (best == nullptr || *r < first) {
      if (best != nullptr) second = first;
      best = &player;
      first = *r;
    } else {
      second = std::min(second, *r);
    }
  }
  return best != nullptr && second - first >= margin ? best : nullptr;
}

Maybe relation_question(const Scene& scene, Random& random) {
  const Player& from = any_player(scene, random);
  const auto who = described(scene, from, random);
  if (!who) return {};
  const float clear = kClear * static_cast<float>(scene.size) / 64;
  const Index form = random.below(4);
  const Player* other = nullptr;
  std::string relation;
  if (form == 0) {
    relation = "nearest to";
    other = least(scene, from, clear, [&](const Player& p) -> std::optional<float> {
      return distance(p.box, from.box);
    });
  } else if (form < 3) {
    const float side = form == 1 ? 1.0f : -1.0f;
    relation = form == 1 ? "next on the left of" : "next on the right of";
    other = least(scene, from, clear, [&](const Player& p) -> std::optional<float> {
      const float away = side * (from.box.centre_x() - p.box.centre_x());
      return away > -clear ? std::optional(away) : std::nullopt;
    });
    if (other != nullptr && std::abs(other->box.centre_x() - from.box.centre_x()) < clear)
      return {};
  } else {  // yes or no
    other = &any_player(scene, random);
    if (other == &from) return {};
    const auto whom = described(scene, *other, random);
    if (!whom || *whom == *who) return {};
    const bool left = random.below(2) == 0;
    const float right_of = other->box.centre_x() - from.box.centre_x();
    if (std::abs(right_of) < clear) return {};
    return SceneQuestion{QuestionKind::kRelation,
                         fmt::format("is {} {} of {}", *who, left ? "left" : "right", *whom),
                         left == (right_of > 0) ? "yes" : "no",
                         {from.box, other->box}};
  }
  if (other == nullptr) return {};
  const bool colour = random.below(2) == 0;
  return SceneQuestion{
      QuestionKind::kRelation,
      colour ? fmt::format("what colour is the shirt of the player {} {}", relation, *who)
             : fmt::format("what is the player {} {} doing", relation, *who),
      colour ? shirt_name(*other) : action_name(*other),
      {other->box}};
}

Maybe question_of(const Scene& scene, QuestionKind kind, Random& random) {
  switch (kind) {
    case QuestionKind::kColour:
      return colour_question(scene, random);
    case QuestionKind::kAction:
      return action_question(scene, random);
    case QuestionKind::kCount:
      return count_question(scene, random);
    case QuestionKind::kPlace:
      return place_question(scene, random);
    case QuestionKind::kRelation:
      return relation_question(scene, random);
  }
  return {};
}

}  // namespace

SceneQuestion sample_question(const Scene& scene, QuestionKind kind, Random& random) {
  for (int tries = 0; tries < 64; ++tries) {
    if (Maybe question = question_of(scene, kind, random)) return *question;
  }
  return *question_of(scene, QuestionKind::kCount,
                      random);  // five alike: nothing else can be asked
}

SceneQuestion sample_question(const Scene& scene, Random& random) {
  return sample_question(
      scene, static_cast<QuestionKind>(random.below(std::ssize(kQuestionKindNames))), random);
}

}  // namespace fovea::football
