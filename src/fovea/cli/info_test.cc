// fovea info: tables as text, JSON as values, one line for what cannot be shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/safetensors.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

Outcome info(const std::string& file) { return fovea({"info", file}); }

std::string refusal(const std::string& file) { return cli::refusal(info(file), 1); }

TEST(Info, ShowsAModel) {
  const ScratchFolder folder;
  ModelFile model;
  model.tensors = {{"encoder.weight", Tensor::zeros({512, 1024})},
                   {"encoder.bias", Tensor::zeros({1024})},
                   {"scale", Tensor::scalar(1)}};
  model.metadata = {{"task", "translate"}, {"steps", "2000"}};
  write_safetensors(folder / "m", model);  // known by its content, too
  const Outcome outcome = info(folder / "m");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, folder / "m" +
                             R"(: safetensors file of 2.0 MiB: 3 tensors, 525,313 numbers in 2.0 MiB

metadata
steps     2000
task      translate

tensor          dtype  shape        numbers     size
encoder.bias    F32    [1024]         1,024  4.0 KiB
encoder.weight  F32    [512, 1024]  524,288  2.0 MiB
scale           F32    []                 1      4 B
)");
}

TEST(Info, ShowsArrays) {
  EXPECT_EQ(info("tests/corpus/npy/f8_fortran.npy").out,
            R"(tests/corpus/npy/f8_fortran.npy: npy file of 176 B: 1 array, 6 numbers in 48 B

array      dtype    shape   numbers  size
(no name)  float64  [2, 3]        6  48 B  Fortran order
)");
  EXPECT_EQ(info("tests/corpus/npz/deflated.npz").out,
            R"(tests/corpus/npz/deflated.npz: npz file of 399 B: 2 arrays, 66 numbers in 272 B

array   dtype    shape   numbers   size
weight  float32  [8, 8]       64  256 B  deflated to 73 B
bias    float64  [2]           2   16 B  deflated to 76 B
)");
  EXPECT_EQ(info("tests/corpus/npz/empty.npz").out,
            "tests/corpus/npz/empty.npz: npz file of 22 B: 0 arrays, 0 numbers in 0 B\n");
}

TEST(Info, TellsProgramsTheSame) {
  const Outcome outcome = fovea({"info", "--json", "tests/corpus/safetensors/f32.safetensors"});
  EXPECT_EQ(outcome.code, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["format"], "safetensors");
  EXPECT_EQ(json["file_bytes"], 172);
  EXPECT_EQ(json["numbers"], 3);
  EXPECT_EQ(json["bytes"], 12);
  EXPECT_EQ(json["metadata"]["task"], "translate");
  const nlohmann::json weight = {
      {"name", "a.weight"}, {"dtype", "F32"}, {"shape", {1, 2}}, {"numbers", 2}, {"bytes", 8}};
  EXPECT_EQ(json["tensors"][0], weight);
}

TEST(Info, SendsNothingToTheTerminalButText) {
  const ScratchFolder folder;
  ModelFile model;
  model.tensors = {{"caf\u00e9\x1b[31m\u202e", Tensor::scalar(1)}};
  model.metadata = {{"note", "two\nlines"}, {"long", std::string(119, 'x') + "\u00e9 and more"}};
  write_safetensors(folder / "m.safetensors", model);
  const std::string page = info(folder / "m.safetensors").out;
  EXPECT_THAT(page, HasSubstr("\ncaf\u00e9\\x1b[31m\\xe2\\x80\\xae  F32"));
  EXPECT_THAT(page, HasSubstr("\nnote      two\\nlines\n"));
  EXPECT_THAT(page, HasSubstr("xxx... (130 bytes; --json shows all)\n"));
  const auto json = nlohmann::json::parse(fovea({"info", "--json", folder / "m.safetensors"}).out);
  EXPECT_EQ(json["metadata"]["long"], model.metadata["long"]);
}

TEST(Info, SaysWhatCannotBeShown) {
  const ScratchFolder folder;
  EXPECT_EQ(refusal("/nowhere/x.npy"),
            "fovea info: /nowhere/x.npy: cannot read: No such file or directory\n");
  EXPECT_EQ(refusal(folder.path()),
            "fovea info: " + folder.path() + ": cannot read: it is a folder, a file is needed\n");
  for (const std::string content : {"", "a text", "0123456789abcdef"}) {
    EXPECT_EQ(
        refusal(folder.write("x", content)),
        "fovea info: " + folder / "x" +
            ": is no file of a known format; safetensors, .npy and .npz files can be shown\n");
  }
  EXPECT_EQ(refusal(folder.write("cut.safetensors", "12345")),
            "fovea info: " + folder / "cut.safetensors" +
                ": has 5 bytes, a safetensors file has at least 8\n");
  EXPECT_EQ(refusal(folder.write("text.npy", "this is a text")),
            "fovea info: " + folder / "text.npy" + ": does not start as an .npy file does\n");
}

}  // namespace
}  // namespace fovea::cli
