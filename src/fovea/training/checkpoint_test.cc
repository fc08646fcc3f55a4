#include "fovea/training/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/files.h"
#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

Checkpoint example() {
  return {.state = {.step = 12,
                    .seconds = 0.1 + 0.2,
                    .skipped = 5,
                    .skipped_in_a_row = 2,
                    .validated_at = 10,
                    .without_progress = 3,
                    .best = Grade{.value = 1 / 3.0, .name = "BLEU", .text = "33 é"},
                    .best_step = 8,
                    .reported_at = 9,
                    .loss_sum = 1e-300,
                    .loss_count = 64,
                    .step_seconds = 0.7,
                    .gradient_norm = 1.1,
                    .figures = {{"reward", 1 / 7.0}, {"entropy", -2}}},
          .options = {{"seed", "1"}, {"data", "\"quoted\"\n"}},
          .tensors = {{"model.a", Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})},
                      {"optimizer.steps", Tensor::full({1}, 12)}},
          .log = {{.step = 5,
                   .seconds = 1,
                   .loss = std::nan(""),
                   .rate = 0.1,
                   .figures = {{"reward", 0.5}}},
                  {.step = 10, .seconds = 2, .score = Grade{.value = 0.5, .name = "BLEU"}}}};
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  write_checkpoint(folder / "c", example());
  const auto found = read_checkpoint(folder / "c");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->note, "");
  const TrainState& state = found->checkpoint.state;
  EXPECT_EQ(state.step, 12);
  EXPECT_EQ(state.seconds, 0.1 + 0.2);
  EXPECT_EQ(state.skipped, 5);
  EXPECT_EQ(state.skipped_in_a_row, 2);
  EXPECT_EQ(state.validated_at, 10);
  EXPECT_EQ(state.without_progress, 3);
  EXPECT_EQ(state.best_step, 8);
  EXPECT_EQ(state.reported_at, 9);
  EXPECT_EQ(state.loss_sum, 1e-300);
  EXPECT_EQ(state.loss_count, 64);
  EXPECT_EQ(state.step_seconds, 0.7);
  EXPECT_EQ(state.gradient_norm, 1.1);
  EXPECT_EQ(state.figures, example().state.figures);
  ASSERT_TRUE(state.best);
  EXPECT_EQ(state.best->value, 1 / 3.0);
  EXPECT_EQ(state.best->text, "33 é");
  EXPECT_EQ(found->checkpoint.options, example().options);
  EXPECT_EQ(found->checkpoint.tensors.at("model.a").values(),
            example().tensors.at("model.a").values());
  EXPECT_EQ(log_text(found->checkpoint.log), log_text(example().log));
  EXPECT_TRUE(std::isnan(found->checkpoint.log[0].loss));
}

TEST(Checkpoint, OfTheSameStateHasTheSameBytes) {
  const ScratchFolder folder;
  write_checkpoint(folder / "a", example());
  write_checkpoint(folder / "b", example());
  EXPECT_EQ(folder.read("a"), folder.read("b"));
}

TEST(Checkpoint, WithAnyByteChangedOrMissingIsNoticed) {
  const ScratchFolder folder;
  write_checkpoint(folder / "c", example());
  const std::string bytes = folder.read("c");
  const auto parse = [](const std::string& text) {
    parse_checkpoint(parse_safetensors(text, "c"), "c");
  };
  expect_every_truncation_refused(bytes, parse);
  std::size_t unnoticed = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] ^= 4;
    unnoticed += error_of([&] { parse(changed); }).empty() ? 1 : 0;
  }
  EXPECT_EQ(unnoticed, 0u);  // the header's padding takes nothing but spaces
}

TEST(Checkpoint, HasAChecksumOfShapesToo) {
  const Tensor x = Tensor::zeros({2, 3});
  EXPECT_NE(checkpoint_checksum({.tensors = {{"x", x}}}),
            checkpoint_checksum({.tensors = {{"x", x.reshape({3, 2})}}}));
}

