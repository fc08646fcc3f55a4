// .npy arrays: NumPy's own files are read, what is written comes back, lies are named.
#include "fovea/io/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>  // needs the one above

#include <bit>
#include <limits>

#include "fovea/io/reader_test_tools.h"

namespace fovea {
namespace {

using Floats = std::vector<float>;
using Whole = std::vector<std::int32_t>;

// Written by NumPy 1.24, and also where fuzzing starts.
Tensor from_numpy(const std::string& name) { return read_npy("tests/corpus/npy/" + name); }

std::string npy_file_of(std::string_view header, std::string_view data) {
  return std::string("\x93NUMPY\x01\x00", 8)
      .append(bytes_of_values(static_cast<std::uint16_t>(header.size())))
      .append(header)
      .append(data);
}

std::string array_of(std::string_view dtype, std::string_view shape, std::string_view data,
                     std::string_view fortran_order = "False") {
  return npy_file_of(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", dtype,
                                 fortran_order, shape),
                     data);
}

std::string refused_npy(const std::string& file) {
  return error_of([&] { parse_npy(file, "a"); });
}
std::string refused_ids(const std::string& file) {
  return error_of([&] { parse_npy_ids(file, "a"); });
}
std::string refused_npy_header(std::string_view header) {
  return refused_npy(npy_file_of(header, ""));
}

Whole all_of(const Ids& ids) { return {ids.values().begin(), ids.values().end()}; }

TEST(Npy, ReadsWhatNumPyWrites) {
  const Floats expected{1, -2, 3, 4, 5, -6.5f};
  for (const char* name : {"f4.npy", "f8_fortran.npy", "f2_version2.npy", "f4_big_endian.npy"}) {
    const Tensor x = from_numpy(name);
    EXPECT_EQ(x.shape(), (Shape{2, 3})) << name;
    EXPECT_EQ(x.values(), expected) << name;
  }
  EXPECT_EQ(from_numpy("i8_version3.npy").values(), (Floats{7, -8, 9, 10}));
  EXPECT_EQ(from_numpy("u1.npy").values(), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(from_numpy("b1.npy").values(), (Floats{1, 0}));
  EXPECT_EQ(from_numpy("i2_scalar.npy").item(), -300);
  EXPECT_EQ(from_numpy("empty.npy").shape(), (Shape{2, 0, 3}));
}

TEST(Npy, WritesTheBytesNumPyWrites) {
  const ScratchFolder folder;
  write_npy(folder / "a", Tensor({2, 3}, Floats{1, -2, 3, 4, 5, -6.5f}));
  std::ifstream numpy("tests/corpus/npy/f4.npy", std::ios::binary);
  EXPECT_EQ(folder.read("a"), std::string(std::istreambuf_iterator<char>(numpy), {}));
}

TEST(Npy, WhatIsWrittenComesBack) {
  const ScratchFolder folder;
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 0}, Shape{1, 2, 3, 1, 2, 1}}) {
    const Tensor x = Tensor::full(shape, 1.5f);
    write_npy(folder / "x", x);
    EXPECT_EQ(read_npy(folder / "x").shape(), shape);
    EXPECT_EQ(read_npy(folder / "x").values(), x.values());
    EXPECT_EQ((folder.read("x").size() - x.flat().size_bytes()) % 64, 0u);
  }
  const Tensor x({2, 3}, Floats{1, 2, 3, 4, 5, 6});
  write_npy(folder / "view", x.transpose());
  EXPECT_EQ(read_npy(folder / "view").values(), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(Npy, IdsComeBack) {
  const ScratchFolder folder;
  const Ids ids({2, 2}, Whole{1, -2, std::numeric_limits<int>::max(), 4});
  write_npy(folder / "i", ids);
  EXPECT_EQ(read_npy_ids(folder / "i").shape(), ids.shape());
  EXPECT_EQ(all_of(read_npy_ids(folder / "i")), all_of(ids));
  write_npy(folder / "none", Ids());
  EXPECT_EQ(read_npy_ids(folder / "none").size(), 0);
  EXPECT_EQ(all_of(read_npy_ids("tests/corpus/npy/i8_version3.npy")), (Whole{7, -8, 9, 10}));
}

TEST(Npy, FortranOrderIsTurnedRound) {
  // Number i of a [2, 3, 4] array counted with its first axis fastest.
  std::string data;
  for (int i = 0; i < 24; ++i) data += static_cast<char>(i);
  const Tensor x = parse_npy(array_of("|u1", "(2, 3, 4)", data, "True"), "a");
  const Ids ids = parse_npy_ids(array_of("|u1", "(2, 3, 4)", data, "True"), "a");
  Index at = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k, ++at) {
        EXPECT_EQ(x.flat()[static_cast<std::size_t>(at)], static_cast<float>(i + 2 * j + 6 * k));
        EXPECT_EQ(ids[at], i + 2 * j + 6 * k);
      }
    }
  }
}

