// Any bytes as the body of a request: a Refusal or a request, nothing else.
#include "fovea/io/reader_test_fuzz.h"
#include "fovea/serve/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz_reader(data, size, [](std::string_view body) { fovea::parse_run_request(body); });
  fovea::fuzz_reader(data, size, [](std::string_view body) { fovea::parse_explain_request(body); });
  fovea::fuzz_reader(data, size,
                     [](std::string_view body) { fovea::parse_pictures_request(body); });
  return fovea::fuzz_reader(data, size,
                            [](std::string_view body) { fovea::parse_attend_request(body); });
}
