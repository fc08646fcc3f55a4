// fovea info: what is inside a model or array file, without loading its numbers.
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fovea/cli/json_text.h"
#include "fovea/cli/text.h"
#include "fovea/cli/verb.h"
#include "fovea/io/npy_header.h"
#include "fovea/io/numbers.h"
#include "fovea/io/safetensors_header.h"
#include "fovea/io/source.h"
#include "fovea/io/stream.h"
#include "fovea/io/zip.h"

namespace fovea::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<Index> shape;
  Index bytes = 0;
  std::string note{};  // how it is stored, where that is unusual

  Index numbers() const { return count_numbers(shape).value_or(0); }
};

struct Contents {
  std::string format;  // "safetensors"
  std::string entry;   // what the format calls its tensors
  std::map<std::string, std::string> metadata{};
  std::vector<Entry> entries{};
};

std::string dtype_name(NumberType type) {
  switch (type) {
    case NumberType::kBool:
      return "bool";
    case NumberType::kInt8:
      return "int8";
    case NumberType::kUint8:
      return "uint8";
    case NumberType::kInt16:
      return "int16";
    case NumberType::kUint16:
      return "uint16";
    case NumberType::kInt32:
      return "int32";
    case NumberType::kUint32:
      return "uint32";
    case NumberType::kInt64:
      return "int64";
    case NumberType::kUint64:
      return "uint64";
    case NumberType::kFloat16:
      return "float16";
    case NumberType::kBfloat16:
      return "bfloat16";
    case NumberType::kFloat32:
      return "float32";
    case NumberType::kFloat64:
      return "float64";
  }
  return "";
}

Entry npy_entry(const std::string& name, ByteStream stream) {
  const NpyHeader header = read_npy_header(stream);
  std::vector<std::string> notes;
  if (header.format.big_endian) notes.emplace_back("big-endian");
  if (header.fortran_order) notes.emplace_back("Fortran order");
  return {.name = name,
          .dtype = dtype_name(header.format.type),
          .shape = {header.shape.begin(), header.shape.end()},
          .bytes = header.shape.size() * bytes_of(header.format.type),
          .note = fmt::format("{}", fmt::join(notes, ", "))};
}

Contents npy_contents(const ByteSource& file) {
  return {.format = "npy", .entry = "array", .entries = {npy_entry("", ByteStream::all(file))}};
}

Contents npz_contents(const ByteSource& file) {
  Contents contents{.format = "npz", .entry = "array"};
  for (const ZipMember& member : read_zip_directory(file)) {
    constexpr std::string_view kSuffix = ".npy";
    if (!member.name.ends_with(kSuffix)) {
      fail("{}: member {} is no array: its name does not end in {}", file.name(),
           in_quotes(member.name), kSuffix);
    }
    Entry entry = npy_entry(member.name.substr(0, member.name.size() - kSuffix.size()),
                            open_member(file, member));
    if (member.compression != Compression::kNone) {
      entry.note += fmt::format("{}deflated to {}", entry.note.empty() ? "" : ", ",
                                byte_size(member.packed_size));
    }
    contents.entries.push_back(std::move(entry));
  }
  return contents;
}

Contents safetensors_contents(const ByteSource& file) {
  ModelHeader header = read_safetensors_header(file);
  Contents contents{
      .format = "safetensors", .entry = "tensor", .metadata = std::move(header.metadata)};
  for (const auto& [name, tensor] : header.tensors) {
    contents.entries.push_back({.name = name,
                                .dtype = tensor.dtype,
                                .shape = tensor.shape,
                                .bytes = tensor.end - tensor.begin});
  }
  return contents;
}

using Reader = Contents (*)(const ByteSource&);

// By its name, so that a damaged file is told what is wrong with it; else by how it starts.
Reader reader_of(const ByteSource& file) {
  if (file.name().ends_with(".safetensors")) return safetensors_contents;
  if (file.name().ends_with(".npy")) return npy_contents;
  if (file.name().ends_with(".npz")) return npz_contents;
  std::array<char, 10> bytes{};
  file.read(0, bytes.data(), std::min<Index>(file.size(), bytes.size()));
  const std::string_view start(bytes.data(), bytes.size());
  if (start.starts_with("\x93NUMPY")) return npy_contents;
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return npz_contents;
  if (start.substr(8).starts_with("{\"")) return safetensors_contents;
  fail("{}: is no file of a known format; safetensors, .npy and .npz files can be shown",
       file.name());
}

