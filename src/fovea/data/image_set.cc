#include "fovea/data/image_set.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/io/image_file.h"

namespace fovea {
namespace {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    std::string name = at->path().filename().string();
    if (at->is_regular_file(ignored) && !name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error) fail("{}: cannot read: {}", folder, error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Image fitted(const Image& image, const PictureForm& form) {
  const Index width = form.width > 0 ? form.width : image.width;
  const Index height = form.height > 0 ? form.height : image.height;
  const Index channels = form.channels > 0 ? form.channels : image.channels;
  return resized(with_channels(image, channels), width, height);
}

ImageSet::ImageSet(const std::string& path, const PictureForm& form) : path_(path), form_(form) {
  std::error_code unknown;  // then reading says why
  if (std::filesystem::is_directory(path, unknown)) {
    names_ = files_in(path);
  } else {
    archive_.emplace(TarArchive::file(path));
    for (const TarMember& member : archive_->members()) names_.push_back(member.name);
  }
  if (names_.empty()) fail("{}: is empty, there is no picture in it", path);
  for (Index i = 0; i < size(); ++i) {
    const std::size_t folders = name(i).rfind('/') + 1;  // 0 where there is none
    const auto [at, first] = bare_.try_emplace(name(i).substr(folders), i);
    if (!first) at->second.reset();
  }
}

std::optional<Index> ImageSet::find(std::string_view name) const {
  while (name.starts_with("./")) name.remove_prefix(2);
  const auto at = std::lower_bound(names_.begin(), names_.end(), name);
  if (at != names_.end() && *at == name) return at - names_.begin();
  const auto bare = bare_.find(name);
  return bare == bare_.end() ? std::nullopt : bare->second;
}

Image ImageSet::read(Index i) const {
  if (!archive_)
    return fitted(read_image((std::filesystem::path(path_) / name(i)).string()), form_);
  const TarMember& member = archive_->members()[static_cast<std::size_t>(i)];
  return fitted(decode_image(archive_->read(member), path_ + ": " + in_quotes(member.name)), form_);
}

std::vector<Image> ImageSet::read(std::span<const Index> which) const {
  std::vector<Image> images(which.size());
  std::vector<std::string> errors(which.size());
  parallel_for(static_cast<Index>(which.size()), 8, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      try {
        images[i] = read(which[i]);
      } catch (const Error& error) {
        errors[i] = error.what();
      }
    }
  });
  // The first, on any number of threads.
  for (const std::string& error : errors) {
    if (!error.empty()) fail("{}", error);
  }
  return images;
}

}  // namespace fovea
