// The built-in world of pictures: little football players on a field, one of them kicking the ball.
// All that a picture shows is known, so that captions, answers and where a model looked can be
// graded.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/split.h"
#include "fovea/io/image.h"

namespace fovea::football {

enum class Dye { kRed, kBlue, kYellow, kWhite, kBlack, kOrange };  // of shirts and balls
enum class Action { kKicking, kRunning, kJumping, kStanding, kWaving };
enum class Place { kLeft, kMiddle, kRight };  // thirds of the picture

constexpr std::array<const char*, 6> kDyeNames = {"red",   "blue",  "yellow",
                                                  "white", "black", "orange"};
constexpr std::array<const char*, 5> kActionNames = {"kicking", "running", "jumping", "standing",
                                                     "waving"};
constexpr std::array<const char*, 3> kPlaceNames = {"left", "middle", "right"};

// As words, up to as many players as there can be.
constexpr std::array<const char*, 6> kNumberNames = {"zero", "one", "two", "three", "four", "five"};

struct Player {
  Dye shirt{};
  Action action{};
  bool faces_left = false;
  float x = 0, y = 0;  // of the feet, as shares of the picture
  Box box{};           // in pixels
};

struct Scene {
  Index size = 64;  // pixels each way
  std::vector<Player> players{};
  std::size_t kicker = 0;
  Box ball{};
  Dye ball_dye{};
};

// Two to five players who do not cover each other.
Scene sample_scene(Random& random, Index size = 64);
Image draw(const Scene& scene, Random random);  // `random`: grain and shade
Place place_of(const Scene& scene, const Box& box);

// A word of a text with the boxes it is about; none for words like "the".
struct GroundedWord {
  std::string text{};
  std::vector<Box> boxes{};
};

struct SceneCaption {
  std::vector<GroundedWord> words{};
  std::string text() const;
};
SceneCaption sample_caption(const Scene& scene, Random& random);

// What a caption states and how much of it is so. A caption that cannot be read counts as one
// statement that is not true.
struct CaptionTruth {
  Index statements = 0, true_ones = 0;
  bool holds() const { return statements > 0 && statements == true_ones; }
};
CaptionTruth caption_truth(const Scene& scene, std::string_view caption);

// Any caption's words with the boxes they are about: those of all players of whom its statement is
// so. None where it is not, nor from where on it cannot be read.
SceneCaption grounded(const Scene& scene, std::string_view caption);

enum class QuestionKind { kColour, kAction, kCount, kPlace, kRelation };
constexpr std::array<const char*, 5> kQuestionKindNames = {"colour", "action", "count", "place",
                                                           "relation"};

struct SceneQuestion {
  QuestionKind kind{};
  std::string text{}, answer{};
  std::vector<Box> boxes{};  // where the answer is to be seen
};
SceneQuestion sample_question(const Scene& scene, Random& random);
SceneQuestion sample_question(const Scene& scene, QuestionKind kind, Random& random);

// Scene i of a split, a function of its arguments alone.
Scene world_scene(std::uint64_t seed, Split split, std::uint64_t i, Index size = 64);
Random scene_random(std::uint64_t seed, Split split, std::uint64_t i);  // for its texts and grain

}  // namespace fovea::football
