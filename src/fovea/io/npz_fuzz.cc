// Any bytes as an .npz file: an Error or arrays, nothing else.
#include "fovea/io/npz.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size,
                            [](std::string_view bytes) { fovea::parse_npz(bytes, "fuzz"); });
}
