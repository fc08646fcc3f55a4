// fovea data digits: digits from strokes or from a user's files, moved and cluttered if asked for.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "fovea/base/files.h"
#include "fovea/cli/data.h"
#include "fovea/cli/text.h"
#include "fovea/data/digit_world.h"
#include "fovea/io/gzip.h"
#include "fovea/io/png.h"

namespace fovea::cli {
namespace {

struct DigitsOptions {
  std::string out, as = "idx", split = "all", images, labels;
  Index count = 0;                    // 0: what there is, or 10,000
  ClutterOptions clutter{.size = 0};  // 0: as the digits are
  std::uint64_t seed = 1;
};

struct DrawnDigit {
  Image image{};
  Box box{};
};

DrawnDigit drawn_digit(const DigitsOptions& o, const LabelledImages& from, Split split, Index i) {
  const auto stream = 0xC1077E00u + static_cast<std::uint64_t>(split);
  Random random = Random{.seed = o.seed}.split(stream).split(static_cast<std::uint64_t>(i));
  const PlacedDigit placed = place_digit(from.images, i, o.clutter, random);
  DrawnDigit drawn{{o.clutter.size, o.clutter.size, 1, {}}, placed.box};
  for (const float x : placed.image.flat()) {
    drawn.image.pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * x)));
  }
  return drawn;
}

std::string_view bytes_of(const Image& image) {
  return {reinterpret_cast<const char*>(image.pixels.data()), image.pixels.size()};
}

void write_gzip(const std::string& path, const std::function<void(GzipWriter&)>& write) {
  write_file(path, [&](const FileSink& sink) {
    GzipWriter writer(sink);
    write(writer);
    writer.finish();
  });
}

class DigitsPart {
 public:
  DigitsPart(const DigitsOptions& options, const DataPart& part, const LabelledImages& from)
      : o_(options), part_(part), from_(from), stem_(std::filesystem::path(o_.out) / part.name) {}

  void write(std::ostream& out) {
    const auto [pictures, labels] = o_.as == "idx" ? as_idx() : as_pictures();
    out << fmt::format("{}: {} of {} x {} pixels\n", printable(pictures),
                       counted(part_.count, "picture"), o_.clutter.size, o_.clutter.size);
    out << fmt::format("{}: which digit each is\n", printable(labels));
    if (o_.clutter.size == from_.images.shape(1)) return;
    write_file(stem_ + ".boxes.tsv", boxes_);
    out << fmt::format("{}: where it is\n", printable(stem_ + ".boxes.tsv"));
  }

 private:
  // Calls write(name, image) for each.
  template <class Write>
  void for_each(const Write& write) {
    boxes_ = "image\tleft\ttop\tright\tbottom\n";
    const auto make = [&](Index i) { return drawn_digit(o_, from_, part_.split, i); };
    for_each_in_order(part_.count, make, [&](Index i, const DrawnDigit& drawn) {
      const std::string name = o_.as == "idx" ? std::to_string(i) : fmt::format("{:06}.png", i);
      const Box& box = drawn.box;
      boxes_ += fmt::format("{}\t{}\t{}\t{}\t{}\n", name, box.left, box.top, box.right, box.bottom);
      write(i, name, drawn.image);
    });
  }

  std::pair<std::string, std::string> as_idx() {
    const std::string images = stem_ + "-images-idx3-ubyte.gz",
                      labels = stem_ + "-labels-idx1-ubyte.gz";
    const Index size = o_.clutter.size;
    write_gzip(images, [&](GzipWriter& to) {
      to.write(idx_header(std::array{part_.count, size, size}));
      for_each([&](Index, const std::string&, const Image& image) { to.write(bytes_of(image)); });
    });
    write_gzip(labels, [&](GzipWriter& to) {
      to.write(idx_header(std::array{part_.count}));
      for (Index i = 0; i < part_.count; ++i)
        to.write(std::string(1, static_cast<char>(from_.labels[i])));
    });
    return {images, labels};
  }

  std::pair<std::string, std::string> as_pictures() {
    std::string lines = "image\tlabel\n";
    const std::string pictures = write_pictures(stem_, o_.as, [&](const PictureSink& sink) {
      for_each([&](Index i, const std::string& name, const Image& image) {
        sink(name, encode_png(image));
        lines += fmt::format("{}\t{}\n", name, from_.labels[i]);
      });
    });
    write_file(stem_ + ".labels.tsv", lines);
    return {pictures, stem_ + ".labels.tsv"};
  }

