// Reading whole files, and writing so that a reader sees the old file or the new one, never a part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fovea {

// The content of a file. `limit`: larger files are refused before anything is allocated.
std::string read_file(const std::string& path, std::size_t limit = std::size_t{1} << 40);

// Receives the bytes of a file being written.
using FileSink = std::function<void(std::string_view bytes)>;

// Writes to a temporary name beside `path`, syncs and renames. When anything fails (a full disk, a
// folder without permission, an exception of `write`), the temporary file goes and what stood at
// `path` stays.
void write_file(const std::string& path, const std::function<void(const FileSink&)>& write);
void write_file(const std::string& path, std::string_view content);

// Fails as write_file would, and changes nothing: for what is to be written after long work.
void check_can_write(const std::string& path);

// Removes the temporary files of writers of `path` that were killed. This process must not be
// writing to it.
void remove_remainders(const std::string& path);

}  // namespace fovea
