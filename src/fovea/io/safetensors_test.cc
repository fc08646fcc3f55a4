// Model files: what is written comes back, other programs' files are read, lies are named.
#include "fovea/io/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>  // needs the one above
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <limits>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;

std::string safetensors_of(std::string_view header, std::string_view data) {
  return bytes_of_values(std::uint64_t{header.size()}).append(header).append(data);
}

// A file with one tensor "x".
std::string one_tensor(std::string_view dtype, std::string_view shape, std::string_view data) {
  return safetensors_of(fmt::format(R"({{"x":{{"dtype":"{}","shape":{},"data_offsets":[0,{}]}}}})",
                                    dtype, shape, data.size()),
                        data);
}

Floats read_x(const std::string& file) {
  return parse_safetensors(file, "m").tensors.at("x").values();
}

std::string refused_safetensors(const std::string& file) {
  return error_of([&] { parse_safetensors(file, "m"); });
}
std::string refused_safetensors_header(std::string_view header, std::string_view data = "") {
  return refused_safetensors(safetensors_of(header, data));
}

ModelFile small_model() {
  return {.tensors = {{"b.weight", Tensor({2, 3}, Floats{1, -2, 3, -4, 5, -6})},
                      {"a.bias", Tensor({3}, Floats{0.5f, -0.0f, 1e-40f})},
                      {"nothing", Tensor(Shape{4, 0, 2})},
                      {"step", Tensor::scalar(7)}},
          .metadata = {{"task", "translate"}, {"quote \" and é", "line\nline"}}};
}

TEST(Safetensors, WhatIsWrittenComesBack) {
  const ScratchFolder folder;
  const ModelFile model = small_model();
  write_safetensors(folder / "m", model);
  const ModelFile back = read_safetensors(folder / "m");
  EXPECT_EQ(back.metadata, model.metadata);
  ASSERT_EQ(back.tensors.size(), model.tensors.size());
  for (const auto& [name, tensor] : model.tensors) {
    ASSERT_TRUE(back.tensors.contains(name)) << name;
    EXPECT_EQ(back.tensors.at(name).shape(), tensor.shape()) << name;
    EXPECT_EQ(back.tensors.at(name).values(), tensor.values()) << name;
  }
  EXPECT_TRUE(std::signbit(back.tensors.at("a.bias").values()[1]));
}

