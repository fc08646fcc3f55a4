// Any bytes as a .tsv file of captions or of questions: an Error or lines, nothing else.
#include "fovea/data/picture_texts.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    fovea::parse_picture_lines(bytes, "fuzz", {"image", "caption"});
  });
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    fovea::parse_picture_lines(bytes, "fuzz", {"image", "question", "answer"});
  });
}
