#include "fovea/data/world_picture.h"

#include <charconv>
#include <cmath>
#include <set>

#include "fovea/data/digit_world.h"
#include "fovea/data/scene_world.h"

namespace fovea {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr Index kPieces = 4;
constexpr std::uint64_t kTexts = 7;  // the stream of captions and questions
constexpr int kDraws = 400;          // of questions: enough that hardly one is left out

WorldPicture scene_picture(std::uint64_t i, Index size) {
  using namespace football;
  const Scene scene = world_scene(kSeed, Split::kTest, i, size);
  WorldPicture picture{draw(scene, scene_random(kSeed, Split::kTest, i))};
  for (const Player& player : scene.players) {
    picture.truth.push_back(
        {fmt::format("{}, {}", kDyeNames[static_cast<std::size_t>(player.shirt)],
                     kActionNames[static_cast<std::size_t>(player.action)]),
         player.box});
  }
  picture.truth.push_back(
      {fmt::format("{} ball", kDyeNames[static_cast<std::size_t>(scene.ball_dye)]), scene.ball});
  picture.subject = scene.players[scene.kicker].box;
  Random random = scene_random(kSeed, Split::kTest, i).split(kTexts);
  picture.about = sample_caption(scene, random).text();
  std::set<std::string> asked;
  for (int k = 0; k < kDraws; ++k) {
    const auto kind = static_cast<QuestionKind>(k % std::ssize(kQuestionKindNames));
    const SceneQuestion question = sample_question(scene, kind, random);
    if (!asked.insert(question.text).second) continue;
    picture.questions.push_back({question.text, question.answer, question.boxes});
  }
  return picture;
}

WorldPicture digit_picture(std::uint64_t i, Index size) {
  Random random = Random{.seed = kSeed}.split(i);
  const auto digit = static_cast<Index>(i % 10);
  std::vector<Image> drawn = {draw_digit(digit, random)};
  const Index pieces = size >= 60 ? kPieces : 0;
  for (Index k = 1; k <= pieces; ++k) drawn.push_back(draw_digit((digit + k) % 10, random));
  const Tensor images =
      image_tensor(drawn).reshape({std::ssize(drawn), drawn[0].height, drawn[0].width});
  const PlacedDigit placed =
      place_digit(images, 0, {.size = std::max(size, kDigitSize), .pieces = pieces}, random);
  WorldPicture picture{
      {.width = placed.image.shape(1), .height = placed.image.shape(0), .channels = 1}};
  for (const float x : placed.image.packed().flat()) {
    picture.image.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * x)));
  }
  picture.about = std::to_string(digit);
  picture.truth.push_back({picture.about, placed.box});
  picture.subject = placed.box;
  return picture;
}

}  // namespace

std::optional<WorldPicture> world_picture(std::string_view name, Index size) {
  const std::size_t colon = name.find(':');
  if (colon == name.npos) return {};
  std::uint64_t i = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + colon + 1, end, i);
  if (read.ec != std::errc() || read.ptr != end) return {};
  const std::string_view world = name.substr(0, colon);
  if (world == "scene") return scene_picture(i, size);
  if (world == "digit") return digit_picture(i, size);
  return {};
}

std::string plain_question(std::string_view question) {
  std::string plain;
  for (const char c : question) {
    if (c == '?' || c == '.') continue;
    const bool space = c == ' ' && (plain.empty() || plain.back() == ' ');
    if (!space) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

const WorldQuestion* known_question(const WorldPicture& picture, std::string_view asked) {
  const std::string plain = plain_question(asked);
  for (const WorldQuestion& known : picture.questions) {
    if (known.text == plain) return &known;
  }
  return nullptr;
}

std::vector<Box> boxes_about(const WorldPicture& picture, std::string_view question) {
  if (question.empty()) return {picture.subject};
  const WorldQuestion* known = known_question(picture, question);
  return known == nullptr ? std::vector<Box>() : known->boxes;
}

}  // namespace fovea