TEST(Npy, ReadsEveryTypeAtItsLimits) {
  const auto read = [](std::string_view dtype, const std::string& data) {
    return parse_npy(array_of(dtype, "(1,)", data), "a").item();
  };
  EXPECT_EQ(read("|i1", "\x80"), -128);
  EXPECT_EQ(read("<i2", bytes_of_values(std::int16_t{-32768})), -32768);
  EXPECT_EQ(read(">u2", big_endian(std::uint16_t{65534})), 65534);
  EXPECT_EQ(read("<i4", bytes_of_values(std::numeric_limits<std::int32_t>::min())), -0x1p31f);
  EXPECT_EQ(read("<u4", bytes_of_values(std::uint32_t{0xffffff00})), 0xffffff00p0f);
  EXPECT_EQ(read(">i8", big_endian(std::numeric_limits<std::int64_t>::min())), -0x1p63f);
  EXPECT_EQ(read("<u8", bytes_of_values(std::uint64_t{1} << 63)), 0x1p63f);
  EXPECT_EQ(read(">f8", big_endian(-0.1)), -0.1f);
  EXPECT_EQ(read(">f2", big_endian(std::uint16_t{0x0001})), 0x1p-24f);
}

TEST(Npy, NumbersThatDoNotFitAreNamed) {
  EXPECT_EQ(
      refused_npy(array_of("<i8", "(1,)", bytes_of_values(std::numeric_limits<Index>::max()))),
      "a: number 0 is 9223372036854775807, which float32 cannot hold exactly; store floats if "
      "it may be rounded");
  // The second chunk: numbers are counted through the whole array.
  std::string data(80000, '\0');
  data.replace(79992, 8, bytes_of_values(-1e300));
  EXPECT_EQ(refused_npy(array_of("<f8", "(10000,)", data)),
            "a: number 9999 is -1e+300, which is outside the range of float32");
  EXPECT_EQ(refused_ids(array_of("<i8", "(1,)", bytes_of_values(std::int64_t{1} << 31))),
            "a: number 0 is 2147483648, which is outside the range of ids (int32)");
  EXPECT_EQ(refused_ids(array_of("<f4", "(1,)", bytes_of_values(1.0f))),
            "a: holds floats, ids are whole numbers");
}

