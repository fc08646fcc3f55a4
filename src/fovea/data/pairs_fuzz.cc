// Any bytes as tab-separated pairs: an Error, or pairs of which neither side is empty.
#include "fovea/data/pairs.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool skip_bad = size % 2 == 0;
  return fovea::fuzz_reader(data, size, [&](std::string_view bytes) {
    const auto read = fovea::parse_pairs(bytes, "fuzz", {.skip_bad = skip_bad});
    for (const auto& pair : read.pairs) {
      if (pair.source.empty() || pair.target.empty()) std::abort();
    }
    const auto split = fovea::split_by_content(read.pairs, 0.5);
    if (split.train.size() + split.held_out.size() != read.pairs.size()) std::abort();
  });
}
