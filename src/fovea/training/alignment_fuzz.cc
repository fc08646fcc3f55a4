// Any bytes as alignments: an Error, or links that are read back as they are written.
#include "fovea/io/reader_test_fuzz.h"
#include "fovea/training/alignment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    const auto alignments = fovea::parse_alignments(bytes, "fuzz");
    for (const fovea::Alignment& alignment : alignments) {
      const std::string line = fovea::to_pharaoh(alignment);
      if (fovea::to_pharaoh(fovea::parse_pharaoh(line, "fuzz")) != line) std::abort();
    }
    if (fovea::alignment_error(alignments, alignments).precision != 1) std::abort();
  });
}
