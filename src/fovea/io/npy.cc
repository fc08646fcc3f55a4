#include "fovea/io/npy.h"

#include <utility>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/files.h"
#include "fovea/io/npy_header.h"
#include "fovea/io/npy_stream.h"

namespace fovea {
namespace {

// From an order in which the first axis runs fastest to the one in which the last does.
template <class Number>
void reverse_axis_order(const Shape& shape, const Number* from, Number* to) {
  Shape stride = shape, at = shape;
  Index step = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    stride[axis] = step;
    step *= shape[axis];
    at[axis] = 0;
  }
  const Index size = shape.size();
  Index source = 0;
  for (Index i = 0; i < size; ++i) {
    to[i] = from[source];
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {  // count up, the last axis first
      source += stride[axis];
      if (++at[axis] < shape[axis]) break;
      source -= stride[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

Ids read_ids_array(ByteStream& stream) {
  const NpyHeader header = read_npy_header(stream);
  if (!is_whole(header.format.type)) fail("{}: holds floats, ids are whole numbers", stream.name());
  std::vector<std::int32_t> values(static_cast<std::size_t>(header.shape.size()));
  read_ids(stream, header.format, values);
  stream.expect_end();
  if (header.fortran_order) {
    const std::vector<std::int32_t> stored = values;
    reverse_axis_order(header.shape, stored.data(), values.data());
  }
  return {header.shape, std::move(values)};
}

template <class Number>
void write_array(const std::string& path, const std::string& header,
                 std::span<const Number> numbers) {
  write_file(path, [&](const FileSink& sink) {
    sink(header);
    sink({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  });
}

}  // namespace

Tensor read_npy(ByteStream& stream) {
  const NpyHeader header = read_npy_header(stream);
  Tensor tensor(header.shape);
  read_floats(stream, header.format, tensor.flat());
  stream.expect_end();
  if (!header.fortran_order) return tensor;
  Tensor ordered(header.shape);
  reverse_axis_order(header.shape, tensor.data(), ordered.data());
  return ordered;
}

Tensor read_npy(const std::string& path) {
  const ByteSource source = ByteSource::file(path);
  ByteStream stream = ByteStream::all(source);
  return read_npy(stream);
}

Tensor parse_npy(std::string_view bytes, const std::string& name) {
  const ByteSource source = ByteSource::memory(bytes, name);
  ByteStream stream = ByteStream::all(source);
  return read_npy(stream);
}

Ids read_npy_ids(const std::string& path) {
  const ByteSource source = ByteSource::file(path);
  ByteStream stream = ByteStream::all(source);
  return read_ids_array(stream);
}

Ids parse_npy_ids(std::string_view bytes, const std::string& name) {
  const ByteSource source = ByteSource::memory(bytes, name);
  ByteStream stream = ByteStream::all(source);
  return read_ids_array(stream);
}

NumberType npy_number_type(const std::string& path) {
  const ByteSource source = ByteSource::file(path);
  ByteStream stream = ByteStream::all(source);
  return read_npy_header(stream).format.type;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor) fail("{}: cannot write: the tensor holds nothing", path);
  const Tensor packed = tensor.packed();
  write_array(path, npy_header_text("<f4", packed.shape()), packed.flat());
}

void write_npy(const std::string& path, const Ids& ids) {
  write_array(path, npy_header_text("<i4", ids.shape()), ids.values());
}

}  // namespace fovea
