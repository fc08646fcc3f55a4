#include "fovea/cli/picture_data.h"

#include <charconv>

#include "fovea/cli/text.h"
#include "fovea/data/idx.h"

namespace fovea::cli {
namespace {

constexpr Index kSize = 64;  // of pictures, each way, where nothing else is said

QuestionedPictures read_files(const PictureFlags& f, const PictureForm& form) {
  if (!f.labels) return read_questioned_pictures(f.images, f.texts, form);
  return questioned(read_labelled_pictures(f.images, f.texts, form));
}

AskedScenes scenes_of(const PictureFlags& f, Index size) {
  return {.what = f.labels ? AskedScenes::What::kKicker : AskedScenes::What::kQuestions,
          .size = size};
}

// "32,64"; none if the text is no such list.
std::vector<Index> stage_widths(const std::string& text) {
  std::vector<Index> widths;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    Index width = 0;
    const auto [next, error] = std::from_chars(at, end, width);
    if (error != std::errc() || width < 1 || width > 4096 || widths.size() == 6) return {};
    widths.push_back(width);
    if (next == end) return widths;
    if (*next != ',') return {};
    at = next + 1;
  }
}

}  // namespace

void add_picture_flags(Arguments& app, PictureFlags& f) {
  app.add_option("--images", f.images,
                 f.labels ? "a folder or .tar of PNG and JPEG pictures, or an IDX file"
                          : "a folder or .tar of PNG and JPEG pictures")
      ->type_name("PATH");
  app.add_option(f.texts_name(), f.texts,
                 f.labels ? "image TAB label, a line each; or an IDX file"
                          : "image TAB question TAB answer, a line each")
      ->type_name("FILE");
}

void add_augment_flags(Arguments& app, PictureFlags& f) {
  app.add_option("--size", f.size,
                 f.labels ? "pixels each way that pictures are brought to (64; of IDX as they are)"
                          : "pixels each way that pictures are brought to (64)")
      ->check(whole_number(8, 1024))
      ->type_name("N");
  app.add_option("--held-out", f.held_out, "share of your pictures to validate with (0.1)")
      ->check(number_above(0, 0.9f))
      ->type_name("X");
  app.add_flag("--mirror", f.augment.mirror, "your pictures: learn from mirrored ones too");
  app.add_option("--shift", f.augment.shift, "your pictures: moved by up to N pixels (0)")
      ->check(whole_number(0, 64))
      ->type_name("N");
  app.add_number("--brightness", f.augment.brightness,
                 "your pictures: brighter and darker by up to this share (0)");
}

void check_picture_flags(const PictureFlags& f) {
  if (f.images.empty() != f.texts.empty()) {
    throw UsageError(fmt::format("--images and {} belong together", f.texts_name()));
  }
}

void refuse_augment_flags_of_world(const Arguments& app, const PictureFlags& f) {
  if (!f.world()) return;
  refuse_options(app, {"--held-out", "--mirror", "--shift", "--brightness"},
                 "only of your own pictures, with --images");
}

void add_encoder_flags(Arguments& app, EncoderFlags& f) {
  app.add_option(
         "--widths", f.widths,
         fmt::format("channels of the network's stages, each halves the picture ({})", f.widths))
      ->check([](const std::string& text) {
        return stage_widths(text).empty()
                   ? fmt::format(
                         "'{}' is no list of up to 6 sizes from 1 to 4096, such as 32,64,128", text)
                   : std::string();
      })
      ->type_name("N,N");
  app.add_option("--halvings", f.halvings, "only the first N of them do (all)")
      ->check(whole_number(1, 6))
      ->type_name("N");
  app.add_option("--depth", f.depth, fmt::format("convolutions of a stage ({})", f.depth))
      ->check(whole_number(1, 8))
      ->type_name("N");
}

ImageEncoderOptions EncoderFlags::options(Index channels) const {
  return {
      .channels = channels, .widths = stage_widths(widths), .halvings = halvings, .depth = depth};
}

PictureData training_pictures(const PictureFlags& f, const AskedBatches& batches) {
  if (f.world()) {
    const Index size = f.size.value_or(kSize);
    return {asked_scenes(scenes_of(f, size), batches),
            {.width = size, .height = size, .channels = 3}};
  }
  PictureForm form{f.size.value_or(kSize), f.size.value_or(kSize), 3};
  if (f.labels && is_idx(f.texts)) form = {f.size.value_or(0), f.size.value_or(0), 0};
  auto [train, held_out] = split_by_name(read_files(f, form), static_cast<double>(f.held_out));
  if (train.images.empty() || held_out.images.empty()) {
    fail("{}: {} pictures to learn from and {} to validate with; take more, or another --held-out",
         f.texts, train.images.size(), held_out.images.size());
  }
  if (f.augment.mirror) {
    for (const PictureQuestion& q : train.questions) {
      if (!tells_sides(q.text) && !tells_sides(q.answer)) continue;
      fail("{}: --mirror would make '{}' wrong, which tells left from right; leave it out", f.texts,
           q.text.empty() ? q.answer : q.text);
    }
  }
  const Image& first = train.images[0];
  const ImageInput input{.width = first.width, .height = first.height, .channels = first.channels};
  return {asked_files({std::move(train), std::move(held_out), f.augment}, batches), input};
}

std::unique_ptr<AskedPictures> exam_pictures(const PictureFlags& f, const ExamFlags& exam,
                                             const ImageModel& model) {
  const ImageInput input = model.input();
  if (f.world()) {
    if (input.width != input.height || input.channels != 3) {
      fail(
          "the built-in scenes are square and in colours, but this model takes {} x {} x {}; pass "
          "--images",
          input.width, input.height, input.channels);
    }
    AskedScenes scenes = scenes_of(f, input.width);
    scenes.held_out = exam.split;
    scenes.held_out_count = exam.count;
    return asked_scenes(scenes, {.seed = exam.seed});
  }
  return asked_files(
      {.train = {}, .held_out = read_files(f, {input.width, input.height, input.channels})}, {});
}

std::string exam_name(const PictureFlags& f, const ExamFlags& exam) {
  return f.world() ? fmt::format("the built-in scenes ({}, seed {})",
                                 exam.split == Split::kTest ? "test" : "valid", exam.seed)
                   : printable(f.texts);
}

}  // namespace fovea::cli
