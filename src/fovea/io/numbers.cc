#include "fovea/io/numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "fovea/base/error.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, memory must be");

constexpr Index kChunk = Index{1} << 16;        // bytes converted at a time: stays in the L2 cache
constexpr Index kMostNumbers = Index{1} << 59;  // of 8 bytes each, they can still be counted

template <class Stored>
Stored load(const char* bytes) {
  Stored value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Exact. The arithmetic on the smallest numbers only touches normal floats, so flushing does not
// matter.
float from_float16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, mantissa = half & 0x3ffu;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  std::uint32_t bits = 0;
  if (exponent == 0) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
  } else if (exponent == 31) {
    bits = 0x7f800000u | (mantissa << 13);  // infinity and NaN
  } else {
    bits = ((exponent + 127 - 15) << 23) | (mantissa << 13);
  }
  return std::bit_cast<float>(sign | bits);
}

float from_bfloat16(std::uint16_t high_half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(high_half) << 16);
}

// Between its highest and lowest set bit, float32 has room for 24.
template <class Whole>
bool is_exact_float(Whole value) {
  if constexpr (sizeof(Whole) < 3) {
    return true;
  } else {
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = std::is_signed_v<Whole> && value < 0 ? 0 - bits : bits;
    return magnitude == 0 || std::bit_width(magnitude >> std::countr_zero(magnitude)) <= 24;
  }
}

bool float32_reaches(double value) {
  return !std::isfinite(value) || std::fabs(value) <= std::numeric_limits<float>::max();
}

// Converts numbers; returns how many there are before the first that does not fit. Looking for that
// one only when there is one keeps the loop free of branches.
template <class Stored, class Result, class Convert>
Index convert(const char* bytes, std::span<Result> into, const Convert& one) {
  const auto convert_at = [&](std::size_t i) {
    return one(load<Stored>(bytes + i * sizeof(Stored)), into[i]);
  };
  bool all = true;
  for (std::size_t i = 0; i < into.size(); ++i) all &= convert_at(i);
  if (all) return static_cast<Index>(into.size());
  std::size_t first = 0;
  while (convert_at(first)) ++first;
  return static_cast<Index>(first);
}

// Calls use(Whole{}) with the C++ type of a whole number.
template <class Use>
Index with_whole_type(NumberType type, const Use& use) {
  switch (type) {
    case NumberType::kInt8:
      return use(std::int8_t{});
    case NumberType::kBool:
    case NumberType::kUint8:
      return use(std::uint8_t{});
    case NumberType::kInt16:
      return use(std::int16_t{});
    case NumberType::kUint16:
      return use(std::uint16_t{});
    case NumberType::kInt32:
      return use(std::int32_t{});
    case NumberType::kUint32:
      return use(std::uint32_t{});
    case NumberType::kInt64:
      return use(std::int64_t{});
    default:
      assert(type == NumberType::kUint64);
      return use(std::uint64_t{});
  }
}

Index floats_from(NumberType type, const char* bytes, std::span<float> into) {
  switch (type) {
    case NumberType::kFloat16:
      return convert<std::uint16_t>(bytes, into, [](std::uint16_t stored, float& result) {
        result = from_float16(stored);
        return true;
      });
    case NumberType::kBfloat16:
      return convert<std::uint16_t>(bytes, into, [](std::uint16_t stored, float& result) {
        result = from_bfloat16(stored);
        return true;
      });
    case NumberType::kFloat32:
      std::memcpy(into.data(), bytes, into.size_bytes());
      return static_cast<Index>(into.size());
    case NumberType::kFloat64:
      return convert<double>(bytes, into, [](double stored, float& result) {
        result = static_cast<float>(stored);  // infinite beyond the range
        return float32_reaches(stored);
      });
    default:
      return with_whole_type(type, [&]<class Whole>(Whole) {
        return convert<Whole>(bytes, into, [](Whole stored, float& result) {
          result = static_cast<float>(stored);
          return is_exact_float(stored);
        });
      });
  }
}

