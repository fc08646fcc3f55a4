// fovea bench: rows that can be trusted, as a table and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "fovea/base/base_test_tools.h"
#include "fovea/cli/bench_case.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/cli/machine.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(Bench, WritesTheTableAndTheList) {
  const ScratchFolder folder;
  const int before = threads();
  const Outcome outcome = fovea({"bench", "--only", "peak|64x64x64 n", "--threads", "2",
                                 "--seconds", "0.001", "--json", folder / "speed.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(threads(), before);
  EXPECT_THAT(outcome.out, HasSubstr("1 thread"));
  EXPECT_THAT(outcome.out, HasSubstr("2 threads"));
  EXPECT_THAT(outcome.out, HasSubstr("GFLOP/s, arithmetic\n"));
  const auto list = nlohmann::json::parse(folder.read("speed.json"));
  ASSERT_EQ(list.size(), 6u);  // peak, NN, NT with 1 and 2 threads
  for (const auto& row : list) {
    EXPECT_GT(row["ms"], 0.0) << row;
    EXPECT_GT(row["gflops"], 0.0) << row;
    EXPECT_GT(row["of_peak"], 0.0) << row;
    EXPECT_TRUE(row["threads"] == 1 || row["threads"] == 2) << row;
  }
  EXPECT_EQ(list[2]["name"], "matmul 64x64x64 NN");
}

TEST(Bench, GivesProgramsTheListAlone) {
  const Outcome outcome = fovea(
      {"bench", "--only", "^layer norm", "--threads", "1", "--seconds", "0.001", "--json", "-"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(nlohmann::json::parse(outcome.out).size(), 2u);
  EXPECT_THAT(outcome.err, HasSubstr("\nlayer norm 512x128 forward "));  // people read the table
}

TEST(Bench, NamesItsRows) {
  const Outcome all = fovea({"bench", "--list"});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, HasSubstr("\nmatmul 1024x1024x1024 NN\n"));
  EXPECT_EQ(fovea({"bench", "--list", "--only", "lstm"}).out,
            "LSTM 256->512 batch 64 time 30 forward + backward\n");
  EXPECT_EQ(fovea({"bench", "--only", "nothing"}).err,
            "fovea bench: --only: 'nothing' matches no row (fovea bench --list names them); "
            "try fovea bench --help\n");
  const Outcome broken = fovea({"bench", "--only", "("});
  EXPECT_EQ(broken.code, 2);
  EXPECT_EQ(broken.err,
            "fovea bench: --only: '(' is no regular expression; try fovea bench --help\n");
}

TEST(Bench, SaysWhereTheListCannotBeWritten) {
  const Outcome outcome = fovea({"bench", "--only", "peak", "--threads", "1", "--seconds", "0.001",
                                 "--json", "/nowhere/speed.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/speed.json: "));
}

TEST(Bench, EveryCaseChecksItsResult) {
  if (kSanitized) GTEST_SKIP() << "the kernels' own tests run here";
  std::set<std::string> names;
  for (const auto& list : {kernel_cases(), attention_cases(), training_cases()}) {
    for (const BenchCase& work : list) {
      EXPECT_TRUE(names.insert(work.name).second) << work.name;
      EXPECT_GT(work.flops, 0) << work.name;
      if (!work.slow) {
        EXPECT_NO_THROW(work.prepare()()) << work.name;
      }
    }
  }
}

TEST(Bench, ChecksCanFail) {
  EXPECT_EQ(error_of([] { expect_near("x", 1.0, 1.0 + 1e-7, 1e-6); }), "");
  EXPECT_EQ(error_of([] { expect_near("x", 1.5, 1, 0.1); }),
            "x: the result is 1.5 where 1 was expected, so nothing was timed; run the tests");
  EXPECT_NE(error_of([] { expect_near("x", NAN, 1, 0.1); }), "");
  const Tensor a = some_numbers({3, 5});
  Tensor b = a.copy();
  EXPECT_EQ(error_of([&] { expect_near("x", a, b, 1e-6); }), "");
  b.data()[14] += 0.1f;
  EXPECT_NE(error_of([&] { expect_near("x", a, b, 1e-6); }), "");
  EXPECT_NE(error_of([&] { expect_near("x", a, b.reshape({5, 3}), 1); }), "");
}

TEST(Machine, TimesTheBestCall) {
  int calls = 0;
  // Long enough that a busy machine cannot take the core away for all of it.
  const double seconds = best_seconds([&] { ++calls; }, 0.05);
  EXPECT_GT(calls, 100);
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 1e-4);
}

}  // namespace
}  // namespace fovea::cli
