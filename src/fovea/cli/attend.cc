// fovea attend: attention on arrays from files, forward and backward, for anyone who wants to check
// it or to use it from another program.
#include "fovea/attention/attend.h"

#include <charconv>
#include <memory>
#include <ostream>

#include "fovea/attention/attended_map.h"
#include "fovea/attention/names.h"
#include "fovea/attention/trace_json.h"
#include "fovea/autograd/ops.h"
#include "fovea/base/files.h"
#include "fovea/cli/attend_arrays.h"
#include "fovea/cli/heat_map.h"
#include "fovea/cli/text.h"
#include "fovea/cli/verb.h"
#include "fovea/data/text.h"
#include "fovea/io/npy.h"

namespace fovea::cli {
namespace {

struct AttendFlags {
  std::string query, key, value;
  std::string score = "scaled-dot", score_weight, score_matrix;
  std::optional<float> scale;
  float softcap = 0;
  bool causal = false;
  std::optional<Index> offset;
  std::string offsets, window, lengths, visible, bias;
  bool bias_after_cap = false;
  std::string normalizer = "softmax";
  Index top_k = 0;
  Index heads = 0, kv_heads = 0;
  std::string out, weights, scores, logsumexp;
  std::string trace, labels, key_labels;
  std::string grad_output, grad_query, grad_key, grad_value, grad_bias;
  std::string grad_score_weight, grad_score_matrix;
  bool draw = false;

  bool wants_gradient() const {
    return !(grad_query + grad_key + grad_value + grad_bias + grad_score_weight + grad_score_matrix)
                .empty();
  }
};

std::pair<Index, Index> window_of(const std::string& text) {
  Index numbers[2] = {0, 0};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int n = 0; n < 2; ++n) {
    const auto [stop, error] = std::from_chars(at, end, numbers[n]);
    const bool good = error == std::errc() && numbers[n] >= 0 &&
                      (n == 0 ? stop != end && *stop == ',' : stop == end);
    if (!good) {
      throw UsageError(fmt::format(
          "--window: '{}' is not BEFORE,AFTER, two whole numbers from 0 on, as in 128,0", text));
    }
    at = stop + 1;
  }
  return {numbers[0], numbers[1]};
}

Mask mask_of(const AttendFlags& o) {
  Mask mask;
  const std::vector<Index> offsets =
      o.offsets.empty() ? std::vector{o.offset.value_or(0)} : read_numbers(o.offsets, "offsets");
  if (o.causal) mask = mask & causal(offsets);
  if (!o.window.empty()) {
    const auto [before, after] = window_of(o.window);
    mask = mask & window(before, after, offsets);
  }
  if (!o.lengths.empty()) mask = mask & key_lengths(read_numbers(o.lengths, "lengths"));
  if (!o.visible.empty()) mask = mask & read_visible(o.visible);
  return mask;
}

Var parameter_from(const std::string& file) {
  return file.empty() ? Var() : Var::parameter(read_npy(file));
}

Attend attend_of(const AttendFlags& o) {
  return {.score = {.kind = named(kNamedScores, o.score).kind,
                    .scale = o.scale,
                    .weight = parameter_from(o.score_weight),
                    .matrix = parameter_from(o.score_matrix)},
          .mask = mask_of(o),
          .bias = read_bias(o.bias),
          .softcap = o.softcap,
          .bias_after_cap = o.bias_after_cap,
          .normalizer = named(kNamedNormalizers, o.normalizer).kind,
          .top_k = o.top_k};
}

struct Arrays {
  HeadArray query, key, value;
};

// Files to write, all computed before the first is written.
using Results = std::vector<std::pair<std::string, Tensor>>;

void add_gradients(const AttendFlags& o, const Arrays& in, const Attend& how,
                   const Attended& result, Results& results) {
  const Tensor seed = read_like_output(o.grad_output, result.output, in.query);
  struct Wish {
    const std::string& file;
    const char* option;
    const Var& var;
    const HeadArray* like;  // null for an array that is as it is
  };
  const Wish wishes[] = {{o.grad_query, "--grad-query", in.query.heads, &in.query},
                         {o.grad_key, "--grad-key", in.key.heads, &in.key},
                         {o.grad_value, "--grad-value", in.value.heads, &in.value},
                         {o.grad_bias, "--grad-bias", how.bias, nullptr},
                         {o.grad_score_weight, "--grad-score-weight", how.score.weight, nullptr},
                         {o.grad_score_matrix, "--grad-score-matrix", how.score.matrix, nullptr}};
  std::vector<const Wish*> wanted;
  std::vector<Var> inputs;
  for (const Wish& wish : wishes) {
    if (wish.file.empty()) continue;
    if (!wish.var) throw UsageError(fmt::format("{}: there is no such input", wish.option));
    wanted.push_back(&wish);
    inputs.push_back(wish.var);
  }
  const std::vector<Tensor> grads = gradients(result.output, inputs, seed);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const HeadArray* like = wanted[i]->like;
    results.emplace_back(wanted[i]->file, like != nullptr ? as_given(grads[i], *like) : grads[i]);
  }
}