TEST(Safetensors, WritesExactlyTheseBytes) {
  const ScratchFolder folder;
  write_safetensors(folder / "m",
                    {.tensors = {{"w", Tensor({1, 2}, Floats{1, -2})}}, .metadata = {{"k", "v"}}});
  EXPECT_EQ(folder.read("m"),
            safetensors_of(R"({"__metadata__":{"k":"v"},)"
                           R"("w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}       )",
                           std::string_view("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8)));
}

TEST(Safetensors, SameContentGivesTheSameBytesAndAlignedData) {
  const ScratchFolder folder;
  write_safetensors(folder / "a", small_model());
  write_safetensors(folder / "b", read_safetensors(folder / "a"));
  EXPECT_EQ(folder.read("a"), folder.read("b"));
  EXPECT_EQ(read_safetensors_header(folder / "a").data_begin % 8, 0);
}

TEST(Safetensors, AnEmptyModelIsAFileToo) {
  const ScratchFolder folder;
  write_safetensors(folder / "m", {});
  EXPECT_EQ(folder.read("m"), safetensors_of("{}      ", ""));
  EXPECT_TRUE(read_safetensors(folder / "m").tensors.empty());
}

TEST(Safetensors, WritesAViewInTheOrderOfItsShape) {
  const ScratchFolder folder;
  const Tensor x({2, 3}, Floats{1, 2, 3, 4, 5, 6});
  write_safetensors(folder / "m", {.tensors = {{"x", x.transpose()}}});
  EXPECT_EQ(read_safetensors(folder / "m").tensors.at("x").values(), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Safetensors, HeaderTellsNamesTypesShapesAndPlaces) {
  const ScratchFolder folder;
  write_safetensors(folder / "m", small_model());
  const ModelHeader header = read_safetensors_header(folder / "m");
  const StoredTensor& weight = header.tensors.at("b.weight");
  EXPECT_EQ(weight.dtype, "F32");
  EXPECT_EQ(weight.shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(weight.begin, header.data_begin + 12);
  EXPECT_EQ(weight.end, weight.begin + 24);
  EXPECT_EQ(header.metadata.at("task"), "translate");
}

TEST(Safetensors, HeaderOfTypesThatCannotBeReadIsStillTold) {
  const ScratchFolder folder;
  const auto told = [&](const std::string& bytes) {
    return read_safetensors_header(folder.write("m", bytes)).tensors.at("x");
  };
  EXPECT_EQ(told(one_tensor("F8_E4M3", "[1,1,1,1,1,1,1,3]", "abc")).shape.size(), 8u);
  EXPECT_EQ(told(one_tensor("F4", "[3]", "ab")).dtype, "F4");
}

TEST(Safetensors, ReadsEveryFloat16Exactly) {
  std::string data;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    data += bytes_of_values(static_cast<std::uint16_t>(bits));
  }
  const Floats read = read_x(one_tensor("F16", "[65536]", data));
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31),
              mantissa = static_cast<int>(bits & 1023);
    double value =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) value = mantissa == 0 ? HUGE_VAL : std::nan("");
    if (bits >> 15 != 0) value = -value;
    ASSERT_EQ(std::isnan(read[bits]), std::isnan(value)) << bits;
    if (!std::isnan(value)) {
      ASSERT_EQ(static_cast<double>(read[bits]), value) << bits;
    }
    ASSERT_EQ(std::signbit(read[bits]), bits >> 15 != 0) << bits;
  }
}

TEST(Safetensors, ReadsBfloat16AsTheUpperHalfOfFloat32) {
  const std::string data = bytes_of_values(std::uint16_t{0x3f80}, std::uint16_t{0xc049},
                                           std::uint16_t{0xff80}, std::uint16_t{0x0001});
  const Floats expected{1.0f, -3.140625f, -std::numeric_limits<float>::infinity(), 0x1p-133f};
  EXPECT_EQ(read_x(one_tensor("BF16", "[4]", data)), expected);
}

