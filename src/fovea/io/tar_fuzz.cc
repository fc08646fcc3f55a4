// Any bytes as a .tar archive, plain or compressed: an Error or its files, nothing else.
#include "fovea/io/reader_test_fuzz.h"
#include "fovea/io/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz_reader(data, size, [](std::string_view bytes) {
    const auto archive = fovea::TarArchive::memory(bytes, "fuzz");
    for (const fovea::TarMember& member : archive.members()) archive.read(member);
  });
}
