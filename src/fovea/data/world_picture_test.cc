#include "fovea/data/world_picture.h"

#include <gtest/gtest.h>

#include <set>

#include "fovea/data/scene_world.h"

namespace fovea {
namespace {

TEST(WorldPicture, ShowsWhatItsBoxesName) {
  const auto scene = world_picture("scene:3", 64);
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->image.width, 64);
  EXPECT_EQ(scene->image.channels, 3);
  EXPECT_GE(scene->truth.size(), 3u);
  EXPECT_EQ(scene->truth.back().name, "white ball");
  const auto digit = world_picture("digit:17", 60);
  ASSERT_TRUE(digit);
  EXPECT_EQ(digit->image.height, 60);
  EXPECT_EQ(digit->image.channels, 1);
  ASSERT_EQ(digit->truth.size(), 1u);
  EXPECT_EQ(digit->truth[0].name, "7");
  EXPECT_FLOAT_EQ(digit->truth[0].box.right - digit->truth[0].box.left, 28);
  EXPECT_EQ(world_picture("digit:17", 28)->image.width, 28);
}

TEST(WorldPicture, KnowsWhatCanBeSaidAndAsked) {
  const auto scene = world_picture("scene:3", 64);
  const football::Scene same = football::world_scene(1, Split::kTest, 3, 64);
  EXPECT_TRUE(football::caption_truth(same, scene->about).holds()) << scene->about;
  EXPECT_GE(scene->questions.size(), 12u);
  std::set<std::string> texts;
  for (const WorldQuestion& question : scene->questions) {
    EXPECT_TRUE(texts.insert(question.text).second) << question.text;
    EXPECT_NE(question.answer, "");
  }
  EXPECT_TRUE(texts.contains("how many players are there"));
  EXPECT_EQ(world_picture("digit:17", 60)->about, "7");
}

TEST(WorldPicture, IsTheSameEveryTime) {
  EXPECT_EQ(world_picture("scene:3", 64)->image, world_picture("scene:3", 64)->image);
  EXPECT_NE(world_picture("scene:3", 64)->image, world_picture("scene:4", 64)->image);
}

TEST(WorldPicture, HasNothingUnderOtherNames) {
  for (const char* name :
       {"", "scene", "scene:", "scene:x", "scene:1 ", "scene:-1", "cat:1", "a.png"}) {
    EXPECT_FALSE(world_picture(name, 64)) << name;
  }
}

}  // namespace
}  // namespace fovea
