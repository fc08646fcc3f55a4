// Any bytes as a safetensors file: an Error or a model, nothing else.
#include "fovea/io/reader_test_fuzz.h"
#include "fovea/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(
      data, size, [](std::string_view bytes) { fovea::parse_safetensors(bytes, "fuzz"); });
}
