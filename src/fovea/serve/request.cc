#include "fovea/serve/request.h"

#include <algorithm>

#include "fovea/attention/names.h"
#include "fovea/serve/reply.h"
#include "fovea/serve/request_fields.h"

namespace fovea {
namespace {

void check_sizes(const AttendRequest& r) {
  if (r.key.rows != r.value.rows) {
    refuse(400, "/api/attend: {} keys but {} values; each key needs its value", r.key.rows,
           r.value.rows);
  }
  const auto check = [](Index rows, const char* of_rows, Index columns, const char* of_columns,
                        const char* what) {
    if (rows * columns <= kMostNumbers) return;
    refuse(413, "/api/attend: {} {} x {} {}, but at most {} {} are computed", rows, of_rows,
           columns, of_columns, kMostNumbers, what);
  };
  check(r.query.rows, "queries", r.key.rows, "keys", "weights");
  check(r.query.rows, "queries", r.value.columns, "numbers of a value", "numbers");
  if (!r.matrix) {  // the one that is made
    const Index dim = r.query.columns;
    if (r.score == "location") check(dim, "numbers of a query", r.key.rows, "keys", "numbers");
    if (r.score == "general") check(dim, "numbers of a query", dim, "of a key", "numbers");
    if (r.score == "concat") check(2 * dim, "numbers of a pair", dim, "of a query", "numbers");
  }
  const Index widest = std::max({r.key.rows, r.query.columns, r.value.columns});
  if (r.samples * r.query.rows * widest > kMostSampledNumbers) {
    refuse(413, "/api/attend: {} samples of {} x {} numbers, but at most {} are computed",
           r.samples, r.query.rows, widest, kMostSampledNumbers);
  }
}

Subject subject_of(Fields& fields) {
  Subject s;
  s.model = fields.text("model", "");
  s.input = fields.optional_text("input");
  s.image = fields.optional_text("image");
  s.question = fields.optional_text("question");
  return s;
}

}  // namespace

RunRequest parse_run_request(std::string_view body) {
  Fields fields(body, "/api/run");
  RunRequest r;
  r.subject = subject_of(fields);
  r.searches = fields.has("beams") || fields.has("best");
  r.beams = fields.whole("beams", 1, kMostBeams, r.beams);
  r.best = fields.whole("best", 1, kMostBeams, r.best);
  fields.end();
  if (r.best > r.beams) {
    refuse(400, "/api/run: 'best' is {} but 'beams' {}; follow at least as many as are wanted",
           r.best, r.beams);
  }
  return r;
}

ExplainRequest parse_explain_request(std::string_view body) {
  Fields fields(body, "/api/explain");
  ExplainRequest r;
  r.subject = subject_of(fields);
  r.methods = fields.texts("methods");
  r.check = fields.flag("check", false);
  r.states = fields.flag("states", false);
  r.searches = fields.has("beams");
  r.beams = fields.whole("beams", 1, kMostBeams, r.beams);
  fields.end();
  return r;
}

PicturesRequest parse_pictures_request(std::string_view body) {
  Fields fields(body, "/api/pictures");
  PicturesRequest r;
  r.world = fields.one_of("world", {"scene", "digit"});
  r.size = fields.whole("size", 28, kMostPictureSize, r.size);
  r.first = fields.whole("first", 0, 1'000'000, r.first);
  r.count = fields.whole("count", 1, kMostPictures, r.count);
  fields.end();
  return r;
}

AttendRequest parse_attend_request(std::string_view body) {
  Fields fields(body, "/api/attend");
  AttendRequest r;
  r.query = fields.needed_matrix("query");
  r.key = fields.needed_matrix("key");
  r.value = fields.needed_matrix("value");
  r.score = fields.one_of("score", names_in(kNamedScores));
  r.scale = fields.number("scale", -1000, 1000);
  r.matrix = fields.matrix("matrix");
  r.weight = fields.numbers("weight");
  r.causal = fields.flag("causal", false);
  r.window = fields.window("window");
  r.normalizer = fields.one_of("normalizer", names_in(kNamedNormalizers));
  r.temperature = fields.number("temperature", 0.001f, 1000).value_or(1.0f);
  r.samples = fields.whole("samples", 0, kMostSamples, 0);
  r.seed = static_cast<std::uint64_t>(fields.whole("seed", 0, Index{1} << 53, 1));
  r.gradient = fields.flag("gradient", false);
  fields.end();
  check_sizes(r);
  if (r.gradient && r.normalizer == "none") {
    refuse(400, "/api/attend: 'gradient' needs probabilities; choose another 'normalizer'");
  }
  return r;
}

}  // namespace fovea