TEST(Npy, NamesWhatIsWrongWithTheHeader) {
  EXPECT_EQ(refused_npy(""), "a: ends at byte 0, more was expected");
  EXPECT_EQ(refused_npy("PK\x03\x04...."), "a: does not start as an .npy file does");
  EXPECT_EQ(refused_npy("\x93NUMPY\x04\x01"), "a: is of version 4.1; 1.0, 2.0 and 3.0 can be read");
  EXPECT_EQ(refused_npy(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            "a: a header of 4294967295 bytes is claimed, at most 65536 are allowed");
  EXPECT_EQ(refused_npy_header("{'descr': '<f4', 'fortran_order': False}"),
            "a: its header has no 'shape'");
  EXPECT_EQ(refused_npy_header("{'shape': (), 'shape': ()}"), "a: its header has 'shape' twice");
  EXPECT_EQ(refused_npy_header("{'name': 1}"), "a: its header has an unknown key 'name'");
  EXPECT_EQ(
      refused_npy(array_of("<c8", "()", "12345678")),
      "a: has the dtype '<c8'; floats of 2, 4 or 8 bytes, whole numbers and bool can be read");
  EXPECT_EQ(refused_npy(array_of("|O", "()", "")),
            "a: has the dtype '|O'; floats of 2, 4 or 8 bytes, whole numbers and bool can be read");
  EXPECT_EQ(
      refused_npy(array_of("|f4", "()", "1234")),
      "a: has the dtype '|f4'; floats of 2, 4 or 8 bytes, whole numbers and bool can be read");
  EXPECT_EQ(refused_npy(array_of("|u1", "(1, 1, 1, 1, 1, 1, 1)", "1")),
            "a: has 7 axes, at most 6 can be read");
}

TEST(Npy, TheHeaderIsNoProgram) {
  const std::string wrong = "a: its header is not as NumPy writes it: ";
  EXPECT_EQ(refused_npy_header("[]"), wrong + "'{' was expected at byte 10");
  EXPECT_EQ(refused_npy_header("{'descr': [('x', '<f4')]}"),
            wrong + "text in quotes was expected at byte 20");
  EXPECT_EQ(refused_npy_header("{'descr': '<f4}"),
            wrong + "a closing quote was expected at byte 21");
  EXPECT_EQ(refused_npy_header("{'fortran_order': 0}"),
            wrong + "True or False was expected at byte 28");
  EXPECT_EQ(refused_npy_header("{'shape': (3)}"), wrong + "',' was expected at byte 22");
  EXPECT_EQ(refused_npy_header("{'shape': (-3,)}"),
            wrong + "a whole number that fits 63 bits was expected at byte 21");
  EXPECT_EQ(refused_npy_header("{'shape': (9223372036854775808,)}"),
            wrong + "a whole number that fits 63 bits was expected at byte 21");
  EXPECT_EQ(refused_npy_header("{'shape': (3, 4}"), wrong + "')' was expected at byte 25");
  EXPECT_EQ(refused_npy_header("{'shape': () 'descr': 'x'}"),
            wrong + "'}' was expected at byte 23");
  EXPECT_EQ(refused_npy_header("{} + 1"), wrong + "nothing more was expected at byte 13");
}

TEST(Npy, SizesThatDoNotFitAreNamed) {
  EXPECT_EQ(refused_npy(array_of("<f4", "(100, 2)", "12345678")),
            "a: ends at byte 872 by its header, but the file has 80");
  EXPECT_EQ(refused_npy(array_of("<f4", "(1,)", "12345678")), "a: goes on after byte 72, its end");
  EXPECT_EQ(refused_npy(array_of("<f4", "(4294967296, 4294967296)", "")),
            "a: has an impossible shape (4294967296, 4294967296)");
  EXPECT_EQ(refused_npy(array_of("<f4", "(0, 4294967296, 4294967296)", "")),
            "a: has an impossible shape (0, 4294967296, 4294967296)");
}

TEST(Npy, EveryTruncationIsRefusedAndNoChangedByteCrashes) {
  const std::string file = array_of("<i2", "(2, 2)", "12345678", "True");
  const auto parse = [](const std::string& bytes) { parse_npy(bytes, "a"); };
  const auto parse_ids = [](const std::string& bytes) { parse_npy_ids(bytes, "a"); };
  expect_every_truncation_refused(file, parse);
  expect_every_truncation_refused(file, parse_ids);
  expect_every_changed_byte_handled(file, parse);
  expect_every_changed_byte_handled(file, parse_ids);
}

TEST(Npy, AFullDiskLeavesTheOldFile) {
  const ScratchFolder folder;
  folder.write("x", "old");
  std::string error;
  {
    const FullDisk full(1 << 16);
    error = error_of([&] { write_npy(folder / "x", Tensor::zeros({1 << 20})); });
  }
  EXPECT_EQ(error, (folder / "x") +
                       ": cannot write: File too large; free some space, the file that "
                       "stood there is unchanged");
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(error_of([&] { write_npy(folder / "x", Tensor()); }),
            (folder / "x") + ": cannot write: the tensor holds nothing");
}

RC_GTEST_PROP(NpyProperty, AnyArrayComesBackBitForBit, ()) {
  const ScratchFolder folder;
  std::vector<Index> extents(*rc::gen::inRange<std::size_t>(0, 7));
  for (Index& extent : extents) extent = *rc::gen::inRange<Index>(0, 5);
  Tensor x{Shape(extents)};
  for (float& value : x.flat()) {
    value = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
  }
  write_npy(folder / "x", x);
  const Tensor back = read_npy(folder / "x");
  RC_ASSERT(back.shape() == x.shape());
  RC_ASSERT(std::memcmp(back.data(), x.data(), x.flat().size_bytes()) == 0);
}

RC_GTEST_PROP(NpyProperty, WholeNumbersAreExactOrRefused, (std::int64_t number, unsigned shift)) {
  number >>= shift % 64;
  const std::string file = array_of("<i8", "()", bytes_of_values(number));
  const std::string error = refused_npy(file);
  // long double holds every int64 and every float.
  const bool exact = static_cast<long double>(static_cast<float>(number)) == number;
  RC_ASSERT(error.empty() == exact);
  if (exact) RC_ASSERT(parse_npy(file, "a").item() == static_cast<float>(number));
}

}  // namespace
}  // namespace fovea
