#include "fovea/models/answer_model.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/models/model_file.h"
#include "fovea/models/names_text.h"
#include "fovea/models/options_text.h"

namespace fovea {

void fields(auto& o, auto&& field) requires is_options<AnswererOptions, decltype(o)> {
  fields(o.image, field);
  field("width", o.width);
  field("height", o.height);
  field("reader", o.reader);
  field("words", o.words);
  field("answers", o.answers);
  field("word_dim", o.word_dim);
  field("reader_dim", o.reader_dim);
  field("hidden", o.hidden);
  field("attention_dim", o.attention_dim);
  field("hops", o.hops);
  field("attends", o.attends);
  field("heads", o.heads);
  field("layers", o.layers);
}

namespace {

AnswererOptions sized(AnswererOptions options, const Tokenizer& words,
                      const std::vector<std::string>& answers) {
  options.words = words.size();
  options.answers = static_cast<Index>(answers.size());
  return options;
}

}  // namespace

AnswerModel::AnswerModel(AnswererOptions options, Tokenizer its_words,
                         std::vector<std::string> its_answers, Random random)
    : words(std::move(its_words)),
      answers(std::move(its_answers)),
      net(sized(std::move(options), words, answers), random) {}

std::string AnswerModel::options_text() const { return options_to_text(kind(), net.options()); }

std::map<std::string, std::string> AnswerModel::parts() const {
  return {{"tokenizer.words", words.serialize()}, {"answers", names_to_text(answers)}};
}

AnswerModel load_answer_model(const std::string& path) {
  SavedModel saved = read_model(path, "answer");
  OptionsReader reader(saved.options, path);
  const auto options = options_from<AnswererOptions>(reader);
  Tokenizer words = Tokenizer::parse(part_of(saved, "tokenizer.words", path), path + ": tokenizer");
  std::vector<std::string> answers = names_from_text(part_of(saved, "answers", path));
  if (options.words != words.size() || options.answers != std::ssize(answers)) {
    fail("{}: the model has {} words and {} answers, but {} and {} are listed; is it damaged?",
         path, options.words, options.answers, words.size(), answers.size());
  }
  AnswerModel model(options, std::move(words), std::move(answers), {.zeros = true});
  load_tensors(path, saved.tensors, model.tensors());
  model.training = std::move(saved.training);
  return model;
}

ImageInput AnswerModel::input() const {
  const AnswererOptions& o = net.options();
  return {.width = o.width, .height = o.height, .channels = o.image.channels, .any_size = false};
}

std::int32_t AnswerModel::answer_id(const std::string& answer) const {
  const auto found = std::find(answers.begin(), answers.end(), answer);
  return found == answers.end() ? -1 : static_cast<std::int32_t>(found - answers.begin());
}

Questions AnswerModel::asked(const std::string& question, Index images) const {
  const auto ids = words.encode(question);
  if (ids.empty()) fail("answer: the question has no words");
  return questions_of(std::vector(static_cast<std::size_t>(images), ids));
}

std::vector<ImageSaid> AnswerModel::say(std::span<const Image> images,
                                        const std::string& question) const {
  const NoGrad guard;
  Run run;
  const Questions questions = asked(question, std::ssize(images));
  return said_of(net(Var(image_tensor(images)), questions, run).logits, answers);
}

Trace AnswerModel::trace(const Image& image, const std::string& question) const {
  const NoGrad guard;
  Run run;
  const auto pieces = words.encode(question);
  const Answering answering = net(Var(image_tensor(std::span(&image, 1))), asked(question, 1), run);
  const Tensor p = softmax(answering.logits).value().packed();

  Trace trace = image_trace(*this, image);
  trace.input = question;
  Trace::Axis& asking = trace.axes.emplace_back(Trace::Axis{"question", "words", {}});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    asking.labels.push_back({words.piece(pieces[i]), static_cast<Index>(i)});
  }
  trace.axes.push_back(
      region_axis("regions", answering.grid.shape(2), answering.grid.shape(3), image));
  trace.steps.push_back({likeliest(p.flat(), answers), {}});
  trace.output = trace.steps[0].choices[0].text;
  trace.axes.push_back({"target", "words", {{trace.output, 0}}});
  for (std::size_t hop = 0; hop < answering.looks.size(); ++hop) {
    const Attended& look = answering.looks[hop];
    trace.heads.push_back({"cross", static_cast<Index>(hop), 0, "target", "regions",
                           look.scores({}), look.weights({})});
  }
  return trace;
}

ImageModel::Seen AnswerModel::see(const Var& pixels, const std::string& question) const {
  Run run;
  const Answering answering = net(pixels, asked(question, pixels.shape(0)), run);
  return {answering.logits, answering.grid};
}

}  // namespace fovea
