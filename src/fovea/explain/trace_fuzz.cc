// Any bytes as a trace: an Error, or traces that can be written and read again.
#include <cstdlib>

#include "fovea/attention/trace_json.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    for (const fovea::Trace& trace : fovea::parse_traces(bytes, "fuzz")) {
      const std::string json = fovea::to_json(trace);
      if (fovea::to_json(fovea::parse_trace(json, "again")) != json) std::abort();
    }
  });
}
