// Pictures with what is said of them: captions, questions with answers, labels. Out of .tsv files
// whose lines begin with a picture's name, and pictures out of a folder or archive
// (data/image_set.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/data/idx.h"
#include "fovea/data/image_set.h"
#include "fovea/tensor/ids.h"

namespace fovea {

// Those that a .tsv file names, in the order in which it does. Others are not read.
struct Pictures {
  std::vector<std::string> names{};
  std::vector<Image> images{};
};

struct CaptionedPictures : Pictures {
  std::vector<std::vector<std::string>> captions{};  // of each picture, one or more; normalised
};

struct PictureQuestion {
  Index picture = 0;
  std::string text{}, answer{};  // normalised (data/text.h)
};
struct QuestionedPictures : Pictures {
  std::vector<PictureQuestion> questions{};
};

struct LabelledPictures : Pictures {
  Ids labels{};                        // [picture]
  std::vector<std::string> classes{};  // what each label is called
};

// `image TAB caption`, as many lines a picture as there are captions; Flickr8k's `image#0` is
// `image`.
CaptionedPictures read_captioned_pictures(const std::string& pictures_path,
                                          const std::string& captions_path,
                                          const PictureForm& form = {});

// `image TAB question TAB answer`
QuestionedPictures read_questioned_pictures(const std::string& pictures_path,
                                            const std::string& questions_path,
                                            const PictureForm& form = {});

// Each label once: by number if all are numbers, else as text.
std::vector<std::string> classes_in(std::vector<std::string> labels);

// `image TAB label`, or two IDX files (data/idx.h), whose classes are called "0", "1" and so on.
// `classes`: those there can be, as a model knows them; none: all that are found, in order.
LabelledPictures read_labelled_pictures(const std::string& pictures_path,
                                        const std::string& labels_path,
                                        const PictureForm& form = {},
                                        std::vector<std::string> classes = {});

// The same for models that read by glimpses: grey, as large as the files have them, all alike.
struct GreyImages : LabelledImages {
  std::vector<std::string> classes{};
};
GreyImages read_grey_images(const std::string& pictures_path, const std::string& labels_path,
                            std::vector<std::string> classes = {});

// Whether a picture is held out, given which share of them shall be: a function of its name alone,
// so that all that is said of it stays on one side.
bool held_out(std::string_view name, double share);

// {to train on, held out}
std::pair<CaptionedPictures, CaptionedPictures> split_by_name(CaptionedPictures all, double share);
std::pair<QuestionedPictures, QuestionedPictures> split_by_name(QuestionedPictures all,
                                                                double share);

// Flickr8k counts the captions of a picture behind its name, "1.jpg#0".
std::string_view without_count(std::string_view name);

// A line of such a file.
struct PictureLine {
  std::string picture{};
  std::vector<std::string> texts{};  // normalised, none empty
  Index number = 0;                  // of the line, from 1
};
// `columns` name what is expected, "image" and "caption". A first line that says just that is a
// heading.
std::vector<PictureLine> read_picture_lines(const std::string& path,
                                            const std::vector<std::string>& columns);
std::vector<PictureLine> parse_picture_lines(std::string_view bytes, const std::string& name,
                                             const std::vector<std::string>& columns);

}  // namespace fovea
