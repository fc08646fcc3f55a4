#include "fovea/io/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/io/numbers.h"

namespace fovea {
namespace {

constexpr Index kLengthBytes = 8;  // what a file starts with

// What the header's JSON says of a tensor, before it is compared with the file.
struct TensorClaim {
  std::optional<std::string> dtype;
  std::optional<std::vector<Index>> shape;
  std::optional<std::vector<Index>> offsets;  // from the end of the header
};

// Receives the header from the JSON parser piece by piece. Anything but the one structure of the
// format stops it at once: nothing nests deeper, no name comes twice, no value has another type.
class HeaderReader {
 public:
  explicit HeaderReader(std::string file) : file_(std::move(file)) {}

  std::map<std::string, TensorClaim> tensors;
  std::map<std::string, std::string> metadata;

  // What the parser calls. All fail or return true: go on.
  bool null() { unexpected("null"); }
  bool boolean(bool) { unexpected("true or false"); }
  bool number_integer(std::int64_t) { unexpected("a negative number"); }
  bool number_float(double, const std::string& text) { unexpected("the number " + text); }
  bool binary(std::vector<std::uint8_t>&) { unexpected("binary data"); }
  bool number_unsigned(std::uint64_t value);
  bool string(std::string& value);
  bool start_object(std::size_t);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception&) {
    fail("{}: its header is no valid JSON at byte {}; is this a safetensors file?", file_,
         static_cast<Index>(byte) + kLengthBytes - 1);
  }

 private:
  enum class Inside { kNothing, kHeader, kMetadata, kTensor, kShape, kOffsets };

  [[noreturn]] void unexpected(std::string_view found) const;

