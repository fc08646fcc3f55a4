// fovea attend: files in, files out, and one line for what does not fit.
#include "fovea/attention/attend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/attention/trace_json.h"
#include "fovea/autograd/ops.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/npy.h"
#include "fovea/io/npy_header.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

class AttendVerb : public testing::Test {
 protected:
  AttendVerb() {
    save("q", {2, 4, 3, 8});
    save("k", {2, 2, 5, 8});
    save("v", {2, 2, 5, 6});
    save("g", {2, 4, 3, 6});
    save("b", {4, 3, 5});
  }
  Tensor save(const std::string& name, const Shape& shape) {
    arrays[name] = Tensor::uniform(shape, -1, 1, random);
    write_npy(file(name), arrays[name]);
    return arrays[name];
  }
  std::string file(const std::string& name) const { return folder / name + ".npy"; }
  Outcome attend_with(std::vector<std::string> more) const {
    std::vector<std::string> all = {"attend",  "--query", file("q"), "--key",
                                    file("k"), "--value", file("v")};
    all.insert(all.end(), more.begin(), more.end());
    return fovea(all);
  }
  void expect_file(const std::string& name, const Tensor& expected) const {
    const Tensor got = read_npy(file(name));
    EXPECT_EQ(got.shape(), expected.shape()) << name;
    EXPECT_EQ(got.values(), expected.values()) << name;
  }

  ScratchFolder folder;
  Random random{.seed = 2};
  std::map<std::string, Tensor> arrays;
};

