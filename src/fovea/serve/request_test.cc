#include "fovea/serve/request.h"

#include <gtest/gtest.h>

#include "fovea/serve/reply.h"

namespace fovea {
namespace {

std::string refusal_of(const auto& call, int status = 400) {
  try {
    call();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status(), status) << refusal.what();
    return refusal.what();
  }
  return "";
}
std::string run_refusal(const std::string& body) {
  return refusal_of([&] { parse_run_request(body); });
}
std::string attend_refusal(const std::string& more, int status = 400) {
  return refusal_of(
      [&] {
        parse_attend_request(R"({"query":[[1,0]],"key":[[1,0],[0,1]],"value":[[1],[2]],)" + more +
                             "}");
      },
      status);
}

TEST(Request, TakesWhatIsGivenAndDefaultsForTheRest) {
  const RunRequest plain = parse_run_request(R"({"input":"a b"})");
  EXPECT_EQ(plain.subject.model, "");
  EXPECT_EQ(plain.subject.input, "a b");
  EXPECT_FALSE(plain.subject.image || plain.subject.question || plain.searches);
  EXPECT_EQ(plain.beams, 5);
  EXPECT_EQ(plain.best, 1);
  const RunRequest full = parse_run_request(R"({"model":"m","input":"\u00e9","beams":7,"best":3})");
  EXPECT_EQ(full.subject.model, "m");
  EXPECT_EQ(full.subject.input, "é");
  EXPECT_TRUE(full.searches);
  EXPECT_EQ(full.beams, 7);
  EXPECT_EQ(full.best, 3);
  const ExplainRequest explain = parse_explain_request(
      R"({"input":"x","methods":["saliency","rollout"],"check":true,"states":null})");
  EXPECT_EQ(explain.methods, (std::vector<std::string>{"saliency", "rollout"}));
  EXPECT_TRUE(explain.check);
  EXPECT_FALSE(explain.states);
}

TEST(Request, OfAttentionTakesEveryField) {
  const AttendRequest r = parse_attend_request(
      R"({"query":[[1,2]],"key":[[3,4],[5,6.5]],"value":[[7],[8]],"score":"general","scale":2,
          "matrix":[[1,0],[0,1]],"weight":null,"causal":true,"window":[3,0],
          "normalizer":"sparsemax","temperature":0.5,"samples":9,"seed":4,"gradient":true})");
  EXPECT_EQ(r.query.values, (std::vector<float>{1, 2}));
  EXPECT_EQ(r.key.rows, 2);
  EXPECT_EQ(r.key.columns, 2);
  EXPECT_EQ(r.key.values, (std::vector<float>{3, 4, 5, 6.5f}));
  EXPECT_EQ(r.score, "general");
  EXPECT_EQ(r.scale, 2);
  EXPECT_EQ(r.matrix->values, (std::vector<float>{1, 0, 0, 1}));
  EXPECT_TRUE(r.weight.empty());
  EXPECT_TRUE(r.causal);
  EXPECT_EQ(r.window, (std::pair<Index, Index>{3, 0}));
  EXPECT_EQ(r.normalizer, "sparsemax");
  EXPECT_EQ(r.temperature, 0.5f);
  EXPECT_EQ(r.samples, 9);
  EXPECT_EQ(r.seed, 4u);
  EXPECT_TRUE(r.gradient);
}

TEST(Request, SaysWhatIsWrongWithABody) {
  EXPECT_EQ(run_refusal(""), "/api/run: the body is empty; send a JSON object");
  EXPECT_EQ(run_refusal("[]"), "/api/run: the body is no JSON object but array");
  EXPECT_EQ(run_refusal(R"({"input":"a"} x)"), "/api/run: the body is not JSON from byte 15 on");
  EXPECT_EQ(run_refusal(R"({"input":)"), "/api/run: the body is not JSON from byte 10 on");
  EXPECT_EQ(run_refusal("{\"input\":\"\xff\"}"),
            "/api/run: byte 10 of the body, 0xff, is not UTF-8; send JSON in UTF-8");
  EXPECT_EQ(run_refusal(R"({"input":"\ud800"})"), "/api/run: the body is not JSON from byte 17 on");
  EXPECT_EQ(run_refusal(R"({"input":"a","beams":1e999})"),
            "/api/run: a number of the body is too large");
  EXPECT_EQ(run_refusal(R"({"input":"a","input":"b"})"),
            "/api/run: field 'input' stands there twice");
}