Index ids_from(NumberType type, const char* bytes, std::span<std::int32_t> into) {
  return with_whole_type(type, [&]<class Whole>(Whole) {
    return convert<Whole>(bytes, into, [](Whole stored, std::int32_t& result) {
      result = static_cast<std::int32_t>(stored);
      return std::in_range<std::int32_t>(stored);
    });
  });
}

std::string number_text(NumberType type, const char* bytes) {
  if (type == NumberType::kFloat64) return fmt::format("{}", load<double>(bytes));
  std::string text;
  with_whole_type(type, [&]<class Whole>(Whole) {
    text = fmt::format("{}", load<Whole>(bytes));
    return Index{0};
  });
  return text;
}

void reverse_each(std::span<char> bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes.size(); i += width) {
    std::reverse(bytes.data() + i, bytes.data() + i + width);
  }
}

// Reads by chunks; `from` converts one and returns how many numbers fitted.
template <class Result, class From>
void read_converted(ByteStream& stream, NumberFormat format, std::span<Result> into,
                    const From& from, const char* advice) {
  const Index width = bytes_of(format.type);
  std::array<char, kChunk> chunk;
  Index done = 0;
  while (done < static_cast<Index>(into.size())) {
    const Index count = std::min(kChunk / width, static_cast<Index>(into.size()) - done);
    stream.read(chunk.data(), count * width);
    if (format.big_endian) {
      reverse_each(std::span(chunk).first(static_cast<std::size_t>(count * width)),
                   static_cast<std::size_t>(width));
    }
    const auto target =
        into.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count));
    const Index fitted = from(format.type, chunk.data(), target);
    if (fitted < count) {
      fail("{}: number {} is {}, which {}", stream.name(), done + fitted,
           number_text(format.type, chunk.data() + fitted * width), advice);
    }
    done += count;
  }
  if (format.type == NumberType::kBool) {
    for (Result& value : into) value = value != Result{0} ? Result{1} : Result{0};
  }
}

}  // namespace

Index bytes_of(NumberType type) {
  switch (type) {
    case NumberType::kBool:
    case NumberType::kInt8:
    case NumberType::kUint8:
      return 1;
    case NumberType::kInt16:
    case NumberType::kUint16:
    case NumberType::kFloat16:
    case NumberType::kBfloat16:
      return 2;
    case NumberType::kInt32:
    case NumberType::kUint32:
    case NumberType::kFloat32:
      return 4;
    case NumberType::kInt64:
    case NumberType::kUint64:
    case NumberType::kFloat64:
      return 8;
  }
  return 0;
}

bool is_whole(NumberType type) { return type < NumberType::kFloat16; }

void read_floats(ByteStream& stream, NumberFormat format, std::span<float> into) {
  if (format.type == NumberType::kFloat32 && !format.big_endian) {
    stream.read(into.data(), static_cast<Index>(into.size_bytes()));  // no copy on the way
    return;
  }
  const bool whole = is_whole(format.type);
  read_converted(stream, format, into, floats_from,
                 whole ? "float32 cannot hold exactly; store floats if it may be rounded"
                       : "is outside the range of float32");
}

void read_ids(ByteStream& stream, NumberFormat format, std::span<std::int32_t> into) {
  assert(is_whole(format.type));
  read_converted(stream, format, into, ids_from, "is outside the range of ids (int32)");
}

std::optional<Index> count_numbers(std::span<const Index> extents) {
  Index count = 1;
  bool empty = false;
  for (const Index extent : extents) {
    assert(extent >= 0);
    empty = empty || extent == 0;
    const Index factor = std::max<Index>(extent, 1);
    if (factor > kMostNumbers / count) return std::nullopt;
    count *= factor;
  }
  return empty ? 0 : count;
}

}  // namespace fovea