void draw(const Attended& result, Index heads, std::ostream& out) {
  constexpr Index kMostHeads = 4, kRows = 32;
  const TerminalStyle style{.width = 77};
  for (Index h = 0; h < std::min(heads, kMostHeads); ++h) {
    Map map{.weights = result.weights({.head = h})};
    for (Index i = 0; i < map.weights.shape(0); ++i) map.rows.push_back(fmt::format("{:>6}", i));
    out << fmt::format("weights of batch 0, head {} (a line a query, a column a key)\n", h)
        << heat_map(map, kRows, style);
  }
  if (heads > kMostHeads) out << fmt::format("and {} more heads\n", heads - kMostHeads);
}

// The names of a side: lines of a file, or numbers.
std::vector<Trace::Label> labels(const std::string& file, const char* option, Index count) {
  std::vector<Trace::Label> labels;
  if (file.empty()) {
    for (Index i = 0; i < count; ++i) labels.push_back({std::to_string(i), -1});
    return labels;
  }
  for (const std::string& line : read_lines(file)) labels.push_back({line, -1});
  if (static_cast<Index>(labels.size()) != count) {
    fail("{}: {} has {} lines, but there are {} {}", option, file, labels.size(), count,
         option == std::string_view("--labels") ? "queries" : "keys");
  }
  return labels;
}

// Of the first batch: each head a map, computed some rows at a time.
Trace trace_of(const AttendFlags& o, const Attended& result) {
  const MaskShape shape = result.looked->shape;
  const bool self = shape.query == shape.key && o.key_labels.empty();
  Trace trace{.task = "attend", .model = o.score};
  trace.axes.push_back(
      {self ? "tokens" : "queries", "tokens", labels(o.labels, "--labels", shape.query)});
  if (!self) {
    trace.axes.push_back({"keys", "tokens", labels(o.key_labels, "--key-labels", shape.key)});
  }
  for (Index h = 0; h < shape.head; ++h) {
    Trace::Head head{.kind = self ? "self" : "cross",
                     .head = h,
                     .queries = trace.axes.front().name,
                     .keys = trace.axes.back().name};
    if (shape.query * shape.key > kLargeMap) {
      head.large = large_map(result, 0, h);
    } else {
      head.scores = result.scores({.head = h});
      head.weights = result.weights({.head = h});
    }
    trace.heads.push_back(std::move(head));
  }
  return trace;
}

void attend_files(const AttendFlags& o, std::ostream& out, std::ostream& err) {
  const Arrays in{read_heads(o.query, "--heads", o.heads),
                  read_heads(o.key, "--kv-heads", o.kv_heads, o.heads),
                  read_heads(o.value, "--kv-heads", o.kv_heads, o.heads)};
  const Attend how = attend_of(o);
  const Attended result = attend(in.query.heads, in.key.heads, in.value.heads, how);
  Results results;
  if (!o.out.empty()) results.emplace_back(o.out, as_given(result.output.value(), in.query));
  if (!o.weights.empty()) results.emplace_back(o.weights, squeezed(result.weights(), in.query));
  if (!o.scores.empty()) results.emplace_back(o.scores, squeezed(result.scores(), in.query));
  if (!o.logsumexp.empty()) {
    results.emplace_back(o.logsumexp, squeezed(result.logsumexp(), in.query));
  }
  if (!o.grad_output.empty()) add_gradients(o, in, how, result, results);
  for (const auto& [file, array] : results) write_npy(file, array);
  if (!o.trace.empty()) write_file(o.trace, to_json(trace_of(o, result)) + "\n");
  const Shape& queries = in.query.heads.shape();
  if (o.draw && queries.size() > 0) draw(result, queries[1], out);
  if (result.blind > 0) {
    err << fmt::format("{} of {} queries see no key: their output is 0\n",
                       with_commas(result.blind),
                       with_commas(queries[0] * queries[1] * queries[2]));
  }
}

