// Any bytes as the pieces of a tokenizer: an Error, or one that reads back what it writes.
#include <array>

#include "fovea/data/tokenizer.h"
#include "fovea/data/tokenizer_format.h"
#include "fovea/io/reader_test_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 4> kKinds = {"unigram", "bpe", "words", "characters"};
  if (size == 0) return 0;
  const auto options = fmt::format("fovea-tokenizer 1 {} mixed split", kKinds[data[0] % 4]);
  fovea::fuzz_reader(data, size,
                     [](std::string_view bytes) { fovea::Tokenizer::parse(bytes, "fuzz"); });
  return fovea::fuzz_reader(data + 1, size - 1, [&](std::string_view bytes) {
    const auto tokenizer = fovea::Tokenizer::parse(fovea::with_checksum(options, bytes), "fuzz");
    for (const std::int32_t id : tokenizer.encode(bytes)) tokenizer.piece(id);
    tokenizer.decode(tokenizer.encode(bytes));
    const std::string written = tokenizer.serialize();
    if (fovea::Tokenizer::parse(written, "fuzz").serialize() != written) std::abort();
  });
}
