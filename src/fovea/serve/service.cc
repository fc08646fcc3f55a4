#include "fovea/serve/service.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "fovea/attention/trace_json.h"
#include "fovea/base/version.h"
#include "fovea/data/translation_world.h"
#include "fovea/data/utf8.h"
#include "fovea/explain/check.h"
#include "fovea/explain/translation_methods.h"
#include "fovea/io/source.h"
#include "fovea/models/model_file.h"
#include "fovea/models/translation_trace.h"
#include "fovea/serve/attending.h"
#include "fovea/serve/picturing.h"
#include "fovea/serve/reply.h"

namespace fovea {
namespace {

using Json = nlohmann::ordered_json;

// Some 40 MB of JSON: more than a page can show, less than what hurts.
constexpr Index kMostTraced = 4'000'000;
// Gradients of every output with respect to every input grow with the square of the length.
constexpr std::size_t kMostExplained = 128;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Sentences of the built-in world, for a model whose vocabulary has their words.
Json examples_for(const TranslationModel& model) {
  constexpr std::size_t kCount = 6;
  std::set<std::string> seen;
  Json examples = Json::array();
  for (std::uint64_t i = 0; i < 40 && examples.size() < kCount; ++i) {
    const std::string sentence =
        world_pair(1, Split::kTest, i, {.shortest = 4, .longest = 12}).source;
    const Words pieces = model.source.encode(sentence);
    const bool known = std::find(pieces.begin(), pieces.end(), kUnknownId) == pieces.end();
    if (known && pieces.size() <= 2 * split_at_space(sentence).size() + 2 &&
        seen.insert(sentence).second) {
      examples.push_back(sentence);
    }
  }
  return examples;
}

struct LayersAndHeads {
  Index layers = 0, heads = 0;
};
LayersAndHeads looks_of(const TranslatorOptions& options) {
  if (const auto* o = std::get_if<TransformerOptions>(&options)) {
    return {o->decoder_layers, o->heads};
  }
  return kind_name(options) == "fixed" ? LayersAndHeads{} : LayersAndHeads{1, 1};
}

Json described(const std::string& name, const TranslationModel& model) {
  Index parameters = 0;
  for (const auto& parameter : model.net->parameters()) {
    parameters += parameter.var.value().size();
  }
  const LayersAndHeads looks = looks_of(model.options);
  return {{"name", name},
          {"task", "translate"},
          {"model", kind_name(model.options)},
          {"parameters", parameters},
          {"attends", looks.heads > 0},
          {"layers", looks.layers},
          {"heads", looks.heads},
          {"methods", method_names(model.options)},
          {"examples", examples_for(model)}};
}

std::vector<Translation> translated(const TranslationModel& model, const std::string& input,
                                    const SearchOptions& search, Effort& effort) {
  const TranslationModel* const models[] = {&model};
  TranslateOptions options{.longest =
                               std::numeric_limits<Index>::max()};  // the request was checked
  options.search = search;
  options.search.stop = effort.stop;
  auto found = translate(models, std::span(&input, 1), options);
  for (const Translation& t : found[0]) effort.output_pieces += static_cast<Index>(t.target.size());
  return std::move(found[0]);
}

void check_size(const Trace& trace) {
  Index numbers = 0;
  for (const Trace::Head& head : trace.heads) numbers += head.scores.size() + head.weights.size();
  if (numbers > kMostTraced) {
    refuse(
        413,
        "/api/explain: where the model looked takes {} numbers, but at most {} are sent; shorten "
        "'input', or use fovea explain",
        numbers, kMostTraced);
  }
}

void add_methods(const TranslationModel& model, const Translation& t,
                 const std::vector<std::string>& names, bool check, const Effort& effort,
                 Trace& trace) {
  const std::size_t longest = std::max(t.source.size(), t.target.size());
  if (longest > kMostExplained) {
    refuse(413,
           "/api/explain: 'methods' take up to {} pieces in and out, but there are {}; shorten "
           "'input', or use fovea explain",
           kMostExplained, longest);
  }
  const auto go_on = [&] {
    if (effort.stop != nullptr && *effort.stop) fail("explain: stopped, as was asked");
  };
  const Said said(*model.net, t.source, t.target);
  for (const std::string& name : names) {
    go_on();
    trace.methods.push_back(explain(said, {name}).front());
  }
  trace.correlation = correlation(trace.methods);
  go_on();
  if (!check) return;
  const TranslationCheck measure(model);
  measure(said, trace.methods);
}

}  // namespace

std::vector<std::string> served_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const std::string stem = std::filesystem::path(path).stem().string();
    std::string name = stem;
    for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
      name = fmt::format("{}-{}", stem, number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

ServedModel load_served_model(const std::string& name, const std::string& path) {
  const std::string task = task_of(path);
  if (is_image_task(task)) {
    return {name, PictureModel{load_image_model(path), [=] { return load_image_model(path); }}};
  }
  if (task == "translate") return {name, load_translation_model(path)};
  fail("{}: a model of task {}, which this fovea cannot serve", path, in_quotes(task));
}

Service::Service(std::vector<ServedModel> models, Index longest)
    : models_(std::move(models)), longest_(longest) {
  if (models_.empty()) fail("serve: no model was given");
  Json all = Json::array();
  for (const ServedModel& served : models_) {
    if (const auto* model = std::get_if<TranslationModel>(&served.model)) {
      all.push_back(described(served.name, *model));
    } else {
      all.push_back(described(served.name, std::get<PictureModel>(served.model)));
    }
  }
  list_ = text_of({{"version", version()}, {"models", std::move(all)}});
}

const ServedModel& Service::find(const std::string& name) const {
  if (name.empty()) return models_.front();
  for (const ServedModel& served : models_) {
    if (served.name == name) return served;
  }
  std::vector<std::string> names;
  for (const ServedModel& served : models_) names.push_back(served.name);
  refuse(404, "there is no model {}; GET /api/models lists them: {}", in_quotes(name),
         fmt::join(names, ", "));
}

const std::string& Service::sentence(const TranslationModel& model, const std::string& name,
                                     const Subject& subject, const char* route,
                                     Effort& effort) const {
  if (subject.image || subject.question) {
    refuse(400, "{}: '{}' has no meaning for {}, which translates; send 'input'", route,
           subject.image ? "image" : "question", in_quotes(name));
  }
  if (!subject.input) refuse(400, "{}: 'input' is missing; give it a text", route);
  effort.input_pieces = static_cast<Index>(model.source.encode(*subject.input).size());
  if (effort.input_pieces > longest_) {
    refuse(413,
           "'input' has {} pieces, but at most {} are taken; split it, or fovea serve --longest",
           effort.input_pieces, longest_);
  }
  return *subject.input;
}

std::string Service::run(std::string_view body, Effort& effort) const {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const RunRequest request = parse_run_request(body);
  const ServedModel& served = find(request.subject.model);
  if (const auto* pictures = std::get_if<PictureModel>(&served.model)) {
    Json answer = said_of_picture(served.name, *pictures, request);
    answer["seconds"] = seconds();
    return text_of(answer);
  }
  const auto& model = std::get<TranslationModel>(served.model);
  const std::string& input = sentence(model, served.name, request.subject, "/api/run", effort);
  Json translations = Json::array();
  for (const Translation& t :
       translated(model, input, {.beams = request.beams, .n_best = request.best}, effort)) {
    translations.push_back({{"text", t.text}, {"score", t.score}});
  }
  return text_of({{"model", served.name},
                  {"input", input},
                  {"translations", std::move(translations)},
                  {"seconds", seconds()}});
}

std::string Service::explain(std::string_view body, Effort& effort) const {
  const ExplainRequest request = parse_explain_request(body);
  const ServedModel& served = find(request.subject.model);
  if (const auto* pictures = std::get_if<PictureModel>(&served.model)) {
    const Trace trace = trace_of_picture(served.name, *pictures, request, effort.stop);
    check_size(trace);
    return to_json(trace);
  }
  const auto& model = std::get<TranslationModel>(served.model);
  std::vector<std::string> names = checked_methods(request.methods, model.options);
  if (names.empty() && request.check) names = {default_method(model.options)};
  const std::string& input = sentence(model, served.name, request.subject, "/api/explain", effort);
  const Translation best = translated(model, input, {.beams = request.beams}, effort).front();
  Trace trace = trace_translation(model, best, {.states = request.states});
  check_size(trace);
  if (!names.empty()) add_methods(model, best, names, request.check, effort, trace);
  return to_json(trace);
}

std::string Service::pictures(std::string_view body) const {
  return pictures_answer(parse_pictures_request(body));
}

std::string Service::attend(std::string_view body) const {
  return attend_answer(parse_attend_request(body));
}

}  // namespace fovea
