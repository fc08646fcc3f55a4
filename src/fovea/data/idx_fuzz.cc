// Any bytes as an IDX file, plain or compressed: an Error, images or labels, nothing else.
#include "fovea/data/idx.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz_reader(data, size,
                     [](std::string_view bytes) { fovea::parse_idx_labels(bytes, "fuzz"); });
  return fovea::fuzz_reader(data, size,
                            [](std::string_view bytes) { fovea::parse_idx_images(bytes, "fuzz"); });
}
