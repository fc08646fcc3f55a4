#include "fovea/data/picture_texts.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/data/idx.h"
#include "fovea/data/text.h"

namespace fovea {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::vector<PictureLine> collect_lines(const ByteSource& source,
                                       const std::vector<std::string>& columns) {
  LineReader reader(source);
  std::vector<PictureLine> lines;
  for (std::string line; reader.next(line);) {
    const std::string invalid = invalid_utf8(line);
    if (!invalid.empty()) fail("{}{}; convert the file to UTF-8", reader.where(), invalid);
    std::vector<std::string> fields = fields_of(line);
    if (reader.number() == 1 && fields == columns) continue;  // a heading
    if (fields.size() != columns.size()) {
      fail("{}: expected {} tab-separated fields ({}), found {}", reader.where(), columns.size(),
           fmt::join(columns, ", "), line.empty() ? 0 : fields.size());
    }
    for (std::size_t i = 1; i < fields.size(); ++i) fields[i] = normalized(fields[i]);
    const auto empty = std::find(fields.begin(), fields.end(), "");
    if (empty != fields.end()) {
      fail("{}: the {} is empty", reader.where(),
           columns[static_cast<std::size_t>(empty - fields.begin())]);
    }
    PictureLine entry{std::move(fields[0]), {}, reader.number()};
    entry.texts.assign(std::move_iterator(fields.begin() + 1), std::move_iterator(fields.end()));
    lines.push_back(std::move(entry));
  }
  if (lines.empty()) fail("{}: is empty, it has no {}", source.name(), columns[1]);
  return lines;
}

}  // namespace

std::string_view without_count(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos || mark + 1 == name.size()) return name;
  const std::string_view count = name.substr(mark + 1);
  const bool digits = count.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? name.substr(0, mark) : name;
}

namespace {

// Finds and reads the pictures that lines name. Returns for each line which picture it is about.
std::vector<Index> gather(const std::string& pictures_path, const std::string& lines_path,
                          const std::vector<PictureLine>& lines, const PictureForm& form,
                          Pictures& into) {
  const ImageSet set(pictures_path, form);
  std::vector<Index> which, picture_of_line;
  std::unordered_map<Index, Index> known;  // in the set -> here
  for (const PictureLine& line : lines) {
    std::optional<Index> found = set.find(line.picture);
    if (!found) found = set.find(without_count(line.picture));
    if (!found) {
      fail("{}:{}: there is no picture {} in {}", lines_path, line.number, in_quotes(line.picture),
           pictures_path);
    }
    const auto [at, first] = known.try_emplace(*found, static_cast<Index>(which.size()));
    if (first) {
      which.push_back(*found);
      into.names.push_back(set.name(*found));
    }
    picture_of_line.push_back(at->second);
  }
  into.images = set.read(which);
  return picture_of_line;
}

std::optional<Index> whole_number(const std::string& text) {
  Index number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

std::vector<std::string> classes_of(const std::vector<PictureLine>& lines) {
  std::vector<std::string> labels;
  for (const PictureLine& line : lines) labels.push_back(line.texts[0]);
  return classes_in(std::move(labels));
}

LabelledPictures read_idx_labelled(const std::string& pictures_path, const std::string& labels_path,
                                   const PictureForm& form, std::vector<std::string> classes) {
  LabelledPictures result;
  result.labels = read_idx_labels(labels_path);
  result.images = read_idx_pictures(pictures_path);
  if (std::ssize(result.images) != result.labels.size()) {
    fail("{}: has {} images but {} has {} labels; do they belong together?", pictures_path,
         result.images.size(), labels_path, result.labels.size());
  }
  if (result.images.empty()) fail("{}: is empty, there is no picture in it", pictures_path);
  const auto labels = result.labels.values();
  const Index most = *std::max_element(labels.begin(), labels.end());
  if (!classes.empty() && most >= std::ssize(classes)) {
    fail("{}: label {} is none of the {} classes", labels_path, most, classes.size());
  }
  for (Index i = std::ssize(classes); i <= most; ++i) classes.push_back(std::to_string(i));
  result.classes = std::move(classes);
  for (Index i = 0; i < std::ssize(result.images); ++i) {
    Image& image = result.images[static_cast<std::size_t>(i)];
    image = fitted(image, form);
    result.names.push_back(std::to_string(i));
  }
  return result;
}

// Which pictures go to which side, and which number each has there.
struct Sides {
  std::vector<bool> out;
  std::vector<Index> number;
};

template <class Set>
Sides share_pictures(Set& all, double share, Set& train, Set& held) {
  if (!(share >= 0 && share <= 1)) fail("split_by_name: share is {}, not in 0 to 1", share);
  Sides sides;
  for (std::size_t i = 0; i < all.images.size(); ++i) {
    const bool out = held_out(all.names[i], share);
    Set& to = out ? held : train;
    sides.out.push_back(out);
    sides.number.push_back(std::ssize(to.images));
    to.names.push_back(std::move(all.names[i]));
    to.images.push_back(std::move(all.images[i]));
  }
  return sides;
}

}  // namespace

std::vector<PictureLine> read_picture_lines(const std::string& path,
                                            const std::vector<std::string>& columns) {
  return collect_lines(ByteSource::file(path), columns);
}

std::vector<PictureLine> parse_picture_lines(std::string_view bytes, const std::string& name,
                                             const std::vector<std::string>& columns) {
  return collect_lines(ByteSource::memory(bytes, name), columns);
}

CaptionedPictures read_captioned_pictures(const std::string& pictures_path,
                                          const std::string& captions_path,
                                          const PictureForm& form) {
  std::vector<PictureLine> lines = read_picture_lines(captions_path, {"image", "caption"});
  CaptionedPictures result;
  const auto picture = gather(pictures_path, captions_path, lines, form, result);
  result.captions.resize(result.images.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result.captions[static_cast<std::size_t>(picture[i])].push_back(std::move(lines[i].texts[0]));
  }
  return result;
}

QuestionedPictures read_questioned_pictures(const std::string& pictures_path,
                                            const std::string& questions_path,
                                            const PictureForm& form) {
  std::vector<PictureLine> lines =
      read_picture_lines(questions_path, {"image", "question", "answer"});
  QuestionedPictures result;
  const auto picture = gather(pictures_path, questions_path, lines, form, result);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string>& texts = lines[i].texts;
    result.questions.push_back({picture[i], std::move(texts[0]), std::move(texts[1])});
  }
  return result;
}

