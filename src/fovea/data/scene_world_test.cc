#include "fovea/data/scene_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace fovea::football {
namespace {

Scene scene_at(Index i) { return world_scene(1, Split::kTrain, static_cast<std::uint64_t>(i)); }
Random texts_of(Index i) {
  return scene_random(1, Split::kTrain, static_cast<std::uint64_t>(i)).split(2);
}

TEST(SceneWorld, PlayersStandInThePictureAndNobodyCoversAnother) {
  for (Index i = 0; i < 500; ++i) {
    const Scene scene = scene_at(i);
    ASSERT_GE(scene.players.size(), 2u);
    ASSERT_LE(scene.players.size(), 5u);
    Index kicking = 0;
    for (std::size_t a = 0; a < scene.players.size(); ++a) {
      const Box& box = scene.players[a].box;
      EXPECT_TRUE(box.left >= 0 && box.right <= 64 && box.top >= 0 && box.bottom <= 64);
      EXPECT_EQ(scene.players[a].action == Action::kKicking, a == scene.kicker);
      kicking += scene.players[a].action == Action::kKicking ? 1 : 0;
      for (std::size_t b = 0; b < a; ++b) {
        const Box& other = scene.players[b].box;
        EXPECT_TRUE(box.right <= other.left || other.right <= box.left || box.bottom <= other.top ||
                    other.bottom <= box.top);
      }
    }
    EXPECT_EQ(kicking, 1);
  }
}

TEST(SceneWorld, ShirtsAreSeenWhereTheirPlayersStand) {
  for (Index i = 0; i < 50; ++i) {
    const Scene scene = world_scene(1, Split::kTrain, static_cast<std::uint64_t>(i), 128);
    const Image image = draw(scene, texts_of(i));
    for (const Player& player : scene.players) {
      if (player.shirt != Dye::kRed) continue;
      Index red = 0;
      for (auto y = static_cast<Index>(player.box.top); y < static_cast<Index>(player.box.bottom);
           ++y) {
        for (auto x = static_cast<Index>(player.box.left); x < static_cast<Index>(player.box.right);
             ++x) {
          const std::uint8_t* p = image.pixels.data() + (y * 128 + x) * 3;
          red += p[0] > 180 && p[1] < 70 && p[2] < 80 ? 1 : 0;
        }
      }
      EXPECT_GT(red, 40) << i;
    }
  }
}

TEST(SceneWorld, SameNumbersSamePictureOtherNumbersAnother) {
  EXPECT_EQ(draw(scene_at(3), texts_of(3)), draw(scene_at(3), texts_of(3)));
  EXPECT_NE(draw(scene_at(3), texts_of(3)), draw(scene_at(4), texts_of(3)));
  const Scene valid = world_scene(1, Split::kValid, 3);
  EXPECT_NE(draw(valid, texts_of(3)), draw(scene_at(3), texts_of(3)));
}

TEST(SceneWorld, CaptionsAreTrueAndTheReaderNoticesWhatIsNot) {
  std::set<std::string> texts;
  Index refuted = 0;
  for (Index i = 0; i < 2000; ++i) {
    const Scene scene = scene_at(i);
    Random random = texts_of(i);
    const std::string caption = sample_caption(scene, random).text();
    texts.insert(caption);
    EXPECT_TRUE(caption_truth(scene, caption).holds()) << caption;
    refuted += caption_truth(scene_at(i + 2000), caption).holds() ? 0 : 1;
  }
  EXPECT_GT(texts.size(), 900u);
  EXPECT_GT(refuted, 1800);
  const Scene scene = scene_at(0);
  for (const char* broken : {"", "a player", "a player in red kicks .", "there are players .",
                             "a player in red kicks the ball .", "a player in pink runs .",
                             "a player in red runs . and"}) {
    EXPECT_FALSE(caption_truth(scene, broken).holds()) << broken;
  }
}

TEST(SceneWorld, WordsOfACaptionPointAtWhatTheyAreAbout) {
  for (Index i = 0; i < 200; ++i) {
    const Scene scene = scene_at(i);
    Random random = texts_of(i);
    for (const GroundedWord& word : sample_caption(scene, random).words) {
      if (word.text == "ball") {
        ASSERT_EQ(word.boxes.size(), 1u);
        EXPECT_EQ(word.boxes[0].left, scene.ball.left);
      }
      EXPECT_EQ(word.boxes.empty(), word.text == "a" || word.text == "in" || word.text == "on" ||
                                        word.text == "the" || word.text == "and" ||
                                        word.text == "." || word.text == "there" ||
                                        word.text == "are")
          << word.text;
    }
  }
}

TEST(SceneWorld, GroundsEveryWordThatIsSoAndNoOther) {
  for (Index i = 0; i < 200; ++i) {
    const Scene scene = scene_at(i);
    Random random = texts_of(i);
    const SceneCaption caption = sample_caption(scene, random);
    const SceneCaption found = grounded(scene, caption.text());
    ASSERT_EQ(found.words.size(), caption.words.size());
    for (std::size_t w = 0; w < found.words.size(); ++w) {
      EXPECT_EQ(found.words[w].text, caption.words[w].text);
      EXPECT_EQ(found.words[w].boxes.empty(), caption.words[w].boxes.empty());
      for (const Box& box : caption.words[w].boxes) {
        EXPECT_TRUE(
            std::any_of(found.words[w].boxes.begin(), found.words[w].boxes.end(),
                        [&](const Box& b) { return b.left == box.left && b.top == box.top; }))
            << caption.text() << ": " << caption.words[w].text;
      }
    }
  }
  const Scene scene = scene_at(0);
  const std::string number = kNumberNames[scene.players.size()];
  const auto boxes = [&](const std::string& text) {
    std::vector<std::size_t> counts;
    for (const GroundedWord& word : grounded(scene, text).words)
      counts.push_back(word.boxes.size());
    return counts;
  };
  const std::size_t all = scene.players.size();
  EXPECT_EQ(boxes("there are zero players ."), (std::vector<std::size_t>{0, 0, 0, 0, 0}));
  EXPECT_EQ(boxes("there are " + number + " players"), (std::vector<std::size_t>{0, 0, all, all}));
  EXPECT_EQ(boxes("a player in pink"), (std::vector<std::size_t>{0, 0, 0, 0}));
}

TEST(SceneWorld, EveryKindIsAskedAndNoAnswerIsAGoodGuess) {
  std::map<std::string, std::map<std::string, int>> answers;  // by kind
  std::map<std::string, int> asked;
  for (Index i = 0; i < 4000; ++i) {
    const Scene scene = scene_at(i);
    Random random = texts_of(i);
    const SceneQuestion question = sample_question(scene, random);
    const std::string kind = kQuestionKindNames[static_cast<std::size_t>(question.kind)];
    ++answers[kind][question.answer];
    ++asked[kind];
    EXPECT_EQ(question.boxes.empty(), question.answer == "zero") << question.text;
  }
  for (const char* kind : kQuestionKindNames) {
    EXPECT_GT(asked[kind], 600) << kind;
    for (const auto& [answer, count] : answers[kind]) {
      EXPECT_LT(count, asked[kind] * 6 / 10) << kind << ": " << answer;
    }
  }
}

TEST(SceneWorld, AColourQuestionIsAnsweredByItsBox) {
  for (Index i = 0; i < 300; ++i) {
    const Scene scene = scene_at(i);
    Random random = texts_of(i);
    const SceneQuestion question = sample_question(scene, QuestionKind::kColour, random);
    if (question.kind != QuestionKind::kColour) continue;
    if (question.text == "what colour is the ball") {
      EXPECT_EQ(question.boxes[0].left, scene.ball.left);
      EXPECT_EQ(question.answer, kDyeNames[static_cast<std::size_t>(scene.ball_dye)]);
      continue;
    }
    Index found = 0;
    for (const Player& player : scene.players) {
      if (player.box.left != question.boxes[0].left) continue;
      ++found;
      EXPECT_EQ(question.answer, kDyeNames[static_cast<std::size_t>(player.shirt)]);
    }
    EXPECT_EQ(found, 1);
  }
}

}  // namespace
}  // namespace fovea::football
