// Any bytes as a JPEG file: an Error or a picture, nothing else.
#include "fovea/io/jpeg.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size,
                            [](std::string_view bytes) { fovea::decode_jpeg(bytes, "fuzz"); });
}
