// fovea attend: files in, files out, and one line for what does not fit.
#include "fovea/attention/attend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/autograd/ops.h"
#include "fovea/cli/cli_test_tools.h"
#include "fovea/io/npy.h"

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
            "fovea attend: attend: the additive score needs its weight of shape [8]\n");
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

}  // namespace
}  // namespace fovea::cli