void check_parameter(const AttendFlags& o, const char* option, const char* shape,
                     const std::string& file) {
  if (shape != nullptr && file.empty()) {
    throw UsageError(
        fmt::format("the {} score needs {} FILE.npy, of shape {}", o.score, option, shape));
  }
  if (shape == nullptr && !file.empty()) {
    throw UsageError(fmt::format("{}: the {} score has none", option, o.score));
  }
}

// An option that would change nothing was given by mistake.
void check_not_in_vain(const AttendFlags& o) {
  const bool offset = o.offset.has_value() || !o.offsets.empty();
  if (offset && !o.causal && o.window.empty()) {
    throw UsageError("--offset says where queries stand for --causal and --window: give one");
  }
  if (o.offset && !o.offsets.empty()) {
    throw UsageError("--offset is one number for all batches, --offsets one for each: give one");
  }
  if (o.bias_after_cap && (o.bias.empty() || o.softcap == 0)) {
    throw UsageError("--bias-after-cap is about --bias together with --softcap: give both");
  }
}

void check(const AttendFlags& o) {
  const bool any = !(o.out + o.weights + o.scores + o.logsumexp + o.trace).empty() || o.draw;
  if (!any && !o.wants_gradient()) {
    throw UsageError("nothing would be kept: give --out FILE, --weights FILE or --draw");
  }
  if (o.trace.empty() && !(o.labels + o.key_labels).empty()) {
    throw UsageError("--labels are for --trace FILE.json: give it too");
  }
  if (o.wants_gradient() && o.grad_output.empty()) {
    throw UsageError("gradients start from --grad-output FILE");
  }
  if (!o.grad_output.empty() && !o.wants_gradient()) {
    throw UsageError("--grad-output: say which gradient to write, as in --grad-query FILE");
  }
  if (!o.logsumexp.empty() && o.normalizer != "softmax") {
    throw UsageError("--logsumexp: only a softmax has one");
  }
  const NamedScore& score = named(kNamedScores, o.score);
  check_parameter(o, "--score-weight", score.weight, o.score_weight);
  check_parameter(o, "--score-matrix", score.matrix, o.score_matrix);
  check_not_in_vain(o);
}