TEST(Checkpoint, SaysWhatIsWrongWithIt) {
  ModelFile file;
  const auto error = [&] { return error_of([&] { parse_checkpoint(file, "c"); }); };
  EXPECT_EQ(error(), "c: is no checkpoint: it has no 'checksum'");
  file.metadata = {{"format", "fovea checkpoint 9"}, {"checksum", "12345678"}};
  const std::string right = checkpoint_checksum(file);
  EXPECT_EQ(error(), "c: is damaged: its checksum is " + right + ", '12345678' was expected");
  file.metadata["checksum"] = right;
  EXPECT_EQ(error(), "c: is a 'fovea checkpoint 9', this program reads 'fovea checkpoint 1'");
  file.metadata = {{"format", "fovea checkpoint 1"},
                   {"state", "{}"},
                   {"options", "{}"},
                   {"log", "{\"step\":1}\n"}};
  file.metadata["checksum"] = checkpoint_checksum(file);
  EXPECT_EQ(error(), "c:1: this is no line of a training log");
  file.metadata["log"] = "";
  file.metadata["checksum"] = checkpoint_checksum(file);
  EXPECT_EQ(error(), "c: is damaged: its state cannot be understood");
}

TEST(Checkpoint, LeavesTheOneBeforeItBesideIt) {
  const ScratchFolder folder;
  EXPECT_FALSE(read_checkpoint(folder / "c"));
  Checkpoint checkpoint = example();
  for (const Index step : {1, 2, 3}) {
    checkpoint.state.step = step;
    write_checkpoint(folder / "c", checkpoint);
  }
  EXPECT_EQ(folder.files(), 2);
  EXPECT_EQ(read_checkpoint(folder / "c")->checkpoint.state.step, 3);
  // As a writer leaves it that is killed: the newest is the one before.
  std::filesystem::remove(folder / "c");
  const auto found = read_checkpoint(folder / "c");
  EXPECT_EQ(found->checkpoint.state.step, 2);
  EXPECT_EQ(found->note, "");
  EXPECT_TRUE(checkpoint_exists(folder / "c"));
  remove_checkpoint(folder / "c");
  EXPECT_FALSE(checkpoint_exists(folder / "c"));
}

TEST(Checkpoint, WithoutAWholeOneFails) {
  const ScratchFolder folder;
  folder.write("c", "x");
  folder.write("c.previous", "y");
  const std::string error = error_of([&] { read_checkpoint(folder / "c"); });
  EXPECT_TRUE(error.starts_with(folder / "c: ")) << error;
  EXPECT_NE(error.find("; " + folder / "c.previous: "), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("; no checkpoint can be used, pass --restart to begin anew"));
}

TEST(Checkpoint, ThatCannotBeWrittenLeavesTheOldOneWhereItWas) {
  const ScratchFolder folder;
  write_checkpoint(folder / "c", example());
  const std::string before = folder.read("c");
  Checkpoint large = example();
  large.tensors.emplace("model.b", Tensor::zeros({100'000}));
  {
    const FullDisk full(100'000);
    EXPECT_NE(error_of([&] { write_checkpoint(folder / "c", large); }), "");
  }
  EXPECT_EQ(folder.read("c"), before);
  EXPECT_EQ(folder.files(), 1);
}

TEST(Difference, NamesWhatDiffers) {
  EXPECT_EQ(difference("seed", "1", "2"), "seed was '1' and is '2'");
  EXPECT_EQ(difference("seed", "1", ""), "seed was '1' and is not given");
  EXPECT_EQ(difference("model", R"({"kind":"gru","dim":3,"gone":1})", R"({"kind":"gru","dim":4})"),
            "model.dim was '3' and is '4', model.gone was '1' and is not given");
}

TEST(Difference, AnOptionThatCameLaterMakesNoneUnlessItIsUsed) {
  const std::string older = R"({"kind":"gru"})";
  EXPECT_EQ(difference("model", older, R"({"kind":"gru","shortcut":false})"), "");
  EXPECT_EQ(difference("model", older, R"({"kind":"gru","shortcut":true})"),
            "model.shortcut was not given and is 'true'");
}

}  // namespace
}  // namespace fovea