TEST(Safetensors, RoundsFloat64) {
  EXPECT_EQ(read_x(one_tensor("F64", "[2]", bytes_of_values(0.1, -HUGE_VAL))),
            (Floats{0.1f, -std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(refused_safetensors(one_tensor("F64", "[2]", bytes_of_values(0.1, 1e39))),
            "m: tensor 'x': number 1 is 1e+39, which is outside the range of float32");
}

TEST(Safetensors, ReadsWholeNumbersThatFloat32HoldsExactly) {
  const std::string data = bytes_of_values(std::int64_t{-3}, std::int64_t{1} << 40);
  EXPECT_EQ(read_x(one_tensor("I64", "[2]", data)), (Floats{-3, 0x1p40f}));
  EXPECT_EQ(read_x(one_tensor("U8", "[2]", "\x01\xff")), (Floats{1, 255}));
  EXPECT_EQ(read_x(one_tensor("BOOL", "[3]", std::string_view("\x00\x01\x02", 3))),
            (Floats{0, 1, 1}));
  EXPECT_EQ(
      refused_safetensors(one_tensor("I32", "[1]", bytes_of_values(std::int32_t{16777217}))),
      "m: tensor 'x': number 0 is 16777217, which float32 cannot hold exactly; store floats if "
      "it may be rounded");
}

TEST(Safetensors, AcceptsOrderSpacesAndEscapesOfOtherWriters) {
  const ModelFile model = parse_safetensors(
      safetensors_of(R"( { "b" : {"data_offsets":[4,8], "shape":[], "dtype":"F32"},
                    "a\u00e9/\n" : {"dtype":"F32","shape":[1],"data_offsets":[0,4]} }   )",
                     bytes_of_values(1.0f, 2.0f)),
      "m");
  EXPECT_EQ(model.tensors.at("b").item(), 2.0f);
  EXPECT_EQ(model.tensors.at("a\u00e9/\n").item(), 1.0f);
}

TEST(Safetensors, NamesWhatIsWrongWithTheHeader) {
  EXPECT_EQ(refused_safetensors("1234567"), "m: has 7 bytes, a safetensors file has at least 8");
  EXPECT_EQ(
      refused_safetensors(bytes_of_values(std::uint64_t{1} << 63)),
      "m: a header of 9223372036854775808 bytes is claimed, at most 100000000 are allowed; is "
      "this a safetensors file?");
  EXPECT_EQ(refused_safetensors(bytes_of_values(std::uint64_t{100}) + "{}"),
            "m: its header ends at byte 108 but the file has 10");
  EXPECT_EQ(refused_safetensors_header(R"({"x":?})"),
            "m: its header is no valid JSON at byte 13; is this a safetensors file?");
  EXPECT_EQ(refused_safetensors_header("{} {}"),
            "m: its header is no valid JSON at byte 11; is this a safetensors file?");
  EXPECT_EQ(refused_safetensors_header("\"\xff\""),
            "m: its header is no valid JSON at byte 9; is this a safetensors file?");
  EXPECT_EQ(refused_safetensors_header("[]"), "m: its header is a list, an object was expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":[]})"), "m: 'x' is a list, an object was expected");
  EXPECT_EQ(refused_safetensors_header(
                R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"x":{}})"),
            "m: the name 'x' comes twice in its header");
  EXPECT_EQ(refused_safetensors_header(R"({"__metadata__":{"k":1}})"),
            "m: metadata 'k' is a number, a string was expected");
  EXPECT_EQ(refused_safetensors_header(R"({"__metadata__":{"k":"1","k":"2"}})"),
            "m: 'k' comes twice in '__metadata__'");
  EXPECT_EQ(refused_safetensors_header(R"({"__metadata__":{},"__metadata__":{}})"),
            "m: the name '__metadata__' comes twice in its header");
}

TEST(Safetensors, NamesTheTensorThatIsWrong) {
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"dtype":"F32","dtype":"F32"}})"),
            "m: 'dtype' comes twice in 'x'");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"dtype":"F32","shape":[1]}})"),
            "m: tensor 'x' has no data_offsets");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"dtype":[]}})"),
            "m: tensor 'x': 'dtype' is a list, a string was expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"shape":"1"}})"),
            "m: tensor 'x': 'shape' is a string, a list was expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"shape":[-1]}})"),
            "m: tensor 'x': 'shape' holds a negative number, whole numbers were expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"shape":[1e3]}})"),
            "m: tensor 'x': 'shape' holds the number 1e3, whole numbers were expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"shape":[[1]]}})"),
            "m: tensor 'x': 'shape' holds a list, whole numbers were expected");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"shape":[18446744073709551615]}})"),
            "m: tensor 'x': 'shape' holds 18446744073709551615, which is too large");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"device":"cpu"}})"),
            "m: tensor 'x' has a field 'device'; only dtype, shape and data_offsets are known");
  EXPECT_EQ(refused_safetensors(one_tensor("Q4", "[1]", "abcd")),
            "m: tensor 'x' has the unknown dtype 'Q4'");
  EXPECT_EQ(
      refused_safetensors(one_tensor("F8_E5M2", "[1]", "a")),
      "m: tensor 'x' has dtype F8_E5M2, which cannot be read as float32; store F32, F16 or BF16");
  EXPECT_EQ(refused_safetensors(one_tensor("U8", "[1,1,1,1,1,1,1]", "a")),
            "m: tensor 'x' has 7 axes, at most 6 can be read");
}