Work define_attend(Arguments& app) {
  const auto o = std::make_shared<AttendFlags>();
  app.add_option("--query", o->query, "[batch, head, query, dim], or [query, dim]")
      ->required()
      ->type_name("FILE.npy");
  app.add_option("--key", o->key, "[batch, kv_head, key, dim]")->required()->type_name("FILE.npy");
  app.add_option("--value", o->value, "[batch, kv_head, key, value_dim]")
      ->required()
      ->type_name("FILE.npy");
  app.add_option("--out", o->out, "the output, [batch, head, query, value_dim]")
      ->type_name("FILE.npy")
      ->written();
  app.add_count("--heads", o->heads, "for arrays [batch, time, head * dim]");
  app.add_count("--kv-heads", o->kv_heads, "heads of key and value, if fewer");
  app.add_option("--score", o->score,
                 fmt::format("{} (scaled-dot)", fmt::join(names_in(kNamedScores), ", ")))
      ->check(one_of(names_in(kNamedScores)))
      ->type_name("NAME");
  app.add_option("--score-weight", o->score_weight, "w of additive, concat and concat-literal")
      ->type_name("FILE.npy");
  app.add_option("--score-matrix", o->score_matrix, "W of general, concat and location")
      ->type_name("FILE.npy");
  app.add_option("--scale", o->scale, "factor of the score (scaled-dot: 1 / sqrt(dim), else 1)")
      ->check(number_from(std::numeric_limits<float>::lowest()))
      ->type_name("X");
  app.add_number("--softcap", o->softcap, "scores become X tanh(score / X), after the bias");
  app.add_option("--bias", o->bias, "added to the scores, broadcast; -inf hides a key")
      ->type_name("FILE.npy");
  app.add_flag("--bias-after-cap", o->bias_after_cap, "adds the bias to the capped score");
  app.add_flag("--causal", o->causal, "query i sees keys up to position i + offset");
  app.add_option("--offset", o->offset, "query i stands at key position i + N (0)")
      ->check(any_whole_number())
      ->type_name("N");
  app.add_option("--offsets", o->offsets, "an offset for each batch")->type_name("FILE.npy");
  app.add_option("--window", o->window,
                 "keys from BEFORE before to AFTER after the query's position")
      ->type_name("BEFORE,AFTER");
  app.add_option("--lengths", o->lengths, "how many keys are no padding, one number a batch")
      ->type_name("FILE.npy");
  app.add_option("--visible", o->visible, "true where a key is seen, broadcast")
      ->type_name("FILE.npy");
  app.add_option("--normalizer", o->normalizer, "softmax, sparsemax or none (softmax)")
      ->check(one_of(names_in(kNamedNormalizers)))
      ->type_name("NAME");
  app.add_count("--top-k", o->top_k, "only the N largest scores of a query count");
  app.add_option("--weights", o->weights, "the weights, [batch, head, query, key]")
      ->type_name("FILE.npy")
      ->written();
  app.add_option("--scores", o->scores, "the scores before the softmax; hidden keys are -inf")
      ->type_name("FILE.npy")
      ->written();
  app.add_option("--logsumexp", o->logsumexp, "[batch, head, query]; -inf where no key is seen")
      ->type_name("FILE.npy")
      ->written();
  app.add_option("--trace", o->trace,
                 "where each head of the first batch looked, for fovea explain")
      ->type_name("FILE.json")
      ->written();
  app.add_option("--labels", o->labels, "names for --trace, one a line (numbers)")
      ->type_name("FILE");
  app.add_option("--key-labels", o->key_labels, "of keys, where they are not the queries")
      ->type_name("FILE");
  app.add_option("--grad-output", o->grad_output, "gradient of the output, to walk back from")
      ->type_name("FILE.npy");
  const std::pair<const char*, std::string*> gradients_of[] = {
      {"query", &o->grad_query},
      {"key", &o->grad_key},
      {"value", &o->grad_value},
      {"bias", &o->grad_bias},
      {"score-weight", &o->grad_score_weight},
      {"score-matrix", &o->grad_score_matrix}};
  for (const auto& [name, file] : gradients_of) {
    app.add_option(fmt::format("--grad-{}", name), *file, fmt::format("gradient of --{}", name))
        ->type_name("FILE.npy")
        ->written();
  }
  app.add_flag("--draw", o->draw, "the weights as a picture of characters");
  add_threads_option(app);
  return [o](std::ostream& out, std::ostream& err) {
    check(*o);
    attend_files(*o, out, err);
  };
}

}  // namespace

Verb attend_verb() {
  return {.name = "attend",
          .usage = "--query FILE --key FILE --value FILE --out FILE [options]",
          .summary = "attention on arrays from files, forward and backward",
          .about =
              R"(Reads queries, keys and values from NumPy files and writes what each query reads:
softmax(q k' / sqrt(dim)) v, or any other score, mask and normaliser. Masks mean visible,
always; of several, all must show a key. A query that sees no key reads zeros, and is counted.
docs/attention.md has the mathematics, and the same in NumPy.)",
          .examples = {{"fovea attend --query q.npy --key k.npy --value v.npy --out o.npy --causal",
                        "each word reads itself and those before it"},
                       {"fovea attend --query q.npy --key k.npy --value v.npy --draw",
                        "where it looks"},
                       {"fovea attend --query q.npy --key k.npy --value v.npy --trace t.json",
                        "for fovea explain t.json --html t.html, however many tokens there are"},
                       {"fovea attend --query q.npy --key k.npy --value v.npy --grad-output g.npy "
                        "--grad-key d.npy",
                        "the backward pass"}},
          .define = define_attend};
}

}  // namespace fovea::cli
