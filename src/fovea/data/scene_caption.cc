// Captions of scenes: sentences that say who does what where, and a reader that tells which are so.
#include <algorithm>
#include <optional>
#include <sstream>

#include "fovea/data/scene_world.h"

namespace fovea::football {
namespace {

// As a verb of a caption; kicking is done to the ball.
constexpr std::array<const char*, 5> kVerbs = {"kicks", "runs", "jumps", "stands", "waves"};

template <class Name, class Enum>
const char* name(const Name& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

class Writer {
 public:
  void plain(const std::string& words) { about({}, words); }
  void about(const std::vector<Box>& boxes, const std::string& words) {
    std::istringstream all(words);
    for (std::string word; all >> word;) caption_.words.push_back({word, boxes});
  }
  SceneCaption caption() { return std::move(caption_); }

 private:
  SceneCaption caption_;
};

// "a player in red on the left kicks the white ball"
void add_clause(const Scene& scene, const Player& player, bool with_place, Writer& to) {
  to.plain("a");
  to.about({player.box}, "player");
  to.plain("in");
  to.about({player.box}, name(kDyeNames, player.shirt));
  if (with_place) {
    to.plain(place_of(scene, player.box) == Place::kMiddle ? "in the" : "on the");
    to.about({player.box}, name(kPlaceNames, place_of(scene, player.box)));
  }
  to.about({player.box}, name(kVerbs, player.action));
  if (player.action != Action::kKicking) return;
  to.plain("the");
  to.about({scene.ball}, name(kDyeNames, scene.ball_dye));
  to.about({scene.ball}, "ball");
}

// Reads what Writer writes.
class Reader {
 public:
  Reader(const Scene& scene, std::string_view caption) : scene_(scene) {
    std::istringstream all{std::string(caption)};
    for (std::string word; all >> word;) words_.push_back({word, {}});
  }

  CaptionTruth read() {
    do {
      if (!(is("there") ? count() : clause())) return {1, 0};
    } while (take("and"));
    if (!take(".") || at_ != words_.size()) return {1, 0};
    return truth_;
  }
  SceneCaption caption() const { return {words_}; }

 private:
  bool is(std::string_view word) const { return at_ < words_.size() && words_[at_].text == word; }
  bool take(std::string_view word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  template <class Names>
  std::optional<std::size_t> one_of(const Names& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (take(names[i])) return i;
    }
    return {};
  }
  // A statement, so of these players; `words` are about them.
  void state(const std::vector<Box>& players, const std::vector<std::size_t>& words) {
    ++truth_.statements;
    truth_.true_ones += players.empty() ? 0 : 1;
    for (const std::size_t at : words) words_[at].boxes = players;
  }

  bool count() {  // there are three players
    take("there");
    if (!take("are")) return false;
    const auto number = one_of(kNumberNames);
    if (!number || !take("players")) return false;
    std::vector<Box> all;
    for (const Player& player : scene_.players) all.push_back(player.box);
    state(all.size() == *number ? all : std::vector<Box>(), {at_ - 2, at_ - 1});
    return true;
  }

  bool clause() {
    if (!take("a") || !take("player") || !take("in")) return false;
    const auto shirt = one_of(kDyeNames);
    if (!shirt) return false;
    std::vector<std::size_t> about = {at_ - 3, at_ - 1};  // player, shirt
    std::optional<std::size_t> place, ball;
    if (take("on") || take("in")) {
      if (!take("the") || !(place = one_of(kPlaceNames))) return false;
      about.push_back(at_ - 1);
    }
    const auto action = one_of(kVerbs);
    if (!action) return false;
    about.push_back(at_ - 1);
    const bool kicks = static_cast<Action>(*action) == Action::kKicking;
    if (kicks && !(take("the") && (ball = one_of(kDyeNames)) && take("ball"))) return false;
    std::vector<Box> players;
    for (const Player& player : scene_.players) {
      const bool fits =
          static_cast<std::size_t>(player.shirt) == *shirt &&
          static_cast<std::size_t>(player.action) == *action &&
          (!place || static_cast<std::size_t>(place_of(scene_, player.box)) == *place) &&
          (!ball || static_cast<std::size_t>(scene_.ball_dye) == *ball);
      if (fits) players.push_back(player.box);
    }
    state(players, about);
    if (kicks && !players.empty()) {
      words_[at_ - 2].boxes = words_[at_ - 1].boxes = {scene_.ball};
    }
    return true;
  }

  const Scene& scene_;
  std::vector<GroundedWord> words_;
  std::size_t at_ = 0;
  CaptionTruth truth_;
};

}  // namespace

std::string SceneCaption::text() const {
  std::string text;
  for (const GroundedWord& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

SceneCaption sample_caption(const Scene& scene, Random& random) {
  Writer writer;
  if (random.below(3) == 0) {
    std::vector<Box> all;
    for (const Player& player : scene.players) all.push_back(player.box);
    writer.plain("there are");
    writer.about(all, kNumberNames[scene.players.size()]);
    writer.about(all, "players");
    writer.plain("and");
  }
  add_clause(scene, scene.players[scene.kicker], random.below(2) == 0, writer);
  if (random.below(3) != 0) {
    auto other = static_cast<std::size_t>(random.below(std::ssize(scene.players) - 1));
    if (other >= scene.kicker) ++other;
    writer.plain("and");
    add_clause(scene, scene.players[other], random.below(2) == 0, writer);
  }
  writer.plain(".");
  return writer.caption();
}

CaptionTruth caption_truth(const Scene& scene, std::string_view caption) {
  return Reader(scene, caption).read();
}

SceneCaption grounded(const Scene& scene, std::string_view caption) {
  Reader reader(scene, caption);
  reader.read();
  return reader.caption();
}

}  // namespace fovea::football
