#include "fovea/data/idx.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/io/numbers.h"
#include "fovea/io/stream.h"

namespace fovea {
namespace {

constexpr int kUnsignedBytes = 0x08;  // the type of number that images and labels have

// Two zeros, the type of number, the number of axes, then each extent in four bytes, the highest
// first. Leaves the stream where the numbers begin, of which it can have enough.
Shape read_header(ByteStream& stream, int axes, std::string_view content) {
  std::array<unsigned char, 4> start{};
  stream.read(start.data(), start.size());
  if (start[0] != 0 || start[1] != 0) fail("{}: does not start as an IDX file does", stream.name());
  if (start[2] != kUnsignedBytes) {
    fail("{}: has numbers of type 0x{:02x}; unsigned bytes (0x08) can be read", stream.name(),
         start[2]);
  }
  if (start[3] != axes) {
    fail("{}: has {} axes, {} have {}", stream.name(), start[3], content, axes);
  }
  std::vector<Index> extents;
  for (int axis = 0; axis < axes; ++axis) {
    std::array<unsigned char, 4> extent{};
    stream.read(extent.data(), extent.size());
    extents.push_back(Index{extent[0]} << 24 | extent[1] << 16 | extent[2] << 8 | extent[3]);
  }
  const std::optional<Index> count = count_numbers(extents);
  if (!count || *count > stream.limit() - stream.position()) {
    fail("{}: {} bytes are claimed, but at most {} can follow", stream.name(),
         fmt::join(extents, " x "), stream.limit() - stream.position());
  }
  return Shape(extents);
}

Tensor read_images(const ByteSource& source) {
  ByteStream stream = ByteStream::plain_or_gzip(source);
  Tensor images(read_header(stream, 3, "images"));
  read_floats(stream, {.type = NumberType::kUint8}, images.flat());
  stream.expect_end();
  for (float& value : images.flat()) value /= 255.0f;
  return images;
}

std::vector<Image> read_pictures(const ByteSource& source) {
  ByteStream stream = ByteStream::plain_or_gzip(source);
  const Shape shape = read_header(stream, 3, "images");
  std::vector<Image> images;
  if (shape[1] * shape[2] == 0 && shape[0] > 0) {
    fail("{}: images of {} x {} have no pixels", stream.name(), shape[2], shape[1]);
  }
  for (Index i = 0; i < shape[0]; ++i) {
    Image image{shape[2], shape[1], 1, {}};
    image.pixels.resize(static_cast<std::size_t>(shape[1] * shape[2]));
    stream.read(image.pixels.data(), shape[1] * shape[2]);
    images.push_back(std::move(image));
  }
  stream.expect_end();
  return images;
}

Ids read_labels(const ByteSource& source) {
  ByteStream stream = ByteStream::plain_or_gzip(source);
  const Shape shape = read_header(stream, 1, "labels");
  std::vector<std::int32_t> labels(static_cast<std::size_t>(shape.size()));
  read_ids(stream, {.type = NumberType::kUint8}, labels);
  stream.expect_end();
  return labels;
}

}  // namespace

LabelledImages slice(const LabelledImages& all, Index begin, Index end) {
  const auto labels = all.labels.values();
  return {all.images.slice(0, begin, end),
          Ids(std::vector<std::int32_t>(labels.begin() + begin, labels.begin() + end))};
}

LabelledImages read_idx(const std::string& images_path, const std::string& labels_path) {
  // Labels first: they are small, and an exchange of the two files shows at once.
  Ids labels = read_idx_labels(labels_path);
  Tensor images = read_idx_images(images_path);
  if (images.shape(0) != labels.size()) {
    fail("{}: has {} images but {} has {} labels; do they belong together?", images_path,
         images.shape(0), labels_path, labels.size());
  }
  return {.images = std::move(images), .labels = std::move(labels)};
}

Tensor read_idx_images(const std::string& path) { return read_images(ByteSource::file(path)); }
Tensor parse_idx_images(std::string_view bytes, const std::string& name) {
  return read_images(ByteSource::memory(bytes, name));
}

std::vector<Image> read_idx_pictures(const std::string& path) {
  return read_pictures(ByteSource::file(path));
}

bool is_idx(const std::string& path) {
  const ByteSource source = ByteSource::file(path);
  ByteStream stream = ByteStream::plain_or_gzip(source);
  std::array<char, 3> start{};
  if (stream.read_some(start.data(), start.size()) < 3) return false;
  return start == std::array<char, 3>{0, 0, kUnsignedBytes};
}

std::string idx_header(std::span<const Index> extents) {
  std::string header{'\0', '\0', kUnsignedBytes, static_cast<char>(extents.size())};
  for (const Index extent : extents) {
    for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(extent >> shift & 255);
  }
  return header;
}

Ids read_idx_labels(const std::string& path) { return read_labels(ByteSource::file(path)); }
Ids parse_idx_labels(std::string_view bytes, const std::string& name) {
  return read_labels(ByteSource::memory(bytes, name));
}

}  // namespace fovea
