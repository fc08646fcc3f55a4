// ImageSet: the pictures of a folder or of a .tar archive, by name, brought to one size.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/image.h"
#include "fovea/io/tar.h"

namespace fovea {

// What pictures are brought to; 0: as the file has it. They are stretched, not cut.
struct PictureForm {
  Index width = 0, height = 0;
  Index channels = 0;  // 1: grey, 3: red, green, blue
};
Image fitted(const Image& image, const PictureForm& form);

// Knows names only; a picture is read and decoded when it is asked for, from any thread.
class ImageSet {
 public:
  // A folder, whose own folders are not looked into, or a .tar or .tar.gz archive.
  explicit ImageSet(const std::string& path, const PictureForm& form = {});

  const std::string& path() const { return path_; }
  Index size() const { return static_cast<Index>(names_.size()); }
  const std::string& name(Index i) const { return names_[static_cast<std::size_t>(i)]; }

  // By its name, with the folders an archive has it in; or without them where that is clear.
  std::optional<Index> find(std::string_view name) const;

  Image read(Index i) const;
  std::vector<Image> read(std::span<const Index> which) const;  // on all threads

 private:
  std::string path_;
  PictureForm form_;
  std::optional<TarArchive> archive_;                              // none: a folder
  std::vector<std::string> names_;                                 // in order
  std::map<std::string, std::optional<Index>, std::less<>> bare_;  // without folders; none: several
};

}  // namespace fovea
