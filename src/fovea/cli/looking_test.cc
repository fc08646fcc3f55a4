// fovea run and explain with models that look at pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/base/files.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/png.h"
#include "fovea/models/answer_model.h"
#include "fovea/models/class_model.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

class LookingTest : public testing::Test {
 protected:
  LookingTest() {
    ClassModel classifier({.image = {.widths = {4, 8}}, .width = 32, .height = 32}, {"red", "blue"},
                          {.seed = 3});
    save(classifier, classes);
    const std::vector<std::string> questions = {"how many players are there"};
    AnswerModel answerer({.image = {.widths = {4, 8}}, .width = 32, .height = 32, .hops = 2},
                         train_tokenizer(questions, {.pieces = Pieces::kWords}), {"two", "three"},
                         {.seed = 3});
    save(answerer, answers);
    Image image{.width = 20, .height = 10};
    image.pixels.assign(20 * 10 * 3, 90);
    write_file(folder / "grey.png", encode_png(image));
  }

  ScratchFolder folder;
  std::string classes = folder / "classes.safetensors", answers = folder / "answers.safetensors";
  std::string question = "how many players are there";
};

TEST_F(LookingTest, RunSaysALineForEachPicture) {
  const Outcome one = fovea({"run", classes, folder / "grey.png"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, AnyOf("red\n", "blue\n"));
  const Outcome two = fovea({"run", classes, "scene:1", "scene:2"});
  EXPECT_THAT(two.out, StartsWith("scene:1\t"));
  EXPECT_THAT(two.out, HasSubstr("\nscene:2\t"));
  const Outcome asked = fovea({"run", answers, "scene:1", "--json", "--question", question});
  EXPECT_EQ(asked.code, 0) << asked.err;
  const auto json = nlohmann::json::parse(asked.out);
  EXPECT_EQ(json["question"], question);
  EXPECT_EQ(json["choices"].size(), 2u);
}

TEST_F(LookingTest, SaysWhatIsMissing) {
  EXPECT_THAT(fovea({"run", answers, "scene:1"}).err,
              HasSubstr("answers questions about pictures: ask with --question \"...\""));
  EXPECT_THAT(fovea({"run", classes, "scene:1", "--question", "why"}).err,
              HasSubstr("is a model of task 'classify', which takes none"));
  EXPECT_THAT(fovea({"run", classes}).err, HasSubstr("looks at pictures: name some"));
  EXPECT_THAT(fovea({"run", classes, folder / "none.png"}).err, HasSubstr("none.png"));
  EXPECT_THAT(fovea({"explain", classes}).err, HasSubstr("name some, or pass --world N"));
  EXPECT_THAT(fovea({"explain", classes, "scene:1", "--method", "magic"}).err,
              HasSubstr("--method 'magic': not known for this model"));
}

TEST_F(LookingTest, ExplainDrawsOverThePicture) {
  const Outcome plain = fovea({"explain", answers, "scene:1", "--question", question});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("look 2"));
  const Outcome files =
      fovea({"explain", answers, "scene:1", "--question", question, "--svg", folder / "a.svg",
             "--html", folder / "a.html", "--json", folder / "a.json"});
  EXPECT_EQ(files.code, 0) << files.err;
  EXPECT_THAT(read_file(folder / "a.svg"), HasSubstr("what is there"));
  EXPECT_THAT(read_file(folder / "a.html"), HasSubstr("<html"));
  // What was written can be drawn again.
  const Outcome again = fovea({"explain", folder / "a.json", "--svg", folder / "b.svg"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_file(folder / "a.svg"), read_file(folder / "b.svg"));
}

TEST_F(LookingTest, ExplainChecksEveryMethod) {
  const Outcome outcome = fovea({"explain", classes, "--world", "2", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("mean over 2 pictures\n"));
  for (const char* text : {"grad-cam", "occlusion", "deletion_random", "randomised", "pointing"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
}

TEST_F(LookingTest, ExplainsAPlainNetworkByGradCam) {
  const Outcome outcome = fovea({"explain", classes, "scene:1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("grad-cam"));
}

TEST_F(LookingTest, DrawsMapsOfAnySizeWithoutColours) {
  for (const char* method : {"saliency", "grad-cam"}) {  // 32 x 32 cells, and 8 x 8
    const Outcome plain = fovea({"explain", classes, "scene:1", "--method", method});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_THAT(plain.out, HasSubstr("@@"));  // where it is largest
  }
}

TEST_F(LookingTest, ChecksGoIntoFilesToo) {
  const std::string html = folder / "w.html";
  const Outcome checked = fovea(
      {"explain", classes, "--world", "2", "--check", "--method", "saliency", "--html", html});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_FALSE(read_file(folder / "w-2.html").empty());
}

TEST_F(LookingTest, NamesOptionsOfOtherModels) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    return refusal(fovea(arguments), 2);
  };
  EXPECT_THAT(refused({"run", classes, "scene:1", "--beams", "3"}),
              HasSubstr("--beams: only for a model that translates"));
  EXPECT_THAT(refused({"run", classes, answers, "scene:1"}), HasSubstr("give one at a time"));
  EXPECT_THAT(refused({"explain", classes, "scene:1", "--heads"}),
              HasSubstr("--heads: only for a model that translates"));
  EXPECT_THAT(refused({"eval", classes, "--data", "a"}),
              HasSubstr("--data: not for models of task 'classify'"));
  EXPECT_THAT(refused({"eval", answers, "--beams", "2"}),
              HasSubstr("--beams: not for models of task 'answer'"));
  EXPECT_THAT(refused({"eval", answers, "--labels", "a"}),
              HasSubstr("--labels: not for models of task 'answer'"));
  EXPECT_THAT(fovea({"run", classes, "scene:abc"}).err,
              HasSubstr("'scene:abc': pictures of the built-in worlds have numbers, as scene:1\n"));
  const std::string translator = translator_in(folder);
  EXPECT_THAT(refused({"run", translator, "a", "--question", "why"}),
              HasSubstr("--question: for a model that looks at pictures"));
  EXPECT_THAT(refused({"explain", translator, "a", "--svg", "x", "--png", "x"}),
              HasSubstr("x: --svg and --png cannot be the same file; give another name"));
}

}  // namespace
}  // namespace fovea::cli
