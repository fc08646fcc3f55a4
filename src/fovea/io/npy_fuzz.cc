// Any bytes as an .npy file: an Error or an array, nothing else.
#include "fovea/io/npy.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz_reader(data, size,
                     [](std::string_view bytes) { fovea::parse_npy_ids(bytes, "fuzz"); });
  return fovea::fuzz_reader(data, size,
                            [](std::string_view bytes) { fovea::parse_npy(bytes, "fuzz"); });
}
