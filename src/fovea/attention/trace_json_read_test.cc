// Traces that others wrote: what is read, and what each kind of nonsense is told.
#include <gtest/gtest.h>

#include <limits>

#include "fovea/attention/json_tree.h"
#include "fovea/attention/trace_json.h"
#include "fovea/base/base_test_tools.h"
#include "fovea/base/property_test_tools.h"

namespace fovea {
namespace {

// The trace of one word, with `more` members; each of them may be said again in place of another.
std::string trace_with(const std::string& more) {
  return R"({"format":"fovea.trace","version":1,"axes":[)"
         R"({"name":"s","labels":[{"text":"a"},{"text":"b","word":0}]},)"
         R"({"name":"target","labels":[{"text":"c","word":null}]}])" +
         more + "}";
}

std::string complaint(const std::string& text) {
  return error_of([&] { parse_trace(text, "t.json"); });
}
std::string complaint_of(const std::string& more) { return complaint(trace_with(more)); }

std::string head_with(const std::string& more) {
  return R"(,"heads":[{"queries":"target","keys":"s")" + more + "}]";
}

TEST(ReadTrace, NeedsLittleAndSkipsWhatItDoesNotKnow) {
  const Trace trace = parse_trace(
      trace_with(R"(,"author":{"x":[1,"two",{"y":null}]},"heads":[{"queries":"target","keys":"s",)"
                 R"("weights":[[0.25,null]]}])"),
      "t.json");
  ASSERT_EQ(trace.axes.size(), 2u);
  EXPECT_EQ(trace.labels("s")[0].text, "a");
  EXPECT_EQ(trace.labels("s")[0].word, -1);
  EXPECT_EQ(trace.labels("s")[1].word, 0);
  ASSERT_EQ(trace.heads.size(), 1u);
  EXPECT_EQ(trace.heads[0].weights.shape(), (Shape{1, 2}));
  EXPECT_EQ(trace.heads[0].weights.data()[0], 0.25f);
  EXPECT_TRUE(std::isnan(trace.heads[0].weights.data()[1]));
  EXPECT_FALSE(trace.heads[0].scores);
  EXPECT_FALSE(trace.image);
}

TEST(ReadTrace, SaysWhatIsNoJson) {
  EXPECT_EQ(complaint(""), R"(t.json: byte 1: "" is not JSON in UTF-8)");
  EXPECT_EQ(complaint("{\"a\" 1}"), R"(t.json: byte 6: "1" is not JSON in UTF-8)");
  EXPECT_EQ(complaint("{\"a\": \"\xff\"}"), "t.json: byte 8: \"\\\"\\ufffd\" is not JSON in UTF-8");
  EXPECT_EQ(complaint("{\"a\":1}x"), R"(t.json: byte 8: "1}x" is not JSON in UTF-8)");
  EXPECT_EQ(complaint("{\"a\":1e999}"),
            R"(t.json: byte 10: "1e999" is a number beyond all that fit)");
  EXPECT_EQ(complaint("{\"a\":1e39}"), "t.json: number 1e+39 is beyond float32");
  EXPECT_EQ(complaint(std::string(100'000, '[')), "t.json: values are nested more than 16 deep");
}

TEST(ReadTrace, HasLimits) {
  const JsonLimits limits{.bytes = 20, .values = 4};
  const auto complaint = [&](const std::string& text) {
    return error_of([&] { parse_json(text, "t.json", limits); });
  };
  EXPECT_EQ(complaint(std::string(21, ' ')), "t.json: 21 bytes are more than the 20 that are read");
  const std::string many = "t.json: has more than 4 values; nothing that can be drawn has as many";
  EXPECT_EQ(complaint("[[],[],[],[]]"), many);
  EXPECT_EQ(complaint("[1,2,3,[]]"), many);
  EXPECT_NO_THROW(parse_json("[1,2,3,4,5,6,7,8,9]", "t.json", limits));
}

TEST(ReadTrace, SaysWhatIsNoTrace) {
  EXPECT_EQ(complaint("[]"), "t.json: expected an object, found numbers");
  EXPECT_EQ(complaint("{}"), "t.json: format: is not \"fovea.trace\", so this is no trace");
  EXPECT_EQ(complaint(R"({"format":7})"), "t.json: format: expected text, found a number");
  EXPECT_EQ(complaint(R"({"format":"fovea.trace"})"),
            "t.json: version: expected a whole number from 0 to 1000000, found nothing");
  EXPECT_EQ(complaint(R"({"format":"fovea.trace","version":2})"),
            "t.json: version: is 2, but only version 1 is known here");
  EXPECT_EQ(complaint_of(R"(,"version":1)"), "t.json: version: stands there twice");
  EXPECT_EQ(complaint_of(R"(,"input":["a"])"), "t.json: input: expected text, found a list");
}

TEST(ReadTrace, ChecksAxes) {
  const auto complaint = [](const std::string& axes) {
    return fovea::complaint(R"({"format":"fovea.trace","version":1,"axes":)" + axes + "}");
  };
  EXPECT_EQ(complaint("7"), "t.json: axes: expected a list, found a number");
  EXPECT_EQ(complaint("[7]"), "t.json: axes: expected a list, found numbers");
  EXPECT_EQ(complaint("[{}]"), "t.json: axes[0].name: an axis needs a name");
  EXPECT_EQ(complaint(R"([{"name":"a"},{"name":"a"}])"), "t.json: axes[1]: two axes have one name");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":["b"]}])"),
            "t.json: axes[0].labels[0]: expected an object, found text");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":[{}]}])"),
            "t.json: axes[0].labels[0].text: is missing");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":[{"text":"b","word":0.5}]}])"),
            "t.json: axes[0].labels[0].word: expected a whole number from 0 to 1000000, found 0.5");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":[{"text":"b","box":[1,2,3]}]}])"),
            "t.json: axes[0].labels[0].box: has 3 numbers, not x0, y0, x1, y1");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":[{"text":"b","box":[1,2,3,null]}]}])"),
            "t.json: axes[0].labels[0].box: null is no place in an image");
  EXPECT_EQ(complaint(R"([{"name":"a","labels":[{"text":"b"}],"states":[[1],[2]]}])"),
            "t.json: axes[0].states: has 2 rows, but the axis has 1 labels");
}