TEST(Safetensors, ShapesThatOverflowAreRefused) {
  EXPECT_EQ(refused_safetensors(one_tensor("F32", "[4294967296,4294967296]", "abcd")),
            "m: tensor 'x' has an impossible shape [4294967296, 4294967296]");
  EXPECT_EQ(refused_safetensors(one_tensor("F32", "[4611686018427387904,4]", "")),
            "m: tensor 'x' has an impossible shape [4611686018427387904, 4]");
  EXPECT_EQ(refused_safetensors(one_tensor("F32", "[4294967296,0,4294967296]", "")),
            "m: tensor 'x' has an impossible shape [4294967296, 0, 4294967296]");
}

TEST(Safetensors, PlacesThatDoNotFitAreRefused) {
  EXPECT_EQ(
      refused_safetensors_header(
          R"({"decoder.query.weight":{"dtype":"F32","shape":[10,10],"data_offsets":[0,400]}})",
          "1234"),
      "m: tensor 'decoder.query.weight' ends at byte 487 but the file has 91");
  EXPECT_EQ(refused_safetensors_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
                                       "1234"),
            "m: tensor 'x' has data_offsets [4, 0], which run backwards");
  EXPECT_EQ(refused_safetensors_header(
                R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", "1234"),
            "m: tensor 'x' has 3 data_offsets, 2 were expected");
  EXPECT_EQ(refused_safetensors(one_tensor("F32", "[2,2]", "123456789012")),
            "m: tensor 'x' has 12 bytes but [2, 2] of F32 needs 16");
  const auto two = [](std::string_view a, std::string_view b) {
    return refused_safetensors_header(
        fmt::format(R"({{"a":{{"dtype":"U8","shape":[2],"data_offsets":{}}},)"
                    R"("b":{{"dtype":"U8","shape":[2],"data_offsets":{}}}}})",
                    a, b),
        "12345");
  };
  EXPECT_EQ(two("[0,2]", "[1,3]"),
            "m: tensor 'b' begins at byte 114 but tensor 'a' ends at byte 115");
  EXPECT_EQ(two("[0,2]", "[3,5]"), "m: bytes 115 to 116, before tensor 'b', belong to no tensor");
  EXPECT_EQ(two("[0,2]", "[2,4]"), "m: bytes 117 to 118, its last, belong to no tensor");
}