  std::string file_;
  Inside inside_ = Inside::kNothing;
  std::string name_;   // the last name in the header, and
  std::string field_;  // the last one inside its object
  TensorClaim claim_;
};

void HeaderReader::unexpected(std::string_view found) const {
  switch (inside_) {
    case Inside::kNothing:
      fail("{}: its header is {}, an object was expected", file_, found);
    case Inside::kHeader:
      fail("{}: {} is {}, an object was expected", file_, in_quotes(name_), found);
    case Inside::kMetadata:
      fail("{}: metadata {} is {}, a string was expected", file_, in_quotes(field_), found);
    case Inside::kTensor:
      fail("{}: tensor {}: {} is {}, {} was expected", file_, in_quotes(name_), in_quotes(field_),
           found, field_ == "dtype" ? "a string" : "a list");
    case Inside::kShape:
    case Inside::kOffsets:
      break;
  }
  fail("{}: tensor {}: {} holds {}, whole numbers were expected", file_, in_quotes(name_),
       in_quotes(field_), found);
}

bool HeaderReader::number_unsigned(std::uint64_t value) {
  if (inside_ != Inside::kShape && inside_ != Inside::kOffsets) unexpected("a number");
  if (!std::in_range<Index>(value)) {
    fail("{}: tensor {}: {} holds {}, which is too large", file_, in_quotes(name_),
         in_quotes(field_), value);
  }
  auto& list = inside_ == Inside::kShape ? claim_.shape : claim_.offsets;
  list->push_back(static_cast<Index>(value));
  return true;
}

bool HeaderReader::string(std::string& value) {
  if (inside_ == Inside::kMetadata) {
    metadata[field_] = std::move(value);
  } else if (inside_ == Inside::kTensor && field_ == "dtype") {
    claim_.dtype = std::move(value);
  } else {
    unexpected("a string");
  }
  return true;
}

bool HeaderReader::start_object(std::size_t) {
  if (inside_ == Inside::kNothing) {
    inside_ = Inside::kHeader;
  } else if (inside_ == Inside::kHeader) {
    inside_ = name_ == kMetadataName ? Inside::kMetadata : Inside::kTensor;
    claim_ = {};
  } else {
    unexpected("an object");
  }
  return true;
}

bool HeaderReader::key(std::string& name) {
  if (inside_ == Inside::kHeader) {
    const bool fresh = tensors.try_emplace(name).second;
    if (!fresh) fail("{}: the name {} comes twice in its header", file_, in_quotes(name));
    name_ = std::move(name);
    return true;
  }
  field_ = std::move(name);
  bool fresh = true;
  if (inside_ == Inside::kMetadata) {
    fresh = metadata.try_emplace(field_).second;
  } else if (field_ == "dtype") {
    fresh = !claim_.dtype;
  } else if (field_ == "shape") {
    fresh = !claim_.shape;
  } else if (field_ == "data_offsets") {
    fresh = !claim_.offsets;
  } else {
    fail("{}: tensor {} has a field {}; only dtype, shape and data_offsets are known", file_,
         in_quotes(name_), in_quotes(field_));
  }
  if (!fresh) fail("{}: {} comes twice in {}", file_, in_quotes(field_), in_quotes(name_));
  return true;
}

bool HeaderReader::end_object() {
  if (inside_ == Inside::kTensor) {
    const char* const missing = !claim_.dtype     ? "dtype"
                                : !claim_.shape   ? "shape"
                                : !claim_.offsets ? "data_offsets"
                                                  : nullptr;
    if (missing != nullptr) fail("{}: tensor {} has no {}", file_, in_quotes(name_), missing);
    tensors[name_] = std::move(claim_);
  } else if (inside_ == Inside::kHeader) {
    tensors.erase(std::string(kMetadataName));  // stood there to be seen when it comes twice
  }
  inside_ = inside_ == Inside::kHeader ? Inside::kNothing : Inside::kHeader;
  return true;
}

bool HeaderReader::start_array(std::size_t) {
  if (inside_ != Inside::kTensor || field_ == "dtype") unexpected("a list");
  inside_ = field_ == "shape" ? Inside::kShape : Inside::kOffsets;
  (inside_ == Inside::kShape ? claim_.shape : claim_.offsets).emplace();
  return true;
}

bool HeaderReader::end_array() {
  inside_ = Inside::kTensor;
  return true;
}

// How many bits a number of a type has; 0 if the type is not known.
Index bits_of(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, int>, 20> kBits{{
      {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"BOOL", 8},    {"U8", 8},
      {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
      {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
      {"F32", 32}, {"F64", 64},    {"I64", 64},    {"U64", 64},    {"C64", 64},
  }};
  for (const auto& [name, bits] : kBits) {
    if (name == dtype) return bits;
  }
  return 0;
}

// The tensor, if what is claimed of it is possible in a file of this size.
StoredTensor checked(const ByteSource& source, const std::string& name, TensorClaim&& claim,
                     Index data_begin) {
  const std::string& file = source.name();
  const auto shape_text = [&] { return fmt::format("[{}]", fmt::join(*claim.shape, ", ")); };
  const Index bits = bits_of(*claim.dtype);
  if (bits == 0) {
    fail("{}: tensor {} has the unknown dtype {}", file, in_quotes(name), in_quotes(*claim.dtype));
  }
  const std::optional<Index> count = count_numbers(*claim.shape);
  if (!count) fail("{}: tensor {} has an impossible shape {}", file, in_quotes(name), shape_text());
  if (claim.offsets->size() != 2) {
    fail("{}: tensor {} has {} data_offsets, 2 were expected", file, in_quotes(name),
         claim.offsets->size());
  }
  const Index begin = (*claim.offsets)[0], end = (*claim.offsets)[1];
  if (end < begin) {
    fail("{}: tensor {} has data_offsets [{}, {}], which run backwards", file, in_quotes(name),
         begin, end);
  }
  if (end > source.size() - data_begin) {
    fail("{}: tensor {} ends at byte {} but the file has {}", file, in_quotes(name),
         static_cast<std::uint64_t>(end) + static_cast<std::uint64_t>(data_begin), source.size());
  }
  const Index needed = bits < 8 ? ceil_div(*count * bits, 8) : *count * (bits / 8);
  if (end - begin != needed) {
    fail("{}: tensor {} has {} bytes but {} of {} needs {}", file, in_quotes(name), end - begin,
         shape_text(), *claim.dtype, needed);
  }
  return {.dtype = std::move(*claim.dtype),
          .shape = std::move(*claim.shape),
          .begin = data_begin + begin,
          .end = data_begin + end};
}

// Every byte behind the header belongs to exactly one tensor.
void check_layout(const ByteSource& source, const ModelHeader& header) {
  std::vector<const std::pair<const std::string, StoredTensor>*> by_place;
  by_place.reserve(header.tensors.size());
  for (const auto& entry : header.tensors) by_place.push_back(&entry);
  std::stable_sort(by_place.begin(), by_place.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  Index reached = header.data_begin;
  const std::string* last = nullptr;
  for (const auto* entry : by_place) {
    const auto& [name, tensor] = *entry;
    if (tensor.begin < reached) {
      fail("{}: tensor {} begins at byte {} but tensor {} ends at byte {}", source.name(),
           in_quotes(name), tensor.begin, in_quotes(*last), reached);
    }
    if (tensor.begin > reached) {
      fail("{}: bytes {} to {}, before tensor {}, belong to no tensor", source.name(), reached,
           tensor.begin, in_quotes(name));
    }
    reached = tensor.end;
    last = &name;
  }
  if (reached != source.size()) {
    fail("{}: bytes {} to {}, its last, belong to no tensor", source.name(), reached,
         source.size());
  }
}

}  // namespace

ModelHeader read_safetensors_header(const ByteSource& source) {
  const std::string& file = source.name();
  if (source.size() < kLengthBytes) {
    fail("{}: has {} bytes, a safetensors file has at least {}", file, source.size(), kLengthBytes);
  }
  std::uint64_t length = 0;
  source.read(0, &length, kLengthBytes);
  if (length > kLongestSafetensorsHeader) {
    fail("{}: a header of {} bytes is claimed, at most {} are allowed; is this a safetensors file?",
         file, length, kLongestSafetensorsHeader);
  }
  const Index data_begin = kLengthBytes + static_cast<Index>(length);
  if (data_begin > source.size()) {
    fail("{}: its header ends at byte {} but the file has {}", file, data_begin, source.size());
  }
  std::string text(length, '\0');
  source.read(kLengthBytes, text.data(), static_cast<Index>(length));
  HeaderReader reader(file);
  nlohmann::json::sax_parse(text, &reader);

  ModelHeader header{.metadata = std::move(reader.metadata), .data_begin = data_begin};
  for (auto& [name, claim] : reader.tensors) {
    header.tensors.emplace(name, checked(source, name, std::move(claim), data_begin));
  }
  check_layout(source, header);
  return header;
}

}  // namespace fovea
