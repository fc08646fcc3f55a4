#include "fovea/models/answer_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/io/reader_test_tools.h"
#include "fovea/models/answerer_test_tools.h"
#include "fovea/models/model_file.h"

namespace fovea {
namespace {

TEST(AnswerModel, SaysTheSameAfterItWasWrittenAndRead) {
  const ScratchFolder folder;
  AnswerModel model = small_answer_model();
  model.training["step"] = "7";
  save(model, folder / "m.safetensors");
  const auto read = load_image_model(folder / "m.safetensors");
  EXPECT_EQ(read->task(), "answer");
  EXPECT_EQ(read->kind(), "attention");
  EXPECT_TRUE(read->asks());
  EXPECT_EQ(read->classes(), (std::vector<std::string>{"red", "left", "two"}));
  EXPECT_EQ(read->training.at("step"), "7");
  const std::vector<Image> images = {some_picture(1), some_picture(2)};
  const auto before = model.say(images, "Where is the ball?"),
             after = read->say(images, "Where is the ball?");
  ASSERT_EQ(after.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(before[i].text, after[i].text);
    ASSERT_EQ(after[i].choices.size(), 3u);
    EXPECT_EQ(before[i].choices[0].probability, after[i].choices[0].probability);
  }
}

TEST(AnswerModel, ItsTraceIsWhatPagesDraw) {
  const AnswerModel model = small_answer_model();
  const Trace trace = model.trace(some_picture(), "What colour is the ball?");
  EXPECT_EQ(trace.task, "answer");
  EXPECT_EQ(trace.labels("question").size(), 6u);  // with the mark
  EXPECT_EQ(trace.labels("regions").size(), 12u);
  ASSERT_EQ(trace.labels("target").size(), 1u);
  EXPECT_EQ(trace.labels("target")[0].text, trace.output);
  ASSERT_EQ(trace.heads.size(), 2u);
  EXPECT_EQ(trace.heads[1].layer, 1);
  EXPECT_EQ(trace.heads[1].keys, "regions");
  EXPECT_EQ(trace.heads[1].weights.shape(), Shape({1, 12}));
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_EQ(trace.steps[0].choices.size(), 3u);
  ASSERT_TRUE(trace.image);
  EXPECT_EQ(trace.image->width, 16);
  EXPECT_TRUE(small_answer_model(false).trace(some_picture(), "where").heads.empty());
}

TEST(AnswerModel, ShowsItsGridToThoseWhoExplainIt) {
  const AnswerModel model = small_answer_model();
  const Image image = some_picture();
  const Var pixels = Var::parameter(image_tensor(std::span(&image, 1)));
  const ImageModel::Seen seen = model.see(pixels, "where is the ball");
  EXPECT_EQ(seen.logits.shape(), Shape({1, 3}));
  EXPECT_EQ(seen.grid.shape(), Shape({1, 6, 3, 4}));
  EXPECT_TRUE(seen.grid.needs_grad());
}

TEST(AnswerModel, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder / "m.safetensors";
  AnswerModel small = small_answer_model();
  save(small, path);
  SavedModel saved = read_model(path, "answer");
  saved.parts["answers"] = "red\nleft\n";
  write_model(path, saved);
  const auto text_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(text_of([&] { load_answer_model(path); }),
              testing::EndsWith("words and 3 answers, but 18 and 2 are listed; is it damaged?"));
  const Image image = some_picture();
  EXPECT_EQ(text_of([&] { small_answer_model().say(std::span(&image, 1), "  "); }),
            "answer: the question has no words");
}

}  // namespace
}  // namespace fovea
