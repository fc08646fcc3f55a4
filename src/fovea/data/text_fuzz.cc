// Any bytes as a text file: an Error, or lines that normalise to what is normal already.
#include "fovea/data/text.h"
#include "fovea/data/utf8.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    for (const std::string& line : fovea::parse_lines(bytes, "fuzz")) {
      for (const bool lower_cased : {false, true}) {
        const std::string once = fovea::normalized(line, lower_cased);
        if (fovea::normalized(once, lower_cased) != once) std::abort();
        if (fovea::to_utf8(fovea::to_code_points(once)) != once) std::abort();
      }
    }
  });
}
