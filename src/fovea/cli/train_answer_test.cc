// fovea train answer and classify, and fovea eval of what they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/png.h"
#include "fovea/models/answerer_test_tools.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class AskedTest : public testing::Test {
 protected:
  // A moment of training of something tiny.
  Outcome trained(const std::string& task, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"train",  task,      "--out",     out(),      "--steps",
                                          "4",      "--batch", "4",         "--widths", "4,8",
                                          "--size", "32",      "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fovea(arguments);
  }
  std::string out() const { return folder / "m.safetensors"; }

  // Pictures and a line about each.
  std::string pictures(const std::string& texts) {
    std::string lines;
    for (int i = 0; i < 30; ++i) {
      const std::string name = std::to_string(i) + ".png";
      folder.write(name, encode_png(some_picture(static_cast<std::uint64_t>(i), 20, 10)));
      lines += name + "\t" + texts + (i % 2 == 0 ? "yes" : "no") + "\n";
    }
    return folder.write("texts.tsv", lines);
  }

  ScratchFolder folder;
};

TEST_F(AskedTest, AnswersAreLearntAndGradedByKind) {
  const Outcome training = trained("answer", {"--ask", "3", "--hidden", "16"});
  ASSERT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr(" words, 22 answers; pictures of 32 x 32\n"));
  const Outcome graded = fovea({"eval", out(), "--count", "8", "--split", "test"});
  ASSERT_EQ(graded.code, 0) << graded.err;
  EXPECT_THAT(graded.out,
              HasSubstr("40 questions about 8 pictures of the built-in scenes (test, seed 1)\n\n" +
                        out() + ": attention\n  right = "));
  EXPECT_THAT(graded.out, HasSubstr("\n  pointing = "));
  EXPECT_THAT(graded.out, HasSubstr("\nkind      questions "));
  EXPECT_THAT(graded.out, HasSubstr("\nrelation "));
  const auto json = nlohmann::json::parse(fovea({"eval", out(), "--count", "8", "--json"}).out);
  EXPECT_EQ(json["questions"], 40);
  EXPECT_EQ(json["pointed_by_hop"].size(), 3u);
  EXPECT_TRUE(json["by_kind"].contains("relation"));
}

TEST_F(AskedTest, WithoutAttentionThereIsNoPointing) {
  ASSERT_EQ(trained("answer", {"--attention", "none", "--reader", "self"}).code, 0);
  const Outcome graded = fovea({"eval", out(), "--count", "2"});
  EXPECT_THAT(graded.out, HasSubstr(": mean\n  right = "));
  EXPECT_THAT(graded.out, HasSubstr("\n  no pointing: this model does not attend\n"));
}

TEST_F(AskedTest, AnswersAreLearntFromFiles) {
  const std::string texts = pictures("is it\t");
  const Outcome training =
      trained("answer", {"--images", folder / ".", "--questions", texts, "--held-out", "0.3"});
  ASSERT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr(" 2 answers; pictures of 32 x 32\n"));
  const Outcome graded = fovea({"eval", out(), "--images", folder / ".", "--questions", texts});
  ASSERT_EQ(graded.code, 0) << graded.err;
  EXPECT_THAT(graded.out, HasSubstr("30 questions about 30 pictures of " + texts + "\n"));
}

TEST_F(AskedTest, ClassesAreLearntAndGradCamIsGraded) {
  const Outcome training = trained("classify", {"--self-attention"});
  ASSERT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr(" 6 classes; pictures of 32 x 32\n"));
  const Outcome graded = fovea({"eval", out(), "--count", "8", "--threads", "1"});
  ASSERT_EQ(graded.code, 0) << graded.err;
  EXPECT_THAT(graded.out, HasSubstr(" s (1 thread)\n"));
  EXPECT_THAT(graded.out, HasSubstr("8 pictures of the built-in scenes (valid, seed 1)\n\n" +
                                    out() + ": self-attention\n  right = "));
  EXPECT_THAT(graded.out, HasSubstr("; with shuffled weights "));
  EXPECT_THAT(graded.out, HasSubstr("\nclass   pictures "));
  const auto json = nlohmann::json::parse(fovea({"eval", out(), "--count", "8", "--json"}).out);
  EXPECT_EQ(json["pictures"], 8);
  EXPECT_TRUE(json.contains("pointed_shuffled"));
}

TEST_F(AskedTest, ClassesAreLearntFromFiles) {
  const std::string texts = pictures("");
  const Outcome training =
      trained("classify", {"--images", folder / ".", "--labels", texts, "--held-out", "0.3",
                           "--mirror", "--shift", "1", "--brightness", "0.1"});
  ASSERT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(training.err, HasSubstr("plain: "));
  const Outcome graded = fovea({"eval", out(), "--images", folder / ".", "--labels", texts});
  EXPECT_THAT(graded.out, HasSubstr("30 pictures of " + texts + "\n"));
  EXPECT_THAT(graded.out, testing::Not(HasSubstr("pointing")));
}

TEST_F(AskedTest, SaysWhatCannotBeMeant) {
  EXPECT_EQ(refusal(trained("answer", {"--images", "x"}), 2),
            "fovea train answer: --images and --questions belong together; try fovea train answer "
            "--help\n");
  EXPECT_EQ(refusal(trained("classify", {"--labels", "x"}), 2),
            "fovea train classify: --images and --labels belong together; try fovea train classify "
            "--help\n");
  EXPECT_THAT(refusal(trained("answer", {"--attention", "hard"}), 2), HasSubstr("--attention"));
  EXPECT_THAT(refusal(fovea({"train", "answer", "--widths", "8,x"}), 2),
              HasSubstr("'8,x' is no list of up to 6 sizes"));
  EXPECT_EQ(
      refusal(fovea({"train", "answer", "--size", "32", "--widths", "8,8,8,8,8,8", "--out", out()}),
              1),
      "fovea train answer: pictures of 32 x 32 cannot be halved 6 times; take larger ones or "
      "fewer halvings\n");
  EXPECT_FALSE(std::filesystem::exists(out() + ".checkpoint"));
  const std::string texts = pictures("what is on the left\t");
  EXPECT_EQ(refusal(trained("answer", {"--images", folder / ".", "--questions", texts, "--mirror",
                                       "--held-out", "0.3"}),
                    1),
            "fovea train answer: " + texts +
                ": --mirror would make 'what is on the left' wrong, which tells left from right; "
                "leave it out\n");
  ASSERT_EQ(trained("classify", {}).code, 0);
  EXPECT_EQ(refusal(fovea({"eval", out(), out()}), 2),
            "fovea eval: models that look at pictures are graded one at a time; try fovea eval "
            "--help\n");
}

}  // namespace
}  // namespace fovea::cli
