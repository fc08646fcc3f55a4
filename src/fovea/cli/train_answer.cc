// fovea train answer: questions about pictures.
#include <memory>
#include <ostream>

#include "fovea/cli/picture_data.h"
#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/training/answer_task.h"

namespace fovea::cli {
namespace {

struct AnswerFlags {
  PictureFlags pictures;
  AnswererOptions model;
  EncoderFlags encoder;
  AskedBatches batches{.pictures = 32, .questions = 12};
  TrainFlags train;
};

void train_answer(AnswerFlags f, std::ostream& err) {
  check_picture_flags(f.pictures);
  f.batches.seed = f.train.seed;
  const PictureData data = training_pictures(f.pictures, f.batches);
  f.model.image = f.encoder.options(data.input.channels);
  f.model.width = data.input.width;
  f.model.height = data.input.height;
  AnswerModel model = make_answer_model(f.model, *data.pictures, Random{.seed = f.train.seed});
  AnswerTask task(model, *data.pictures);
  err << fmt::format("{}: {} numbers, {} words, {} answers; pictures of {} x {}\n", model.kind(),
                     with_commas(count_numbers(task.parameters())), with_commas(model.words.size()),
                     with_commas(std::ssize(model.classes())), data.input.width, data.input.height);
  train_task(task, f.train, err);
}

Work define_answer(Arguments& app) {
  const auto f = std::make_shared<AnswerFlags>();
  f->train.out = "answerer.safetensors";
  f->train.steps = 6000;
  f->train.validate_every = 500;
  f->train.schedule = "cosine";
  f->train.warmup = 200;
  const auto size = [&](const char* name, Index& value, const std::string& what) {
    app.add_count(name, value, fmt::format("{} ({})", what, value));
  };
  add_picture_flags(app, f->pictures);
  add_augment_flags(app, f->pictures);
  app.add_choice("--attention", f->model.attends, std::array{"none", "soft"},
                 "soft; none: all regions count alike (soft)");
  size("--hops", f->model.hops, "times it looks before it answers");
  app.add_choice("--reader", f->model.reader, "of questions: gru or self, by self-attention (gru)");
  add_encoder_flags(app, f->encoder);
  size("--word-dim", f->model.word_dim, "of words");
  size("--reader-dim", f->model.reader_dim, "of a gru's direction");
  size("--hidden", f->model.hidden, "of what is known");
  size("--attention-dim", f->model.attention_dim, "of the score");
  size("--batch", f->batches.pictures, "pictures of a batch");
  size("--ask", f->batches.questions, "questions about each of them");
  add_train_flags(app, f->train);
  return [f, &app](std::ostream&, std::ostream& err) {
    refuse_augment_flags_of_world(app, f->pictures);
    train_answer(*f, err);
  };
}

}  // namespace

Verb train_answer_verb() {
  return {
      .name = "answer",
      .usage = "[--images PATH --questions FILE] [options]",
      .summary = "questions about pictures",
      .about =
          R"(Learns to answer questions about pictures by looking at their regions, several times, before
it chooses one of the answers it has met. Without --images it learns from the built-in
football scenes, drawn anew without end. Several questions are asked about each picture of a
batch, so that it is seen once for all of them.)",
      .examples = {{"fovea train answer", "the built-in scenes, about ten minutes"},
                   {"fovea train answer --attention none --out mean.safetensors",
                    "what attention is worth"},
                   {"fovea train answer --images pictures.tar --questions questions.tsv",
                    "your own"}},
      .define = define_answer};
}

}  // namespace fovea::cli