TEST(Request, SaysWhatIsWrongWithAField) {
  EXPECT_EQ(run_refusal(R"({"image":7})"), "/api/run: 'image' is 7, but a text is needed");
  EXPECT_EQ(run_refusal(R"({"input":7})"), "/api/run: 'input' is 7, but a text is needed");
  EXPECT_EQ(run_refusal(R"({"input":"a","beam":7})"),
            "/api/run: unknown field 'beam'; it takes model, input, image, question, beams, best");
  for (const char* beams : {"0", "33", "-1", "1.5", "\"5\"", "true", "[]"}) {
    EXPECT_EQ(run_refusal(fmt::format(R"({{"input":"a","beams":{}}})", beams)).substr(0, 22),
              "/api/run: 'beams' is " + std::string(1, beams[0]));
  }
  EXPECT_EQ(run_refusal(R"({"input":"a","beams":0})"),
            "/api/run: 'beams' is 0, but a whole number from 1 to 32 is needed");
  EXPECT_EQ(run_refusal(R"({"input":"a","best":6})"),
            "/api/run: 'best' is 6 but 'beams' 5; follow at least as many as are wanted");
  EXPECT_EQ(refusal_of([] { parse_explain_request(R"({"input":"a","methods":"saliency"})"); }),
            "/api/explain: 'methods' is \"saliency\", but a list of names is needed");
  EXPECT_EQ(refusal_of([] { parse_explain_request(R"({"input":"a","check":1})"); }),
            "/api/explain: 'check' is 1, but true or false is needed");
}

TEST(Request, OfPicturesTakesAWorldAndSome) {
  const PicturesRequest plain = parse_pictures_request("{}");
  EXPECT_EQ(plain.world, "scene");
  EXPECT_EQ(plain.size, 64);
  EXPECT_EQ(plain.first, 0);
  EXPECT_EQ(plain.count, 12);
  const auto refusal = [](const std::string& body) {
    return refusal_of([&] { parse_pictures_request(body); });
  };
  EXPECT_EQ(refusal(R"({"world":"cats"})"),
            "/api/pictures: 'world' is 'cats', but one of scene, digit is needed");
  EXPECT_EQ(refusal(R"({"size":10000})"),
            "/api/pictures: 'size' is 10000, but a whole number from 28 to 256 is needed");
  EXPECT_EQ(refusal(R"({"count":25})"),
            "/api/pictures: 'count' is 25, but a whole number from 1 to 24 is needed");
}

TEST(Request, SaysWhatIsWrongWithVectors) {
  EXPECT_EQ(
      attend_refusal(R"("score":"guess")"),
      "/api/attend: 'score' is 'guess', but one of scaled-dot, dot, cosine, general, additive, "
      "concat, concat-literal, location is needed");
  EXPECT_EQ(attend_refusal(R"("matrix":[[1,2],[3]])"),
            "/api/attend: 'matrix' has a row [3], but all rows need 2 numbers as the first has");
  EXPECT_EQ(attend_refusal(R"("matrix":[1,2])"),
            "/api/attend: 'matrix' is [1,2], but a list of rows of numbers is needed, as in "
            "[[1,0],[0,1]]");
  EXPECT_EQ(attend_refusal(R"("weight":[1,"2"])"),
            "/api/attend: 'weight' has an element \"2\", but a number from -1000000 to 1000000 is "
            "needed");
  EXPECT_EQ(attend_refusal(R"("weight":[1e9])").substr(0, 43),
            "/api/attend: 'weight' has an element 100000");
  EXPECT_EQ(attend_refusal(R"("gradient":true,"normalizer":"none")"),
            "/api/attend: 'gradient' needs probabilities; choose another 'normalizer'");
  EXPECT_EQ(attend_refusal(R"("temperature":0)"),
            "/api/attend: 'temperature' is 0, but a number from 0.001 to 1000 is needed");
  EXPECT_EQ(
      attend_refusal(R"("window":3)"),
      "/api/attend: 'window' is 3, but [before, after] is needed, two whole numbers from 0 on");
  EXPECT_EQ(
      refusal_of([] { parse_attend_request(R"({"query":[[1]],"key":[[1]],"value":[[1],[2]]})"); }),
      "/api/attend: 1 keys but 2 values; each key needs its value");
}