TEST(ReadTrace, ChecksMaps) {
  EXPECT_EQ(complaint_of(R"(,"heads":[{"queries":"x"}])"),
            "t.json: heads[0].queries: is the name of no axis");
  EXPECT_EQ(complaint_of(R"(,"heads":[{"queries":"s"}])"),
            "t.json: heads[0].keys: is the name of no axis");
  EXPECT_EQ(complaint_of(head_with("")), "t.json: heads[0].weights: is missing: [1, 2] numbers");
  EXPECT_EQ(complaint_of(head_with(R"(,"weights":[[1,0],[0,1]])")),
            "t.json: heads[0].weights: is [2, 2], but its axes make [1, 2]");
  EXPECT_EQ(complaint_of(head_with(R"(,"weights":[[1,0],[0]])")),
            "t.json: heads[0].weights[1]: has 1 numbers, but the first row has 2");
  EXPECT_EQ(complaint_of(head_with(R"(,"weights":[["a",0]])")),
            "t.json: heads[0].weights[0]: expected numbers, found a list");
  EXPECT_EQ(complaint_of(head_with(R"(,"weights":[[1,0]],"scores":[[1]])")),
            "t.json: heads[0].scores: is [1, 1], but its axes make [1, 2]");
  EXPECT_EQ(complaint_of(head_with(R"(,"weights":[[1,0]],"layer":-1)")),
            "t.json: heads[0].layer: expected a whole number from 0 to 1000000, found -1");
  EXPECT_EQ(complaint_of(R"(,"methods":[{"queries":"target","keys":"s","signed":"no"}])"),
            "t.json: methods[0].signed: expected true or false, found text");
  EXPECT_EQ(complaint_of(R"(,"correlation":[[1]])"),
            "t.json: correlation: is [1, 1], but the methods make [0, 0]");
  EXPECT_EQ(complaint_of(R"(,"steps":[{},{}])"),
            "t.json: steps: has 2 steps, but the axis \"target\" has 1 labels");
  EXPECT_EQ(complaint_of(R"(,"image":{"width":0})"),
            "t.json: image.width: expected a whole number from 1 to 100000, found 0");
  EXPECT_EQ(complaint_of(R"(,"image":{"width":1,"height":1,"png":"<x>"})"),
            "t.json: image.png: is not base64");
}

TEST(ReadTrace, ChecksLargeMaps) {
  const auto complaint = [](const std::string& large) {
    return complaint_of(head_with(R"(,"large":{)" + large + "}"));
  };
  const std::string sizes = R"("rows":1,"columns":2,)";
  EXPECT_EQ(complaint(R"("rows":1e6,"columns":2)"),
            "t.json: heads[0].large: is [1000000, 2], but its axes make [1, 2]");
  EXPECT_EQ(complaint(sizes + R"("overview":{"rows":3,"columns":1})"),
            "t.json: heads[0].large.overview.rows: expected a whole number from 1 to 1, found 3");
  EXPECT_EQ(complaint(sizes + R"("overview":{"rows":1,"columns":1,"mean":[[1]]})"),
            "t.json: heads[0].large.overview: needs mean and max");
  const std::string overview = R"("overview":{"rows":1,"columns":1,"mean":[[1]],"max":[[1]]},)";
  EXPECT_EQ(complaint(sizes + overview + R"("top":[])"),
            "t.json: heads[0].large.top: has 0 rows of 1");
  EXPECT_EQ(complaint(sizes + overview + R"("top":[[[2,1]]])"),
            "t.json: heads[0].large.top[0][0]: 2 is none of 2 keys");
  EXPECT_EQ(complaint(sizes + overview + R"("top":[[[0]]])"),
            "t.json: heads[0].large.top[0][0]: is no pair of a key and a weight");
}

