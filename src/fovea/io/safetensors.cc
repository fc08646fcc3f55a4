#include "fovea/io/safetensors.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/io/numbers.h"
#include "fovea/io/safetensors_header.h"

namespace fovea {
namespace {

constexpr std::size_t kDataAlignment = 8;  // of the data in the file: others map it

std::optional<NumberType> number_type(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, NumberType>, 13> kTypes{{
      {"BOOL", NumberType::kBool},
      {"U8", NumberType::kUint8},
      {"I8", NumberType::kInt8},
      {"U16", NumberType::kUint16},
      {"I16", NumberType::kInt16},
      {"U32", NumberType::kUint32},
      {"I32", NumberType::kInt32},
      {"U64", NumberType::kUint64},
      {"I64", NumberType::kInt64},
      {"F16", NumberType::kFloat16},
      {"BF16", NumberType::kBfloat16},
      {"F32", NumberType::kFloat32},
      {"F64", NumberType::kFloat64},
  }};
  for (const auto& [name, type] : kTypes) {
    if (name == dtype) return type;
  }
  return std::nullopt;
}

Tensor read_tensor(const ByteSource& source, const std::string& name, const StoredTensor& stored) {
  const std::string where = fmt::format("{}: tensor {}", source.name(), in_quotes(name));
  ByteStream stream(source, {.name = where,
                             .kind = "tensor",
                             .begin = stored.begin,
                             .packed_size = stored.end - stored.begin});
  Tensor tensor{Shape(stored.shape)};
  read_floats(stream, {.type = *number_type(stored.dtype)}, tensor.flat());
  return tensor;
}

// Before any tensor is read, so that a file that cannot be used costs no time.
void check_readable(const ByteSource& source, const ModelHeader& header) {
  for (const auto& [name, stored] : header.tensors) {
    if (!number_type(stored.dtype)) {
      fail("{}: tensor {} has dtype {}, which cannot be read as float32; store F32, F16 or BF16",
           source.name(), in_quotes(name), stored.dtype);
    }
    if (stored.shape.size() > Shape::kMaxRank) {
      fail("{}: tensor {} has {} axes, at most {} can be read", source.name(), in_quotes(name),
           stored.shape.size(), Shape::kMaxRank);
    }
  }
}

ModelFile read_model(const ByteSource& source) {
  ModelHeader header = read_safetensors_header(source);
  check_readable(source, header);
  ModelFile model{.metadata = std::move(header.metadata)};
  for (const auto& [name, stored] : header.tensors) {
    model.tensors.emplace(name, read_tensor(source, name, stored));
  }
  return model;
}

// `text` as JSON writes it. Other bytes than UTF-8 have no place in the format.
std::string json_text(const std::string& path, const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    fail("{}: cannot write: {} is not valid UTF-8", path, in_quotes(text));
  }
}

void add_metadata(const std::string& path, const ModelFile& model, std::string& header) {
  if (model.metadata.empty()) return;
  const char* separator = "";
  header += fmt::format("\"{}\":{{", kMetadataName);
  for (const auto& [key, value] : model.metadata) {
    header += fmt::format("{}{}:{}", separator, json_text(path, key), json_text(path, value));
    separator = ",";
  }
  header += "}";
}

// Padded with spaces, so that the data behind it is aligned.
std::string header_text(const std::string& path, const ModelFile& model) {
  std::string header = "{";
  add_metadata(path, model, header);
  Index offset = 0;
  for (const auto& [name, tensor] : model.tensors) {
    if (!tensor) fail("{}: cannot write: tensor {} holds nothing", path, in_quotes(name));
    if (name == kMetadataName) {
      fail("{}: cannot write: no tensor may have the name {}", path, in_quotes(name));
    }
    const Index end = offset + tensor.size() * static_cast<Index>(sizeof(float));
    header += fmt::format("{}{}:{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() > 1 ? "," : "", json_text(path, name),
                          fmt::join(tensor.shape(), ","), offset, end);
    offset = end;
  }
  header += "}";
  header.resize((header.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment, ' ');
  if (header.size() > kLongestSafetensorsHeader) {
    fail("{}: cannot write: its header would have {} bytes, at most {} are allowed", path,
         header.size(), kLongestSafetensorsHeader);
  }
  return header;
}

template <class Object>
std::string_view bytes_view(const Object* first, Index count) {
  return {reinterpret_cast<const char*>(first), static_cast<std::size_t>(count) * sizeof(Object)};
}

}  // namespace

ModelFile read_safetensors(const std::string& path) { return read_model(ByteSource::file(path)); }

ModelFile parse_safetensors(std::string_view bytes, const std::string& name) {
  return read_model(ByteSource::memory(bytes, name));
}

ModelHeader read_safetensors_header(const std::string& path) {
  return read_safetensors_header(ByteSource::file(path));
}

void write_safetensors(const std::string& path, const ModelFile& model) {
  const std::string header = header_text(path, model);
  const auto length = static_cast<std::uint64_t>(header.size());
  write_file(path, [&](const FileSink& sink) {
    sink(bytes_view(&length, 1));
    sink(header);
    for (const auto& [name, tensor] : model.tensors) {
      const Tensor packed = tensor.packed();
      sink(bytes_view(packed.data(), packed.size()));
    }
  });
}

}  // namespace fovea