  const DigitsOptions& o_;
  DataPart part_;
  const LabelledImages& from_;
  std::string stem_, boxes_;
};

void write_digits(DigitsOptions o, std::ostream& out) {
  LabelledImages given{Tensor({0}), {}};
  const bool own = o.images.empty();
  if (!own) {
    given = read_idx(o.images, o.labels);
    if (given.images.shape(0) == 0) fail("{}: is empty, there is no picture in it", o.images);
    if (given.images.shape(1) != given.images.shape(2)) {
      fail("{}: has images of {} x {} pixels; they must be as wide as high", o.images,
           given.images.shape(2), given.images.shape(1));
    }
    if (o.count > given.images.shape(0)) {
      fail("{}: has {} images, {} were asked for; leave --count out", o.images,
           given.images.shape(0), o.count);
    }
    if (o.split == "all") o.split = "train";
  }
  const Index side = own ? kDigitSize : given.images.shape(1);
  if (o.clutter.size == 0) o.clutter.size = side;
  if (o.clutter.pieces > 0 && o.clutter.size <= side) {
    throw UsageError(
        "--clutter needs a --size larger than the digits, so that they are not hidden");
  }
  if (o.count == 0) o.count = own ? 10'000 : given.images.shape(0);
  make_folder(o.out);
  const Index held_out = std::clamp<Index>(o.count / 10, 1, 5000);
  for (const DataPart& part : data_parts(o.count, held_out, o.split)) {
    const LabelledImages from = own ? world_digits(o.seed, part.split, part.count) : given;
    DigitsPart(o, part, from).write(out);
  }
}

Work define_digits(Arguments& app) {
  const auto o = std::make_shared<DigitsOptions>();
  app.add_option("--out", o->out, "folder for the files; made if it is not there")
      ->required()
      ->type_name("DIR");
  app.add_option("--count", o->count,
                 "training pictures (10,000); a tenth, at most 5,000, to validate and test")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--size", o->clutter.size,
                 "pixels each way (28); where that is more than the digit's, it is moved")
      ->check(whole_number(8, 1024))
      ->type_name("P");
  app.add_option("--clutter", o->clutter.pieces, "pieces of other digits around it (0)")
      ->check(whole_number(0, 100))
      ->type_name("K");
  app.add_option("--piece", o->clutter.piece, "pixels of a piece each way (8)")
      ->check(whole_number(1, 28))
      ->type_name("P");
  app.add_option("--images", o->images, "digits from this IDX file instead (.gz or not)")
      ->type_name("FILE");
  app.add_option("--labels", o->labels, "and their labels")->type_name("FILE")->needs("--images");
  app.add_option("--split", o->split,
                 "all (the default), or only train, valid or test; of --images there is one")
      ->check(one_of({"all", "train", "valid", "test"}))
      ->type_name("S");
  app.add_option("--as", o->as, "idx (the default), PNG in a tar archive, or in a folder")
      ->check(one_of({"idx", "tar", "folder"}))
      ->type_name("KIND");
  app.add_option("--seed", o->seed, "another seed, other digits and places (1)")->type_name("S");
  return [o](std::ostream& out, std::ostream&) {
    if (!o->images.empty() && o->labels.empty())
      throw UsageError("--images needs --labels: which digit each is");
    write_digits(*o, out);
  };
}

}  // namespace

Verb data_digits_verb() {
  return {
      .name = "digits",
      .usage = "--out DIR [options]",
      .summary = "digits, also moved and among pieces of others",
      .about =
          R"(Digits drawn from strokes, or those of your IDX files (MNIST). With --size they stand somewhere
in a larger picture, with --clutter among parts of other digits, as in the paper on recurrent
attention (60 with 4 pieces, 100 with 8). Writes, for each of train, valid and test,
train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz, or PNG pictures and train.labels.tsv
(image, a tab, digit); and where digits were moved, train.boxes.tsv with the box of each.)",
      .examples =
          {{"fovea data digits --out digits", "10,000 to train on, 28 x 28"},
           {"fovea data digits --out cluttered --size 60 --clutter 4",
            "each somewhere among pieces of others"},
           {"fovea data digits --out c --size 60 --images train-images.gz --labels train-labels.gz",
            "the same from files of your own"}},
      .define = define_digits};
}

}  // namespace fovea::cli