TEST_F(AttendVerb, WritesWhatTheLibraryComputes) {
  const Outcome outcome = attend_with(
      {"--causal", "--offset",    "2",        "--softcap",     "3",        "--bias",
       file("b"),  "--out",       file("o"),  "--weights",     file("w"),  "--scores",
       file("s"),  "--logsumexp", file("l"),  "--grad-output", file("g"),  "--grad-query",
       file("dq"), "--grad-key",  file("dk"), "--grad-value",  file("dv"), "--grad-bias",
       file("db")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  std::vector<Var> in;
  for (const char* name : {"q", "k", "v", "b"}) in.push_back(Var::parameter(arrays[name]));
  const Attended a = attend(in[0], in[1], in[2], {.mask = causal(2), .bias = in[3], .softcap = 3});
  expect_file("o", a.output.value());
  expect_file("w", a.weights());
  expect_file("s", a.scores());
  expect_file("l", a.logsumexp());
  const auto grads = gradients(a.output, in, arrays["g"]);
  expect_file("dq", grads[0]);
  expect_file("dk", grads[1]);
  expect_file("dv", grads[2]);
  expect_file("db", grads[3]);
}

TEST_F(AttendVerb, ReadsMatricesAndTokens) {
  const Tensor q = save("q", {3, 8}), k = save("k", {5, 8}), v = save("v", {5, 6});
  EXPECT_EQ(attend_with({"--out", file("o"), "--weights", file("w")}).err, "");
  const auto full = [](const Tensor& x) { return x.unsqueeze(0).unsqueeze(0); };
  const Attended one = attend(full(q), full(k), full(v));
  expect_file("o", one.output.value().reshape({3, 6}));
  expect_file("w", one.weights().reshape({3, 5}));

  const Tensor tq = save("q", {2, 3, 8}), tk = save("k", {2, 5, 4}), tv = save("v", {2, 5, 6});
  EXPECT_EQ(attend_with({"--heads", "4", "--kv-heads", "2", "--out", file("o")}).err, "");
  const Attended heads = attend(split_heads(tq, 4), split_heads(tk, 2), split_heads(tv, 2));
  expect_file("o", merge_heads(heads.output.value()));

  // Keys and values from a cache have four axes, whatever the queries have.
  const Tensor ck = save("k", {2, 2, 5, 2}), cv = save("v", {2, 2, 5, 3});
  save("g", {2, 3, 12});
  EXPECT_EQ(attend_with({"--heads", "4", "--out", file("o"), "--grad-output", file("g"),
                         "--grad-key", file("dk"), "--grad-query", file("dq")})
                .err,
            "");
  expect_file("o", merge_heads(attend(split_heads(tq, 4), ck, cv).output.value()));
  EXPECT_EQ(read_npy(file("dk")).shape(), ck.shape());
  EXPECT_EQ(read_npy(file("dq")).shape(), tq.shape());
}

TEST_F(AttendVerb, TakesOffsetsOfEachBatchAndABiasBeyondTheCap) {
  write_npy(file("offsets"), Ids({0, 2}));
  EXPECT_EQ(attend_with({"--causal", "--offsets", file("offsets"), "--softcap", "1", "--bias",
                         file("b"), "--bias-after-cap", "--out", file("o"), "--logsumexp",
                         file("l"), "--scores", file("s")})
                .err,
            "");
  const Index offsets[] = {0, 2};
  const Attended a =
      attend(arrays["q"], arrays["k"], arrays["v"],
             {.mask = causal(offsets), .bias = arrays["b"], .softcap = 1, .bias_after_cap = true});
  expect_file("o", a.output.value());
  expect_file("l", a.logsumexp());
  expect_file("s", a.scores());
}

TEST_F(AttendVerb, TakesEveryScoreAndItsParameters) {
  save("w8", {8});
  save("w16", {16});
  save("m8", {8, 8});
  save("m16", {16, 8});
  const std::vector<std::vector<std::string>> scores = {
      {"dot"},
      {"scaled-dot", "--scale", "0.5"},
      {"cosine", "--scale", "4"},
      {"general", "--score-matrix", file("m8")},
      {"additive", "--score-weight", file("w8")},
      {"concat", "--score-weight", file("w8"), "--score-matrix", file("m16")},
      {"concat-literal", "--score-weight", file("w16")},
      {"location", "--score-matrix", file("m8")}};
  for (std::vector<std::string> score : scores) {
    score.insert(score.begin(), "--score");
    score.insert(score.end(), {"--normalizer", "sparsemax", "--out", file("o")});
    const Outcome outcome = attend_with(score);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(AttendVerb, CountsQueriesThatSeeNothing) {
  write_npy(file("lengths"), Ids({5, 0}));
  const Outcome outcome = attend_with({"--lengths", file("lengths"), "--out", file("o")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "12 of 24 queries see no key: their output is 0\n");
}

TEST_F(AttendVerb, DrawsWhereItLooks) {
  write_npy(file("eye"),
            Tensor({3, 5}, std::vector<float>{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}));
  const Outcome outcome = attend_with({"--visible", file("eye"), "--draw"});
  EXPECT_THAT(outcome.out, HasSubstr("head 0 (a line a query, a column a key)\n"
                                     "     0 |@    |\n     1 | @   |\n     2 |  @  |\n"));
}

TEST_F(AttendVerb, SaysWhatIsWrong) {
  EXPECT_EQ(attend_with({}).err,
            "fovea attend: nothing would be kept: give --out FILE, --weights FILE or --draw; try "
            "fovea attend --help\n");
  EXPECT_EQ(attend_with({"--out", file("o"), "--score", "additive"}).err,
            "fovea attend: the additive score needs --score-weight FILE.npy, of shape [dim]; try "
            "fovea attend --help\n");
  EXPECT_EQ(attend_with({"--out", file("o"), "--window", "3"}).err,
            "fovea attend: --window: '3' is not BEFORE,AFTER, two whole numbers from 0 on, as in "
            "128,0; try fovea attend --help\n");
  EXPECT_EQ(attend_with({"--out", file("o"), "--grad-query", file("dq")}).err,
            "fovea attend: gradients start from --grad-output FILE; try fovea attend --help\n");
  EXPECT_EQ(attend_with({"--draw", "--grad-output", file("q"), "--grad-query", file("dq")}).err,
            "fovea attend: " + file("q") +
                ": shape [2, 4, 3, 8] is not that of the output, [2, 4, 3, 6]\n");
  write_npy(file("bad"), Tensor::zeros({3, 3}));
  EXPECT_THAT(attend_with({"--out", file("o"), "--visible", file("bad")}).err,
              HasSubstr("attend: a mask of shape [3, 3] does not broadcast to [batch=2, "
                        "head=4, query=3, key=5]\n"));
  save("q", {2, 3, 32});
  EXPECT_EQ(attend_with({"--out", file("o")}).err,
            "fovea attend: " + file("q") +
                ": arrays of 3 axes are [batch, time, head * dim]: say how many heads with "
                "--heads; try fovea attend --help\n");
}

// Each line of `tries`: options, and what is said about them.
struct Try {
  std::vector<std::string> options;
  std::string answer;
};

TEST_F(AttendVerb, SaysWhichOptionIsWrong) {
  const std::string hint = "; try fovea attend --help\n";
  const Try tries[] = {
      {{"--heads", "0"}, "--heads: '0' is no whole number from 1 on"},
      {{"--kv-heads", "two"}, "--kv-heads: 'two' is no whole number from 1 on"},
      {{"--top-k", "99999999999999999999"},
       "--top-k: '99999999999999999999' is no whole number from 1 on"},
      {{"--causal", "--offset", "1.5"}, "--offset: '1.5' is no whole number"},
      {{"--softcap", "-1"}, "--softcap: '-1' is no number from 0 on"},
      {{"--softcap", "inf"}, "--softcap: 'inf' is no number from 0 on"},
      {{"--scale", "nan"}, "--scale: 'nan' is no number"},
      {{"--scale", ""}, "--scale: '' is no number"},
      {{"--normalizer", "max"}, "--normalizer: 'max' is none of softmax, sparsemax, none"},
      {{"--score-weight", file("b")}, "--score-weight: the scaled-dot score has none"},
      {{"--score", "location"},
       "the location score needs --score-matrix FILE.npy, of shape [dim, keys]"},
      {{"--offset", "2"}, "--offset says where queries stand for --causal and --window: give one"},
      {{"--causal", "--offset", "2", "--offsets", file("b")},
       "--offset is one number for all batches, --offsets one for each: give one"},
      {{"--softcap", "2", "--bias-after-cap"},
       "--bias-after-cap is about --bias together with --softcap: give both"},
      {{"--weights", file("o")},
       file("o") + ": --out and --weights cannot be the same file; give another name"},
      {{"--weights", file("q")},
       file("q") + ": --weights and --query cannot be the same file; give another name"},
      {{"--grad-output", file("g"), "--grad-bias", file("db")},
       "--grad-bias: there is no such input"},
      {{"--causal", "--query", file("k")}, "--query was given more than once"}};
  for (const Try& t : tries) {
    std::vector<std::string> options = {"--out", file("o")};
    options.insert(options.end(), t.options.begin(), t.options.end());
    const Outcome outcome = attend_with(options);
    EXPECT_EQ(outcome.err, "fovea attend: " + t.answer + hint);
    EXPECT_EQ(outcome.code, 2) << t.answer;
  }
}

TEST_F(AttendVerb, SaysWhichArrayIsWrong) {
  save("vector", {8});
  save("floats", {2});
  save("cut", {2, 2, 4, 6});
  write_npy(file("two"), Ids({0, 2}));
  write_npy(file("three"), Ids({1, 2, 3}));
  write_npy(file("long"), Ids({6}));
  write_npy(file("square"), Ids(Shape{2, 1}, {1, 2}));
  folder.write("text.npy", "hello");
  folder.write("bool.npy", npy_header_text("|b1", {3, 5}) + std::string(15, '\1'));
  const Try tries[] = {
      {{"--bias", file("bool")},
       file("bool") + ": holds true and false, which --bias would add as 1 and 0; a mask goes to "
                      "--visible"},
      {{"--visible", file("two")},
       file("two") + ": holds 2, but --visible takes true and false, "
                     "or 1 and 0; numbers that are added to the scores "
                     "go to --bias"},
      {{"--lengths", file("floats")},
       file("floats") + ": lengths are whole numbers, this file holds floats"},
      {{"--lengths", file("bool")},
       file("bool") + ": lengths are whole numbers, this file holds true and false"},
      {{"--lengths", file("square")},
       file("square") + ": shape [2, 1] is not [batch]: lengths are one number for each batch"},
      {{"--lengths", file("long")}, "attend: a mask's length of 6 keys does not fit 5 keys"},
      {{"--causal", "--offsets", file("three")},
       "attend: the mask has 3 offsets for a batch of 2; give one for each"},
      {{"--bias", file("text")}, file("text") + ": ends at byte 5, more was expected"},
      {{"--bias", file("q")},
       "attend: a bias of shape [2, 4, 3, 8] does not broadcast to [batch=2, head=4, query=3, "
       "key=5]"},
      {{"--heads", "3"}, file("q") + ": shape [2, 4, 3, 8] has 4 heads but --heads says 3"},
      {{"--weights", folder / "no/such/w.npy"},
       folder / "no/such/w.npy" +
           std::string(": cannot write: No such file or directory; does the folder exist?")}};
  for (const Try& t : tries) {
    std::vector<std::string> options = {"--out", file("o")};
    options.insert(options.end(), t.options.begin(), t.options.end());
    const Outcome outcome = attend_with(options);
    EXPECT_EQ(outcome.err, "fovea attend: " + t.answer + "\n");
    EXPECT_EQ(outcome.code, 1) << t.answer;
  }
}

TEST_F(AttendVerb, TakesArraysOfNothing) {
  save("k", {2, 2, 0, 8});
  save("v", {2, 2, 0, 6});
  EXPECT_EQ(attend_with({"--out", file("o"), "--logsumexp", file("l"), "--weights", file("w"),
                         "--grad-output", file("g"), "--grad-query", file("dq"), "--grad-key",
                         file("dk")})
                .err,
            "24 of 24 queries see no key: their output is 0\n");
  expect_file("o", Tensor::zeros({2, 4, 3, 6}));
  expect_file("dq", Tensor::zeros({2, 4, 3, 8}));
  expect_file("l", Tensor::full({2, 4, 3}, -std::numeric_limits<float>::infinity()));
  EXPECT_EQ(read_npy(file("dk")).shape(), (Shape{2, 2, 0, 8}));
  save("q", {0, 4, 3, 8});
  save("k", {0, 2, 5, 8});
  save("v", {0, 2, 5, 6});
  EXPECT_EQ(attend_with({"--out", file("o"), "--draw"}).code, 0);
  save("q", {2, 4, 3, 0});  // vectors without numbers are all alike
  save("k", {2, 2, 5, 0});
  save("v", {2, 2, 5, 6});
  EXPECT_EQ(attend_with({"--weights", file("w")}).err, "");
  for (const float w : read_npy(file("w")).values()) EXPECT_NEAR(w, 0.2, 1e-6);
}

TEST_F(AttendVerb, DrawsNanAsAQuestion) {
  Tensor q = arrays["q"].copy();
  q.data()[0] = std::numeric_limits<float>::quiet_NaN();
  write_npy(file("q"), q);
  EXPECT_THAT(attend_with({"--draw"}).out, HasSubstr("     0 |?????|\n"));
}

TEST_F(AttendVerb, WritesATraceOfTheFirstBatch) {
  const std::string trace = folder / "t.json";
  EXPECT_EQ(attend_with({"--trace", trace}).err, "");
  const std::vector<Trace> traces = read_traces(trace);
  ASSERT_EQ(traces.size(), 1u);
  ASSERT_EQ(traces[0].heads.size(), 4u);
  EXPECT_EQ(traces[0].heads[3].kind, "cross");
  EXPECT_EQ(traces[0].labels("keys")[4].text, "4");
  const Attended a = attend(arrays["q"], arrays["k"], arrays["v"]);
  EXPECT_EQ(traces[0].heads[3].weights.values(), a.weights({.head = 3}).values());
  EXPECT_EQ(fovea({"explain", trace, "--heads", "--svg", folder / "t.svg"}).code, 0);

  folder.write("names", "un\ndeux\ntrois\n");
  EXPECT_EQ(attend_with({"--trace", trace, "--labels", folder / "names"}).err, "");
  EXPECT_EQ(read_traces(trace)[0].labels("queries")[1].text, "deux");
  EXPECT_EQ(
      attend_with({"--trace", trace, "--key-labels", folder / "names"}).err,
      "fovea attend: --key-labels: " + (folder / "names") + " has 3 lines, but there are 5 keys\n");
}

TEST_F(AttendVerb, TracesAnyNumberOfTokens) {
  save("q", {1100, 4});
  save("k", {1100, 4});
  save("v", {1100, 2});
  const std::string trace = folder / "t.json";
  EXPECT_EQ(attend_with({"--trace", trace, "--causal"}).err, "");
  const Trace read = read_traces(trace)[0];
  EXPECT_EQ(read.heads[0].kind, "self");
  ASSERT_TRUE(read.heads[0].large);
  EXPECT_EQ(read.heads[0].large->top[0][0].weight, 1);
  const Outcome drawn = fovea({"explain", trace});
  EXPECT_THAT(drawn.out, HasSubstr("1,100 x 1,100 weights; each character shows the largest"));
}

}  // namespace
}  // namespace fovea::cli
