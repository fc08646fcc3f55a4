// fovea data: one part per built-in world, and what they share.
#include "fovea/cli/data.h"

#include <filesystem>
#include <system_error>

#include "fovea/base/files.h"
#include "fovea/cli/text.h"
#include "fovea/io/tar.h"

namespace fovea::cli {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail("{}: cannot make this folder: {}", path, error.message());
}

std::vector<DataPart> data_parts(Index count, Index held_out, const std::string& only) {
  std::vector<DataPart> parts;
  for (const DataPart& part :
       {DataPart{Split::kTrain, "train", count}, DataPart{Split::kValid, "valid", held_out},
        DataPart{Split::kTest, "test", held_out}}) {
    if (only == "all" || only == part.name) parts.push_back(part);
  }
  if (parts.size() == 1) parts[0].count = count;
  return parts;
}

std::string write_pictures(const std::string& path, const std::string& as,
                           const std::function<void(const PictureSink&)>& write) {
  if (as == "folder") {
    make_folder(path);
    write([&](const std::string& name, const std::string& bytes) {
      write_file((std::filesystem::path(path) / name).string(), bytes);
    });
    return path;
  }
  const std::string archive = path + ".tar";
  write_file(archive, [&](const FileSink& sink) {
    write([&](const std::string& name, const std::string& bytes) {
      const auto size = static_cast<Index>(bytes.size());
      sink(tar_header(name, size));
      sink(bytes);
      sink(tar_padding(size));
    });
    sink(tar_end());
  });
  return archive;
}

Verb data_verb() {
  return {
      .name = "data",
      .usage = "NAME --out DIR [options]",
      .summary = "write a built-in data set to files",
      .about =
          R"(Writes a world that this program makes up itself, in the formats `fovea train` reads, with
the truth beside it: what a model should have looked at. Same seed, same files.)",
      .examples = {},
      .define = nullptr,
      .parts = {data_translation_verb(), data_scenes_verb(), data_digits_verb()}};
}

}  // namespace fovea::cli
