// Any bytes as a checkpoint: an Error or a state, nothing else. The checksum is made right, so that
// what lies behind it is reached.
#include "fovea/io/reader_test_fuzz.h"
#include "fovea/training/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    fovea::ModelFile file = fovea::parse_safetensors(bytes, "fuzz");
    file.metadata["checksum"] = fovea::checkpoint_checksum(file);
    fovea::parse_checkpoint(file, "fuzz");
  });
}
