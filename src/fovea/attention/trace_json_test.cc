// A Trace as JSON: every field, short numbers, large maps.
#include "fovea/attention/trace_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace fovea {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor matrix(Index rows, Index columns, std::vector<float> numbers) {
  return Tensor({rows, columns}, std::move(numbers));
}

TEST(TraceJson, HasEveryFieldAndShortNumbers) {
  Trace trace{.task = "translate", .model = "bahdanau", .input = "a \"b\"", .output = "c"};
  trace.axes = {{"source", "pieces", {{"a", 0}, {"</s>", -1}}, matrix(2, 1, {0.1f, -1.5f})},
                {"target", "regions", {{"", -1, Trace::Box{0, 0.5f, 8, 16}}}}};
  trace.steps = {{{{"x", 0.1}}, Tensor({2}, std::vector<float>{0.1f, -1.5f})}};
  trace.heads = {
      {"cross", 1, 2, "target", "source", matrix(1, 2, {-kInfinity, 3}), matrix(1, 2, {0, 1})}};
  trace.methods = {{.name = "saliency",
                    .about = "how",
                    .has_sign = true,
                    .queries = "target",
                    .keys = "source",
                    .weights = matrix(1, 2, {-1, 1e-10f}),
                    .figures = {{"deletion", 0.25, "area"}}}};
  trace.correlation = matrix(1, 1, {1});
  trace.image = Trace::Image{8, 16, "aGk="};
  EXPECT_EQ(to_json(trace),
            R"({"format":"fovea.trace","version":1,"task":"translate","model":"bahdanau",)"
            R"("input":"a \"b\"","output":"c",)"
            R"("axes":[{"name":"source","kind":"pieces","labels":[{"text":"a","word":0},)"
            R"({"text":"</s>","word":null}],"states":[[0.1],[-1.5]]},)"
            R"({"name":"target","kind":"regions","labels":[{"text":"","word":null,)"
            R"("box":[0,0.5,8,16]}],"states":[]}],)"
            R"("steps":[{"choices":[{"text":"x","probability":0.1}],"context":[0.1,-1.5]}],)"
            R"("heads":[{"kind":"cross","layer":1,"head":2,"queries":"target","keys":"source",)"
            R"("scores":[[null,3]],"weights":[[0,1]]}],)"
            R"("methods":[{"name":"saliency","about":"how","signed":true,"queries":"target",)"
            R"("keys":"source","weights":[[-1,1e-10]],)"
            R"("figures":[{"name":"deletion","value":0.25,"about":"area"}]}],)"
            R"("correlation":[[1]],"image":{"width":8,"height":16,"png":"aGk="}})");
}

TEST(TraceJson, OfNothingHasItsListsEmpty) {
  EXPECT_EQ(to_json({}),
            R"({"format":"fovea.trace","version":1,"task":"","model":"","input":"","output":"",)"
            R"("axes":[],"steps":[],"heads":[],"methods":[],"correlation":[]})");
}

TEST(TraceJson, IsUtf8WhateverTheTextIs) {
  const auto json = nlohmann::json::parse(to_json({.input = "a\xff\n"}));
  EXPECT_EQ(json["input"], "a\uFFFD\n");
}

TEST(TraceJson, TellsALargeMapByItsOverviewAndTheLargestOfEachRow) {
  const Index rows = 1001, columns = 1003;
  Tensor weights = Tensor::zeros({rows, columns});
  for (Index i = 0; i < rows; ++i) weights.data()[i * columns + (7 * i) % columns] = 0.5f;
  weights.data()[5 * columns + 9] = std::numeric_limits<float>::quiet_NaN();
  const Trace trace{
      .heads = {{"self", 0, 0, "tokens", "tokens", Tensor::zeros({rows, columns}), weights}}};
  const auto head = nlohmann::json::parse(to_json(trace))["heads"][0];
  EXPECT_FALSE(head.contains("weights"));
  EXPECT_FALSE(head.contains("scores"));
  const auto& large = head["large"];
  EXPECT_EQ(large["rows"], rows);
  EXPECT_EQ(large["columns"], columns);
  ASSERT_EQ(large["overview"]["max"].size(), 500u);
  ASSERT_EQ(large["overview"]["mean"][0].size(), 500u);
  ASSERT_EQ(large["top"].size(), 1001u);
  EXPECT_EQ(large["top"][1].size(), 16u);
  EXPECT_EQ(large["top"][1][0], nlohmann::json::parse("[7,0.5]"));
  EXPECT_EQ(large["top"][1][1], nlohmann::json::parse("[0,0]"));
  EXPECT_EQ(large["top"][5][0], nlohmann::json::parse("[9,null]"));
  EXPECT_TRUE(large["overview"]["max"][2][4].is_null());  // rows 4 and 5, columns 8 and 9
}

TEST(LargeMap, TilesTheWholeMap) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {3, 700}, {700, 3}, {499, 501}, {1500, 1007}}) {
    fovea::Random random{.seed = 3};
    const Tensor weights = Tensor::uniform({rows, columns}, -1, 1, random);
    const LargeMap map = large_map(weights);
    const Index r = map.max.shape(0), c = map.max.shape(1);
    for (Index at = 0; at < r * c; ++at) {
      float most = -2;
      double sum = 0, count = 0;
      for (Index i = block_begin(at / c, r, rows); i < block_begin(at / c + 1, r, rows); ++i) {
        for (Index j = block_begin(at % c, c, columns); j < block_begin(at % c + 1, c, columns);
             ++j, ++count) {
          most = std::max(most, weights.data()[i * columns + j]);
          sum += static_cast<double>(weights.data()[i * columns + j]);
        }
      }
      ASSERT_EQ(map.max.data()[at], most);
      ASSERT_NEAR(map.mean.data()[at], sum / count, 1e-6);
    }
    for (Index i = 0; i < rows; ++i) {
      std::vector<float> row(weights.data() + i * columns, weights.data() + (i + 1) * columns);
      std::sort(row.rbegin(), row.rend());
      const auto& top = map.top[static_cast<std::size_t>(i)];
      ASSERT_EQ(top.size(), static_cast<std::size_t>(std::min<Index>(16, columns)));
      for (std::size_t n = 0; n < top.size(); ++n) {
        ASSERT_EQ(top[n].weight, row[n]);
        ASSERT_EQ(weights.data()[i * columns + top[n].key], row[n]);
      }
    }
  }
}

}  // namespace
}  // namespace fovea