TEST(ReadTrace, ReadsSeveralOnePerLine) {
  const std::string one = trace_with(R"(,"input":"1")"), two = trace_with(R"(,"input":"2")");
  const auto traces = parse_traces(one + "\r\n\n" + two + "\n", "t.json");
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[1].input, "2");
  EXPECT_EQ(parse_traces("\n{\n\"version\":1,\"format\":\"fovea.trace\"}\n", "t").size(), 1u);
  EXPECT_EQ(error_of([&] { parse_traces(one + "\n{}\n", "t.json"); }),
            "t.json:2: format: is not \"fovea.trace\", so this is no trace");
}

TEST(ReadTrace, NamesTheFile) {
  EXPECT_EQ(error_of([&] { read_traces("none.json"); }).substr(0, 9), "none.json");
}

// A trace with a bit of everything, drawn at random.
class Drawing {
 public:
  Trace trace() {
    Trace trace{.task = text(), .model = text(), .input = text(), .output = text()};
    trace.axes = {axis("target"), axis("source")};
    if (tossed()) {
      for (std::size_t i = 0; i < trace.axes[0].labels.size(); ++i) trace.steps.push_back(step());
    }
    const auto sides = [&](auto map) {
      const Index axis = drawn(0, 2);
      map.queries = "target";
      map.keys = trace.axes[static_cast<std::size_t>(axis)].name;
      const auto rows = static_cast<Index>(trace.axes[0].labels.size());
      const auto columns =
          static_cast<Index>(trace.axes[static_cast<std::size_t>(axis)].labels.size());
      map.weights = numbers({rows, columns});
      if (tossed()) {
        map.large = large_map(map.weights);
        map.weights = {};
      }
      return map;
    };
    for (Index i = drawn(0, 3); i > 0; --i) {
      Trace::Head head = sides(Trace::Head{.kind = text(), .layer = drawn(0, 9), .head = i});
      if (head.weights && tossed()) head.scores = numbers(head.weights.shape());
      trace.heads.push_back(head);
    }
    for (Index i = drawn(0, 3); i > 0; --i) {
      Trace::Method method =
          sides(Trace::Method{.name = text(), .about = text(), .has_sign = tossed()});
      method.figures = {{text(), static_cast<double>(number()), text()}};
      trace.methods.push_back(method);
    }
    const auto methods = static_cast<Index>(trace.methods.size());
    if (methods > 1) trace.correlation = numbers({methods, methods});
    if (tossed()) trace.image = Trace::Image{drawn(1, 9), drawn(1, 9), "AAAA"};
    return trace;
  }

 private:
  static float number() {
    if (drawn(0, 20) == 0) return std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> some = {0, -0.0f, 1, 1e-37f, -3.4e38f, 0.1f, 16777216};
    if (tossed()) return some[static_cast<std::size_t>(drawn(0, 7))];
    return static_cast<float>(drawn(-1'000'000, 1'000'000)) / 7919;
  }
  static Tensor numbers(const Shape& shape) {
    Tensor x(shape);
    for (float& one : x.flat()) one = number();
    return x;
  }
  static std::string text() {
    const std::vector<std::string> some = {"", "a", "été", "\"\\\n\t\x01", "日本", "</script>"};
    return some[static_cast<std::size_t>(drawn(0, 6))];
  }
  static Trace::Axis axis(const std::string& name) {
    Trace::Axis axis{.name = name, .kind = text()};
    for (Index i = drawn(1, 5); i > 0; --i) {
      axis.labels.push_back({text(), drawn(-1, 5)});
      if (tossed()) axis.labels.back().box = Trace::Box{0, 1, 2.5f, 3};
    }
    if (tossed()) axis.states = numbers({static_cast<Index>(axis.labels.size()), drawn(1, 4)});
    return axis;
  }
  static Trace::Step step() {
    Trace::Step step;
    for (Index i = drawn(0, 3); i > 0; --i) {
      step.choices.push_back({text(), static_cast<double>(number())});
    }
    if (tossed()) step.context = numbers({drawn(1, 4)});
    return step;
  }
};

RC_GTEST_PROP(ReadTrace, GivesBackWhatWasWritten, ()) {
  const std::string json = to_json(Drawing().trace());
  RC_ASSERT(to_json(parse_trace(json, "t.json")) == json);
}

}  // namespace
}  // namespace fovea
