// fovea train classify: pictures told apart.
#include <memory>
#include <ostream>

#include "fovea/cli/picture_data.h"
#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/training/class_task.h"

namespace fovea::cli {
namespace {

struct ClassifyFlags {
  PictureFlags pictures{.labels = true};
  ClassifierOptions model;
  EncoderFlags encoder;
  AskedBatches batches{.pictures = 48, .questions = 1};
  TrainFlags train;
};

void train_classify(ClassifyFlags f, std::ostream& err) {
  check_picture_flags(f.pictures);
  f.batches.seed = f.train.seed;
  const PictureData data = training_pictures(f.pictures, f.batches);
  f.model.image = f.encoder.options(data.input.channels);
  f.model.width = data.input.width;
  f.model.height = data.input.height;
  ClassModel model = make_class_model(f.model, *data.pictures, Random{.seed = f.train.seed});
  ClassTask task(model, *data.pictures);
  err << fmt::format("{}: {} numbers, {} classes; pictures of {} x {}\n", model.kind(),
                     with_commas(count_numbers(task.parameters())),
                     with_commas(std::ssize(model.classes())), data.input.width, data.input.height);
  train_task(task, f.train, err);
}

Work define_classify(Arguments& app) {
  const auto f = std::make_shared<ClassifyFlags>();
  f->train.out = "classifier.safetensors";
  f->train.steps = 1000;
  f->train.validate_every = 250;
  f->train.rate = 2e-3f;
  f->train.schedule = "cosine";
  f->train.warmup = 100;
  add_picture_flags(app, f->pictures);
  add_augment_flags(app, f->pictures);
  app.add_flag("--self-attention", f->model.self_attention,
               "between all regions of the last grid (SAGAN)");
  add_encoder_flags(app, f->encoder);
  app.add_count("--batch", f->batches.pictures,
                fmt::format("pictures of a batch ({})", f->batches.pictures));
  add_train_flags(app, f->train);
  return [f, &app](std::ostream&, std::ostream& err) {
    refuse_augment_flags_of_world(app, f->pictures);
    train_classify(*f, err);
  };
}

}  // namespace

Verb train_classify_verb() {
  return {.name = "classify",
          .usage = "[--images PATH --labels FILE] [options]",
          .summary = "pictures told apart, by a convolutional network",
          .about =
              R"(Learns to tell pictures apart: convolutions, a mean over regions, one layer; with
--self-attention every region may look at all others first. Without --images it learns from
the built-in football scenes which colour the player wears who kicks the ball.)",
          .examples = {{"fovea train classify --self-attention", "the built-in scenes"},
                       {"fovea train classify --images train-images-idx3-ubyte.gz --labels "
                        "train-labels-idx1-ubyte.gz",
                        "IDX files, as of MNIST"},
                       {"fovea train classify --images pictures --labels labels.tsv --mirror",
                        "a folder of your own"}},
          .define = define_classify};
}

}  // namespace fovea::cli