TEST(Safetensors, NamesFromAFileCannotBreakTheLineOfAnError) {
  EXPECT_EQ(refused_safetensors_header(R"({"a\n\u001b[2J'é":1})"),
            "m: 'a\\x0a\\x1b[2J\\x27\\xc3\\xa9' is a number, an object was expected");
  EXPECT_EQ(refused_safetensors_header("{\"" + std::string(1000, 'n') + "\":1}"),
            "m: '" + std::string(200, 'n') + "...' is a number, an object was expected");
}

TEST(Safetensors, DeepNestingStopsAtOnce) {
  EXPECT_EQ(refused_safetensors_header(std::string(1'000'000, '[')),
            "m: its header is a list, an object was expected");
}

TEST(Safetensors, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const ScratchFolder folder;
  write_safetensors(folder / "m", {.tensors = {{"a", Tensor({2}, Floats{1, 2})},
                                               {"b", Tensor({1, 3}, Floats{3, 4, 5})}},
                                   .metadata = {{"k", "v"}}});
  const auto parse = [](const std::string& bytes) { parse_safetensors(bytes, "m"); };
  expect_every_truncation_refused(folder.read("m"), parse);
  expect_every_changed_byte_handled(folder.read("m"), parse);
  const auto read = [&](const std::string& bytes) {
    read_safetensors(folder.write("part", bytes));
  };
  expect_every_truncation_refused(folder.read("m"), read);
}

TEST(Safetensors, WhatCannotBeWrittenIsNamed) {
  const ScratchFolder folder;
  const auto refused = [&](const ModelFile& model) {
    return error_of([&] { write_safetensors(folder / "m", model); });
  };
  const Tensor one = Tensor::scalar(1);
  EXPECT_EQ(refused({.tensors = {{"x", Tensor()}}}),
            (folder / "m") + ": cannot write: tensor 'x' holds nothing");
  EXPECT_EQ(refused({.tensors = {{"__metadata__", one}}}),
            (folder / "m") + ": cannot write: no tensor may have the name '__metadata__'");
  EXPECT_EQ(refused({.tensors = {{"\xff", one}}}),
            (folder / "m") + ": cannot write: '\\xff' is not valid UTF-8");
  EXPECT_EQ(folder.files(), 0);
}

TEST(Safetensors, AFullDiskLeavesTheOldFile) {
  const ScratchFolder folder;
  write_safetensors(folder / "m", small_model());
  const std::string before = folder.read("m");
  const ModelFile large{.tensors = {{"x", Tensor::zeros({1 << 20})}}};
  std::string error;
  {
    const FullDisk full(1 << 16);
    error = error_of([&] { write_safetensors(folder / "m", large); });
  }
  EXPECT_EQ(error, (folder / "m") +
                       ": cannot write: File too large; free some space, the file that "
                       "stood there is unchanged");
  EXPECT_EQ(folder.read("m"), before);
  EXPECT_EQ(folder.files(), 1);
}

TEST(Safetensors, AFolderThatCannotBeWrittenIsNamed) {
  const ScratchFolder folder;
  const auto refused = [&](std::string_view name) {
    return error_of([&] { write_safetensors(folder / name, small_model()); });
  };
  EXPECT_EQ(refused("missing/m"), (folder / "missing/m") +
                                      ": cannot write: No such file or directory; does the folder "
                                      "exist?");
  folder.write("file", "");
  EXPECT_EQ(refused("file/m"),
            (folder / "file/m") + ": cannot write: Not a directory; does the folder exist?");

  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const bool root = ::geteuid() == 0;  // whom no permission stops
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot become another user";
  const std::string error = refused("m");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_EQ(error, (folder / "m") +
                       ": cannot write: Permission denied; check the permissions of the folder");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
}

TEST(Safetensors, AFileThatCannotBeReadIsNamed) {
  const ScratchFolder folder;
  EXPECT_EQ(error_of([&] { read_safetensors(folder / "none"); }),
            (folder / "none") + ": cannot read: No such file or directory");
  EXPECT_EQ(error_of([&] { read_safetensors(folder.path()); }),
            folder.path() + ": cannot read: it is a folder, a file is needed");
}

TEST(Safetensors, APipeIsReadToo) {
  const ScratchFolder folder;
  write_safetensors(folder / "m", small_model());
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string command = fmt::format("cat '{}' > '{}' &", folder / "m", pipe);
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_safetensors(pipe).tensors.size(), small_model().tensors.size());
}

RC_GTEST_PROP(SafetensorsProperty, AnyModelComesBackBitForBit, ()) {
  const ScratchFolder folder;
  ModelFile model;
  // Names are any text that UTF-8 can write: here code points below 0x80.
  const auto name = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  for (const std::string& key : *rc::gen::container<std::vector<std::string>>(name)) {
    std::vector<Index> extents(*rc::gen::inRange<std::size_t>(0, 7));
    for (Index& extent : extents) extent = *rc::gen::inRange<Index>(0, 4);
    Tensor tensor{Shape(extents)};
    for (float& value : tensor.flat()) {
      value = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
    }
    if (key != "__metadata__") model.tensors.insert_or_assign(key, tensor);
    model.metadata[key] = *name;
  }
  write_safetensors(folder / "m", model);
  const ModelFile back = read_safetensors(folder / "m");
  RC_ASSERT(back.metadata == model.metadata);
  RC_ASSERT(back.tensors.size() == model.tensors.size());
  for (const auto& [key, tensor] : model.tensors) {
    const Tensor& other = back.tensors.at(key);
    RC_ASSERT(other.shape() == tensor.shape());
    // As bytes: a NaN is not equal to itself.
    RC_ASSERT(std::memcmp(other.data(), tensor.data(), tensor.flat().size_bytes()) == 0);
  }
}

}  // namespace
}  // namespace fovea