std::vector<std::string> classes_in(std::vector<std::string> classes) {
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (std::all_of(classes.begin(), classes.end(), [](auto& c) { return whole_number(c); })) {
    std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
      return *whole_number(a) < *whole_number(b);
    });
  }
  return classes;
}

LabelledPictures read_labelled_pictures(const std::string& pictures_path,
                                        const std::string& labels_path, const PictureForm& form,
                                        std::vector<std::string> classes) {
  std::error_code unknown;  // then reading says why
  if (!std::filesystem::is_directory(pictures_path, unknown) && is_idx(pictures_path)) {
    return read_idx_labelled(pictures_path, labels_path, form, std::move(classes));
  }
  const std::vector<PictureLine> lines = read_picture_lines(labels_path, {"image", "label"});
  if (classes.empty()) classes = classes_of(lines);
  LabelledPictures result;
  const auto picture = gather(pictures_path, labels_path, lines, form, result);
  std::vector<std::int32_t> labels(result.images.size(), -1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& label = lines[i].texts[0];
    const auto at = std::find(classes.begin(), classes.end(), label) - classes.begin();
    if (at == std::ssize(classes)) {
      fail("{}:{}: label {} is none of the {} classes", labels_path, lines[i].number,
           in_quotes(label), classes.size());
    }
    std::int32_t& mine = labels[static_cast<std::size_t>(picture[i])];
    if (mine >= 0) {
      fail("{}:{}: {} has a label already; a picture has one", labels_path, lines[i].number,
           in_quotes(lines[i].picture));
    }
    mine = static_cast<std::int32_t>(at);
  }
  result.labels = Ids(std::move(labels));
  result.classes = std::move(classes);
  return result;
}

GreyImages read_grey_images(const std::string& pictures_path, const std::string& labels_path,
                            std::vector<std::string> classes) {
  LabelledPictures all =
      read_labelled_pictures(pictures_path, labels_path, {.channels = 1}, std::move(classes));
  const Image& first = all.images[0];
  for (std::size_t i = 0; i < all.images.size(); ++i) {
    const Image& image = all.images[i];
    if (image.width == first.width && image.height == first.height) continue;
    fail("{}: {} has {} x {} pixels and {} {} x {}; they must be of one size", pictures_path,
         in_quotes(all.names[0]), first.width, first.height, in_quotes(all.names[i]), image.width,
         image.height);
  }
  const Index count = std::ssize(all.images);
  return {{image_tensor(all.images).reshape({count, first.height, first.width}), all.labels},
          std::move(all.classes)};
}

bool held_out(std::string_view name, double share) {
  return static_cast<double>(mixed_bits(hash_bytes(name)) >> 11) * 0x1p-53 < share;
}

std::pair<CaptionedPictures, CaptionedPictures> split_by_name(CaptionedPictures all, double share) {
  CaptionedPictures train, held;
  const Sides sides = share_pictures(all, share, train, held);
  for (std::size_t i = 0; i < all.captions.size(); ++i) {
    (sides.out[i] ? held : train).captions.push_back(std::move(all.captions[i]));
  }
  return {std::move(train), std::move(held)};
}

std::pair<QuestionedPictures, QuestionedPictures> split_by_name(QuestionedPictures all,
                                                                double share) {
  QuestionedPictures train, held;
  const Sides sides = share_pictures(all, share, train, held);
  for (PictureQuestion& question : all.questions) {
    const auto picture = static_cast<std::size_t>(question.picture);
    question.picture = sides.number[picture];
    (sides.out[picture] ? held : train).questions.push_back(std::move(question));
  }
  return {std::move(train), std::move(held)};
}

}  // namespace fovea