Index total(const Contents& contents, Index (*of)(const Entry&)) {
  Index sum = 0;
  for (const Entry& entry : contents.entries) sum += of(entry);
  return sum;
}
Index total_numbers(const Contents& contents) {
  return total(contents, [](const Entry& entry) { return entry.numbers(); });
}
Index total_bytes(const Contents& contents) {
  return total(contents, [](const Entry& entry) { return entry.bytes; });
}

void print_json(const ByteSource& file, const Contents& contents, std::ostream& out) {
  Json tensors = Json::array();
  for (const Entry& entry : contents.entries) {
    Json tensor = {{"name", entry.name},
                   {"dtype", entry.dtype},
                   {"shape", entry.shape},
                   {"numbers", entry.numbers()},
                   {"bytes", entry.bytes}};
    if (!entry.note.empty()) tensor["note"] = entry.note;
    tensors.push_back(std::move(tensor));
  }
  const Json page = {{"file", file.name()},
                     {"format", contents.format},
                     {"file_bytes", file.size()},
                     {"numbers", total_numbers(contents)},
                     {"bytes", total_bytes(contents)},
                     {"metadata", contents.metadata},
                     {"tensors", std::move(tensors)}};
  out << json_text(page, 2);
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 120;
  if (text.size() <= kLongest) return printable(text);
  std::size_t end = kLongest;  // not within a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return fmt::format("{}... ({} bytes; --json shows all)", printable(text.substr(0, end)),
                     with_commas(static_cast<Index>(text.size())));
}

void print_page(const ByteSource& file, const Contents& contents, std::ostream& out) {
  out << fmt::format("{}: {} file of {}: {}, {} in {}\n", printable(file.name()), contents.format,
                     byte_size(file.size()),
                     counted(static_cast<Index>(contents.entries.size()), contents.entry),
                     counted(total_numbers(contents), "number"), byte_size(total_bytes(contents)));
  if (!contents.metadata.empty()) {
    Table table({{"metadata"}, {""}});
    for (const auto& [name, value] : contents.metadata) {
      table.add({shortened(name), shortened(value)});
    }
    out << "\n" << table.text();
  }
  if (contents.entries.empty()) return;
  using enum Table::Align;
  Table table(
      {{contents.entry}, {"dtype"}, {"shape"}, {"numbers", kRight}, {"size", kRight}, {""}});
  for (const Entry& entry : contents.entries) {
    table.add({entry.name.empty() ? "(no name)" : printable(entry.name), entry.dtype,
               fmt::format("[{}]", fmt::join(entry.shape, ", ")), with_commas(entry.numbers()),
               byte_size(entry.bytes), entry.note});
  }
  out << "\n" << table.text();
}

struct InfoFlags {
  std::string file;
  bool json = false;
};

}  // namespace

Verb info_verb() {
  return {
      .name = "info",
      .usage = "FILE [--json]",
      .summary = "what is inside a model or array file",
      .about =
          R"(Lists the tensors of a file with their types, shapes and sizes, and a model's metadata.
Reads safetensors, .npy and .npz; only headers are read, so a large file takes no longer.)",
      .examples = {{"fovea info model.safetensors", "tensors and metadata as a table"},
                   {"fovea info arrays.npz --json", "the same for a program"}},
      .define = [](Arguments& app) -> Work {
        const auto options = std::make_shared<InfoFlags>();
        app.add_option("FILE", options->file, "a safetensors, .npy or .npz file")->required();
        app.add_flag("--json", options->json, "print JSON instead of a table");
        return [options](std::ostream& out, std::ostream&) {
          const ByteSource file = ByteSource::file(options->file);
          const Contents contents = reader_of(file)(file);
          if (options->json) {
            print_json(file, contents, out);
          } else {
            print_page(file, contents, out);
          }
        };
      }};
}

}  // namespace fovea::cli