TEST(Request, RefusesTooMuchWork) {
  std::string rows = "[[1]";
  for (int i = 1; i < 300; ++i) rows += ",[1]";
  rows += "]";
  EXPECT_EQ(
      refusal_of(
          [&] {
            parse_attend_request(fmt::format(R"({{"query":{0},"key":{0},"value":{0}}})", rows));
          },
          413),
      "/api/attend: 300 queries x 300 keys, but at most 65536 weights are computed");
  EXPECT_EQ(refusal_of(
                [&] {
                  parse_attend_request(fmt::format(
                      R"({{"query":[[1]],"key":{0},"value":{0},"samples":100000}})", rows));
                },
                413),
            "/api/attend: 100000 samples of 1 x 300 numbers, but at most 20000000 are computed");
}

TEST(Request, RefusesSmallInputsOfWhichLargeArraysWouldBeMade) {
  const auto vectors = [](int rows, int columns) {
    std::string row = "[1", all = "[";
    for (int i = 1; i < columns; ++i) row += ",1";
    for (int i = 0; i < rows; ++i) all += (i > 0 ? "," : "") + row + "]";
    return all + "]";
  };
  const auto refused = [&](const std::string& query, const std::string& key,
                           const std::string& value, const std::string& more) {
    return refusal_of(
        [&] {
          parse_attend_request(
              fmt::format(R"({{"query":{},"key":{},"value":{}{}}})", query, key, value, more));
        },
        413);
  };
  const std::string one = vectors(1, 1), wide = vectors(1, 300), long_ = vectors(300, 1);
  EXPECT_EQ(refused(long_, one, wide, ""),
            "/api/attend: 300 queries x 300 numbers of a value, but at most 65536 numbers are "
            "computed");
  EXPECT_EQ(
      refused(wide, long_, long_, R"(,"score":"location")"),
      "/api/attend: 300 numbers of a query x 300 keys, but at most 65536 numbers are computed");
  EXPECT_EQ(refused(wide, wide, one, R"(,"score":"general")"),
            "/api/attend: 300 numbers of a query x 300 of a key, but at most 65536 numbers are "
            "computed");
  EXPECT_EQ(refused(vectors(1, 182), vectors(1, 182), one, R"(,"score":"concat")"),
            "/api/attend: 364 numbers of a pair x 182 of a query, but at most 65536 numbers are "
            "computed");
  EXPECT_EQ(refused(one, one, wide, R"(,"samples":100000)"),
            "/api/attend: 100000 samples of 1 x 300 numbers, but at most 20000000 are computed");
}

TEST(Request, DeepNestingIsRefusedWhateverItsDepth) {
  for (const std::size_t depth : {9u, 100u, 1'000'000u}) {
    EXPECT_EQ(run_refusal("{\"input\":" + std::string(depth, '[')),
              "/api/run: the body is nested deeper than 8 levels");
    EXPECT_EQ(run_refusal(std::string(depth, '[')),
              "/api/run: the body is nested deeper than 8 levels");
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(run_refusal(objects), "/api/run: the body is nested deeper than 8 levels");
}

TEST(Request, AMessageStaysOnOneShortLine) {
  const std::string message =
      run_refusal("{\"input\":\"a\",\"" + std::string(10'000, 'x') + "\\n\\u0007\":1}");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 400u);
}

}  // namespace
}  // namespace fovea
