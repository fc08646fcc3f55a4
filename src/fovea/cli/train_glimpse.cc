// fovea train glimpse: from labelled images to a model that reads them by looking at parts.
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "fovea/cli/text.h"
#include "fovea/cli/train.h"
#include "fovea/data/picture_texts.h"
#include "fovea/training/glimpse_task.h"

namespace fovea::cli {
namespace {

struct GlimpseFlags {
  std::string images, labels;
  std::optional<Index> held_out;
  Index world_digits = 20'000;

  GlimpseReaderOptions net;
  std::optional<Index> size;
  ClutterOptions placing;
  GlimpseTaskOptions task;

  TrainFlags train;
  bool world() const { return images.empty(); }
};

struct Digits {
  LabelledImages train, valid;
  std::vector<std::string> classes;
};

Digits read_data(const GlimpseFlags& f) {
  if (f.world()) {
    return {world_digits(f.train.seed, Split::kTrain, f.world_digits),
            world_digits(f.train.seed, Split::kValid, f.held_out.value_or(1000)),
            {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}};
  }
  const GreyImages all = read_grey_images(f.images, f.labels);
  if (all.classes.size() < 2) fail("{}: has one class only; there is nothing to learn", f.labels);
  const Index count = all.images.shape(0);
  const Index held_out = f.held_out.value_or(std::max<Index>(1, count / 12));
  if (held_out >= count) {
    fail("{}: of {} images {} are to be held out; nothing is left to learn from", f.images, count,
         held_out);
  }
  return {slice(all, 0, count - held_out), slice(all, count - held_out, count), all.classes};
}

GlimpseReaderOptions net_options(const GlimpseFlags& f, const Digits& digits) {
  const Tensor& images = digits.train.images;
  GlimpseReaderOptions o = f.net;
  o.height = f.size.value_or(images.shape(1));
  o.width = f.size.value_or(images.shape(2));
  o.classes = std::ssize(digits.classes);
  return o;
}

std::string told(const GlimpseReaderOptions& o) {
  if (o.looking == Looking::kWhole) return "whole";
  return fmt::format("{}: {} of {} x {}{}", name_of(o.looking), counted(o.glimpses, "glimpse"),
                     o.retina.size, o.retina.size,
                     o.retina.scales > 1 ? fmt::format(", {} scales", o.retina.scales) : "");
}

void train_glimpse(const GlimpseFlags& f, std::ostream& err) {
  Digits digits = read_data(f);
  const GlimpseReaderOptions options = net_options(f, digits);
  GlimpseModel model(options, digits.classes, {.seed = f.train.seed});
  GlimpseTaskOptions how = f.task;
  how.seed = f.train.seed;
  if (f.size) {
    how.placing = f.placing;
    how.placing->size = *f.size;
  }
  const Index learn = digits.train.images.shape(0), validate = digits.valid.images.shape(0);
  GlimpseTask task(model, std::move(digits.train), std::move(digits.valid), how);
  err << fmt::format("{}; {} numbers; pictures of {} x {}, {} to learn from, {} to validate\n",
                     told(options), with_commas(count_numbers(task.parameters())), options.width,
                     options.height, with_commas(learn), with_commas(validate));
  train_task(task, f.train, err);
}

// docs/performance.md has the runs that these come from.
void set_defaults(GlimpseFlags& f, const Arguments& app) {
  const auto set = [&](const char* option, auto& value, auto best) {
    if (!app.has(option)) value = best;
  };
  if (!f.world()) return;
  set("--steps", f.train.steps, Index{1500});
  set("--schedule", f.train.schedule, "linear");
}

void check(const GlimpseFlags& f, const Arguments& app) {
  if (f.images.empty() != f.labels.empty())
    throw UsageError("--images and --labels belong together");
  if (f.placing.pieces > 0 && !f.size)
    throw UsageError("--clutter needs --size, the pixels of the pictures");
  if (f.placing.pieces == 0)
    refuse_options(app, {"--piece"}, "needs --clutter, how many there are");
  const auto only = [&](std::initializer_list<const char*> kinds,
                        const std::vector<std::string>& options) {
    if (std::find(kinds.begin(), kinds.end(), name_of(f.net.looking)) == kinds.end())
      refuse_options(app, options, fmt::format("only of {}", fmt::join(kinds, " and ")));
  };
  only({"places"}, {"--sigma"});
  only({"hard"}, {"--entropy"});
  only({"hard", "soft"}, {"--tiles"});
  only({"places", "hard"}, {"--reward"});
  if (f.net.looking == Looking::kWhole) {
    refuse_options(
        app,
        {"--glimpses", "--glimpse-size", "--scales", "--from-centre", "--place-dim", "--hidden"},
        "not of whole, which looks at the picture at once");
  }
  if (!f.world())
    refuse_options(app, {"--world-digits"}, "of the built-in world, not of your own images");
}

void add_data_flags(Arguments& app, GlimpseFlags& f) {
  app.add_option("--images", f.images,
                 "an IDX file as MNIST's, or a folder or .tar of pictures of one size, "
                 "which become grey")
      ->type_name("PATH");
  app.add_option("--labels", f.labels, "their labels: an IDX file, or image TAB label, a line each")
      ->type_name("FILE");
  app.add_count("--held-out", f.held_out,
                "validate with the last N images (a twelfth; of the built-in world 1,000 others)");
  app.add_count("--world-digits", f.world_digits, "digits of the built-in world (20,000)");
  app.add_count("--size", f.size,
                "place each image somewhere in pictures of N x N, anew each time");
  app.add_count("--clutter", f.placing.pieces, "pieces of other images in these pictures (0)", 0);
  app.add_count("--piece", f.placing.piece, "pixels of a piece each way (8)");
  app.add_number("--shift", f.task.warp.shift, "move images by up to X pixels, anew each time (0)");
  app.add_number("--turn", f.task.warp.turn, "turn them by up to X degrees (0)");
  app.add_share("--zoom", f.task.warp.zoom, "stretch them by up to X of their size (0)");
}

void add_net_flags(Arguments& app, GlimpseFlags& f) {
  app.add_choice("--attention", f.net.looking,
                 "places, hard, soft, gaussian, random or whole (places)");
  app.add_count("--glimpses", f.net.glimpses, "how often it looks (6)");
  app.add_count("--glimpse-size", f.net.retina.size, "pixels of a glimpse each way (8)");
  app.add_option("--scales", f.net.retina.scales, "of a glimpse, each twice as wide (1)")
      ->check(whole_number(1, 16))
      ->type_name("N");
  app.add_option("--sigma", f.net.sigma, "of places while training, of half the picture (0.1)")
      ->check(number_above(0, 0.99f))
      ->type_name("X");
  app.add_count("--tiles", f.net.tiles, "of hard and soft, each way (5)");
  app.add_flag("--from-centre", f.net.from_centre, "look there first; else anywhere");
  app.add_count("--patch-dim", f.net.patch_dim, "numbers that describe what a glimpse shows (128)");
  app.add_count("--place-dim", f.net.place_dim, "and where it is (128)");
  app.add_count("--glimpse-dim", f.net.glimpse_dim, "and both (256)");
  app.add_count("--hidden", f.net.hidden, "of the recurrent network (256)", 2);
  app.add_share("--dropout", f.net.dropout, "of glimpses and of the last state (0)");
  app.add_choice("--reward", f.task.loss.reward,
                 "what places and hard learn by: right, or likelihood, which goes on teaching "
                 "where to look when nearly all answers are right (right)");
  app.add_number("--entropy", f.task.loss.entropy_bonus,
                 "bonus for undecided choices, of hard (0)");
  app.add_count("--batch", f.task.batch, "images of a batch (128)");
}

Work define_glimpse(Arguments& app) {
  const auto f = std::make_shared<GlimpseFlags>();
  f->train.out = "glimpse.safetensors";
  f->train.usual_patience = 20;
  add_data_flags(app, *f);
  add_net_flags(app, *f);
  add_train_flags(app, f->train);
  return [f, &app](std::ostream&, std::ostream& err) {
    set_defaults(*f, app);
    check(*f, app);
    train_glimpse(*f, err);
  };
}

}  // namespace

Verb train_glimpse_verb() {
  return {
      .name = "glimpse",
      .usage = "[--images FILE --labels FILE] [--attention KIND] [options]",
      .summary = "digits read by looking at parts of a picture, one after the other",
      .about =
          R"(Learns to tell what a picture shows from a few small glimpses, and where to look for the next
one: by reward alone (places: anywhere; hard: one of a grid of tiles), or by following gradients
(soft: all tiles at once; gaussian: a window that moves). random and whole, the picture at once,
show what choosing is worth. Without --images it learns from digits of the built-in world.

Progress shows the reward (by default the share of right answers), the spread of glimpses over
pictures, and the entropy of choices: a policy that has collapsed looks at the same spots in all
of them.

Defaults below are for your own pictures; the built-in digits take 1,500 steps with a rate that
falls to 0.)",
      .examples = {{"fovea train glimpse --out digits.safetensors", "digits of the built-in world"},
                   {"fovea train glimpse --images train-images.gz --labels train-labels.gz",
                    "MNIST, or files like it"},
                   {"fovea train glimpse --size 60 --clutter 4 --glimpses 8 --glimpse-size 12 "
                    "--scales 3",
                    "to be found among pieces of others"}},
      .define = define_glimpse};
}

}  // namespace fovea::cli
