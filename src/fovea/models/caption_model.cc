#include "fovea/models/caption_model.h"

#include "fovea/base/error.h"
#include "fovea/kernels/softmax.h"
#include "fovea/models/model_file.h"
#include "fovea/models/options_text.h"

namespace fovea {

void fields(auto& o, auto&& field) requires is_options<CaptionerOptions, decltype(o)> {
  field("attention", o.attention);
  fields(o.encoder, field);
  field("width", o.width);
  field("height", o.height);
  field("features", o.features);
  field("feature_dim", o.feature_dim);
  field("vocab", o.vocab);
  field("embedding_dim", o.embedding_dim);
  field("hidden", o.hidden);
  field("attention_dim", o.attention_dim);
  field("word_asks", o.word_asks);
  field("recalls", o.recalls);
  field("dropout", o.dropout);
}

namespace {

constexpr Index kLongest = 40;     // words of a caption
constexpr Index kTraceWords = 10;  // likeliest words that a step of a Trace keeps

CaptionerOptions with_vocab(CaptionerOptions options, Index vocab) {
  options.vocab = vocab;
  return options;
}

// The likeliest next words.
Trace::Step step_of(const DecodingStep& step, std::span<const std::string> words) {
  const Tensor logits = step.next.logits().packed();
  Tensor p({logits.shape(1)});
  kernels::softmax(logits.data(), p.data(), {1, logits.shape(1)});
  return {.choices = likeliest(p.flat(), words, kTraceWords),
          .context = step.context.reshape({-1})};
}

}  // namespace

CaptionModel::CaptionModel(CaptionerOptions options, const Tokenizer& vocabulary, Random random)
    : words(vocabulary), net(with_vocab(std::move(options), vocabulary.size()), random) {}

std::string CaptionModel::kind() const { return name_of(net.options().attention); }

std::string CaptionModel::options_text() const { return options_to_text(kind(), net.options()); }

std::map<std::string, std::string> CaptionModel::parts() const {
  return {{"tokenizer.words", words.serialize()}};
}

ImageInput CaptionModel::input() const {
  const CaptionerOptions& o = net.options();
  return {.width = o.width, .height = o.height, .channels = o.encoder.channels};
}

Tensor CaptionModel::annotations(std::span<const Image> images) const {
  if (net.options().features) {
    fail(
        "caption: this model was trained with features of another network and reads no pictures; "
        "fovea run and fovea explain take such with --features FILE.npy");
  }
  const NoGrad guard;
  Run run;
  return net.annotations(image_tensor(images), run).value();
}

std::vector<std::string> CaptionModel::captions(const Tensor& annotations) const {
  std::vector<std::string> said;
  for (const auto& best : search_captions(net, annotations, caption_search())) {
    said.push_back(words.decode(best[0].words));
  }
  return said;
}

std::vector<ImageSaid> CaptionModel::say(std::span<const Image> images, const std::string&) const {
  std::vector<ImageSaid> said;
  for (std::string& text : captions(annotations(images))) said.push_back({.text = std::move(text)});
  return said;
}

Trace CaptionModel::trace(const Image& image, const std::string&) const {
  return trace(image, annotations(std::span(&image, 1)),
               net.encoder().grid_of(image.width, image.height));
}

Trace CaptionModel::trace(const Image& image, const Tensor& regions,
                          const ImageEncoder::Grid& grid) const {
  const Words caption = search_captions(net, regions, caption_search())[0][0].words;
  Trace trace = image_trace(*this, image);
  trace.output = words.decode(caption);
  trace.axes.push_back(region_axis("regions", grid.rows, grid.columns, image));
  Trace::Axis target{.name = "target", .kind = "words"};
  std::vector<std::string> vocabulary;
  for (Index w = 0; w < words.size(); ++w) {
    vocabulary.push_back(words.piece(static_cast<std::int32_t>(w)));
  }
  const auto steps = static_cast<Index>(caption.size()) + 1;
  const Shape shape{steps, regions.shape(1)};
  Trace::Head head{.kind = "cross",
                   .queries = "target",
                   .keys = "regions",
                   .scores = Tensor(shape),
                   .weights = Tensor(shape)};
  const std::vector<Index> word_of = words.words(caption).word_of;
  const auto decoding = net.decode(regions, {.looks = true});
  for (Index t = 0; t < steps; ++t) {
    const auto at = static_cast<std::size_t>(t);
    const DecodingStep step = decoding->step(Ids({t == 0 ? kBeginId : caption[at - 1]}));
    trace.steps.push_back(step_of(step, vocabulary));
    Tensor scores = head.scores.slice(0, t, t + 1), weights = head.weights.slice(0, t, t + 1);
    copy_into(step.looks[0].scores, scores);
    copy_into(step.looks[0].weights, weights);
    const bool ends = t + 1 == steps;
    target.labels.push_back(
        {.text = words.piece(ends ? kEndId : caption[at]), .word = ends ? -1 : word_of[at]});
  }
  trace.axes.push_back(std::move(target));
  trace.heads.push_back(std::move(head));
  return trace;
}

ImageModel::Seen CaptionModel::see(const Var&, const std::string&) const {
  fail("caption: a caption is no class, so only attention tells where this model looked");
}

CaptionModel load_caption_model(const std::string& path) {
  SavedModel saved = read_model(path, "caption");
  OptionsReader reader(saved.options, path);
  const auto options = options_from<CaptionerOptions>(reader);
  const Tokenizer words =
      Tokenizer::parse(part_of(saved, "tokenizer.words", path), path + ": tokenizer");
  if (options.vocab != words.size()) {
    fail("{}: the model has {} words but its tokenizer {}; is it damaged?", path, options.vocab,
         words.size());
  }
  CaptionModel model(options, words, {.zeros = true});
  if (reader.kind() != model.kind()) {
    fail("{}: model '{}' is not known to this version", path, reader.kind());
  }
  load_tensors(path, saved.tensors, model.tensors());
  model.training = std::move(saved.training);
  return model;
}

SearchOptions caption_search(Index beams) {
  return {.beams = beams, .longest_factor = 0, .longest_more = kLongest, .unknown = false};
}

std::vector<std::vector<Hypothesis>> search_captions(const Captioner& net,
                                                     const Tensor& annotations,
                                                     const SearchOptions& options) {
  std::vector<std::unique_ptr<Decoding>> decodings;
  decodings.push_back(net.decode(annotations, {.looks = options.coverage_penalty != 0}));
  const std::vector<SearchStart> starts(
      static_cast<std::size_t>(annotations.shape(0)),
      {.longest = options.longest_more, .keys = annotations.shape(1)});
  return search(std::move(decodings), starts, options);
}

}  // namespace fovea
