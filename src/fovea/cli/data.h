// What the parts of `fovea data` share: splits, blocks made in parallel, pictures as files.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/cli/verb.h"
#include "fovea/data/split.h"

namespace fovea::cli {

Verb data_translation_verb();
Verb data_scenes_verb();
Verb data_digits_verb();

struct DataPart {
  Split split;
  std::string name;
  Index count;
};
// `only` is "all", or the one that is wanted, which then has `count`.
std::vector<DataPart> data_parts(Index count, Index held_out, const std::string& only = "all");

void make_folder(const std::string& path);

// Calls write(i, make(i)) for each in order; blocks of them are made in parallel.
template <class Make, class Write>
void for_each_in_order(Index count, const Make& make, const Write& write) {
  constexpr Index kBlock = 4096;  // in memory at a time
  for (Index begin = 0; begin < count; begin += kBlock) {
    using Made = std::invoke_result_t<Make, Index>;
    std::vector<Made> block(static_cast<std::size_t>(std::min(kBlock, count - begin)));
    parallel_for(static_cast<Index>(block.size()), 64, [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) block[static_cast<std::size_t>(i)] = make(begin + i);
    });
    for (Index i = 0; i < std::ssize(block); ++i)
      write(begin + i, block[static_cast<std::size_t>(i)]);
  }
}

// Receives a picture's name and its bytes.
using PictureSink = std::function<void(const std::string& name, const std::string& bytes)>;

// Into `path`.tar or, `as` "folder", as single files into the folder `path`. Returns where they
// are.
std::string write_pictures(const std::string& path, const std::string& as,
                           const std::function<void(const PictureSink&)>& write);

}  // namespace fovea::cli
