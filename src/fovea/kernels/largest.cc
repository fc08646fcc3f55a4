#include "fovea/kernels/largest.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/matmul_engines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/largest.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/vector-inl.h"

#ifndef FOVEA_KERNELS_LARGEST_CC_ONCE_
#define FOVEA_KERNELS_LARGEST_CC_ONCE_
namespace fovea::kernels {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504f;
constexpr float kRoom = 64;  // a sum of powers of 2 up to this one is far from infinite

// A row as far as it has been read.
struct Reading {
  Reading() = default;
  Reading(Largest* begun, Index n)
      : largest(begun), count(n), bar(below(largest[count - 1].value)) {}

  Largest* largest = nullptr;  // [count]
  Index count = 0;
  float shift = kLowest;  // about the largest exponent
  double sum = 0;         // of 2^(x log2(e) - shift)
  float bar = kLowest;    // no number up to here is among the largest

  static bool is_before(const Largest& x, const Largest& y) {
    return x.value > y.value || (x.value == y.value && x.column < y.column);
  }
  void insert(Largest one) {
    Index at = count - 1;
    if (!is_before(one, largest[at])) return;
    for (; at > 0 && is_before(one, largest[at - 1]); --at) largest[at] = largest[at - 1];
    largest[at] = one;
    bar = std::max(bar, below(largest[count - 1].value));
  }
  void insert_all(const Largest* others) {
    for (Index n = 0; n < count && others[n].value > bar; ++n) insert(others[n]);
  }
  void add(float later_shift, double later_sum) {
    if (later_shift > shift) {
      sum *= std::exp2(double{shift} - later_shift);
      shift = later_shift;
    }
    sum += shift == later_shift ? later_sum : later_sum * std::exp2(double{later_shift} - shift);
  }
  // A little below the least of the largest: an equal one of a lower column may come. Denormals are
  // flushed, so -0 needs more than that.
  static float below(float least) {
    return least - std::abs(least) * 1e-6f - std::numeric_limits<float>::min();
  }
  float logsumexp() const { return static_cast<float>((shift + std::log2(sum)) / kLog2E); }
};

}  // namespace
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kLanes = 32;  // whose largest numbers are compared first

// The least of the numbers that fewer than `count` are larger than.
float LeastOfLargest(const float* numbers, Index count) {
  const D d;
  V least = hn::Set(d, -kLowest);
  for (Index v = 0; v < kLanes; v += LaneCount()) {
    const V number = hn::Load(d, numbers + v);
    V larger = hn::Zero(d);
    for (Index i = 0; i < kLanes; ++i) {
      const auto is_larger = hn::Gt(hn::Set(d, numbers[i]), number);
      larger = hn::Add(larger, hn::IfThenElseZero(is_larger, hn::Set(d, 1.0f)));
    }
    const auto is_among = hn::Lt(larger, hn::Set(d, static_cast<float>(count)));
    least = hn::Min(least, hn::IfThenElse(is_among, number, hn::Set(d, -kLowest)));
  }
  return hn::GetLane(hn::MinOfLanes(d, least));
}

// Where exponents are counted from if this is the largest number; -inf stays infinitely far below.
float ShiftFor(float top) { return std::max(top * kLog2E, std::numeric_limits<float>::lowest()); }

// As many lanes as numbers are wanted have one that is not below.
float FirstBar(const float* x, Index columns, Index count) {
  const D d;
  const Index whole = columns / kLanes * kLanes, vectors = kLanes / LaneCount();
  if (count > kLanes) return kLowest;
  HWY_ALIGN float tops[kLanes];
  for (Index v = 0; v < vectors; ++v) {
    V top = hn::Set(d, kLowest);
    for (Index i = v * LaneCount(); i < whole; i += kLanes) {
      const V number = hn::LoadU(d, x + i);
      top = hn::IfThenElse(hn::Gt(number, top), number, top);  // never NaN
    }
    hn::Store(top, d, tops + v * LaneCount());
  }
  return Reading::below(LeastOfLargest(tops, count));
}

HWY_INLINE std::uint64_t BitsOf(hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D(), mask, bytes);
  std::uint64_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// 2^(x log2(e) - shift)
HWY_INLINE V Power(V x, V shift) { return Exp2(D(), hn::MulSub(x, hn::Set(D(), kLog2E), shift)); }

// Goes on with numbers that stand from `first_column` on.
void ReadRow(const float* x, Index count, Index first_column, Reading& row) {
  const D d;
  const Index lanes = LaneCount();
  if (row.bar == kLowest) row.bar = FirstBar(x, count, row.count);
  if (row.shift == kLowest) row.shift = ShiftFor(MaxOf(x, std::min(count, kLanes)));  // it may do
  const V shift = hn::Set(d, row.shift);
  V bar = hn::Set(d, row.bar), top = hn::Set(d, kLowest);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto insert = [&](std::uint64_t bits, Index i) HWY_ATTR {
    for (; bits != 0; bits &= bits - 1) {
      const Index at = i + std::countr_zero(bits);
      row.insert({x[at], static_cast<std::int32_t>(first_column + at)});
    }
    bar = hn::Set(d, row.bar);
  };
  const auto larger = [&](V v) HWY_ATTR { return BitsOf(hn::Gt(v, bar)); };
  Index i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const V a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + lanes);
    const V e = hn::LoadU(d, x + i + 2 * lanes), f = hn::LoadU(d, x + i + 3 * lanes);
    s0 = hn::Add(s0, Power(a, shift));
    s1 = hn::Add(s1, Power(b, shift));
    s2 = hn::Add(s2, Power(e, shift));
    s3 = hn::Add(s3, Power(f, shift));
    const V most = hn::Max(hn::Max(a, b), hn::Max(e, f));
    top = hn::Max(top, most);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(most, bar)))) continue;
    insert(larger(a) | larger(b) << lanes | larger(e) << 2 * lanes | larger(f) << 3 * lanes, i);
  }
  for (; i < count; i += lanes) {
    const V a = LoadPart(x + i, std::min(lanes, count - i), kLowest);
    s0 = hn::Add(s0, Power(a, shift));
    top = hn::Max(top, a);
    insert(larger(a), i);
  }
  const float needed = ShiftFor(hn::GetLane(hn::MaxOfLanes(d, top)));
  if (needed > row.shift + kRoom) {
    const V higher = hn::Set(d, needed);
    row.add(needed, SumOf(count, [=](Index j, auto io)
                                     HWY_ATTR { return Power(io.load(x + j, kLowest), higher); }));
  } else {
    row.sum += hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  }
}

float Dot(const float* a, const float* b, Index count) {
  return SumOf(count,
               [=](Index i, auto io) HWY_ATTR { return hn::Mul(io.load(a + i), io.load(b + i)); });
}

// Computes the largest numbers of row `a` of a product anew, each by itself.
void Recompute(const Matmul& work, const float* a, const MatrixColumns& columns, Reading& row) {
  const D d;
  const Index lanes = LaneCount();
  const V shift = hn::Set(d, row.shift);
  HWY_ALIGN float before[hn::MaxLanes(D())], after[hn::MaxLanes(D())];
  for (Index first = 0; first < row.count; first += lanes) {
    hn::Store(hn::Set(d, kLowest), d, before);
    hn::Store(hn::Set(d, kLowest), d, after);
    for (Index i = first; i < std::min(row.count, first + lanes); ++i) {
      Largest& one = row.largest[i];
      if (one.column < 0) break;
      before[i - first] = one.value;
      one.value = Dot(a, columns.first + one.column * columns.apart, work.depth);
      if (work.bias != nullptr) one.value += work.bias[one.column];
      after[i - first] = one.value;
    }
    const V more = hn::Sub(Power(hn::Load(d, after), shift), Power(hn::Load(d, before), shift));
    row.sum += hn::GetLane(hn::SumOfLanes(d, more));
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ReadRow);
HWY_EXPORT(Dot);
HWY_EXPORT(Recompute);

constexpr Index kGrain = 8192;  // numbers a chunk: some microseconds of exp
// Of a product, computed and then read while they stand in the cache.
constexpr Index kMostRows = 160, kMostColumns = 1536;
constexpr Index kPadding = 16;  // between rows, which should not be whole pages apart
constexpr Index kEvenly = 4;    // parts come in multiples of this, for 2 or 4 threads to share
// Of a rough product some more of the largest are kept, which are computed anew. The others' errors
// are about 8 times those of plain float code; of n that weigh the same, all but the kept ones have
// them, which leaves 8 sqrt(n - kept) / n in the sum, at most 4 / sqrt(kept).
constexpr Index kSpare = 3, kFewestKept = 8;
constexpr Index kRowsAtOnce = 16;  // on a thread, some microseconds

Largest* none(Largest* largest, Index count) {
  std::fill_n(largest, count, Largest{kLowest, -1});
  return largest;
}

// How a product is cut into parts for threads, and parts into blocks.
struct Cut {
  explicit Cut(const Matmul& w)
      : row_parts(ceil_div(w.rows, kMostRows)),
        rows(ceil_div(w.rows, row_parts)),
        columns(ceil_div(w.columns, ceil_div(kEvenly, row_parts))) {
    block_columns = round_up(ceil_div(columns, ceil_div(columns, kMostColumns)), strip_columns());
    columns = round_up(columns, block_columns);
    column_parts = ceil_div(w.columns, columns);
  }
  Index row_parts, rows, columns;
  Index block_columns = 0, column_parts = 0;
};

// What the parts of a product find.
struct Parts {
  Parts(const Matmul& work, const Cut& cut, Index largest_of_row)
      : count(largest_of_row),
        readings(static_cast<std::size_t>(work.rows * cut.column_parts)),
        largest(static_cast<std::size_t>(cut.row_parts * cut.column_parts * cut.rows * count)),
        found(static_cast<std::size_t>(cut.row_parts)) {}
  Index count;
  std::vector<Reading> readings;  // [row, part of its columns]
  std::vector<Largest> largest;   // [part, row of it, count]
  // Of the rows of a part, unless one is reading and has taken them: parts of the same rows go on
  // with what others found.
  std::vector<std::atomic<Largest*>> found;
};

// A part of a product, block by block.
void read_part(const Matmul& work, const Cut& cut, Index at, Parts& parts) {
  const Index part = at % cut.column_parts, first_row = at / cut.column_parts * cut.rows;
  const Index end = std::min(work.columns, (part + 1) * cut.columns);
  Matmul block = work;
  block.rows = std::min(cut.rows, work.rows - first_row);
  block.a.data += first_row * work.a.row;
  Reading* readings = parts.readings.data() + first_row * cut.column_parts + part;
  std::atomic<Largest*>& found = parts.found[static_cast<std::size_t>(at / cut.column_parts)];
  Largest* largest = found.exchange(nullptr);
  if (largest == nullptr) {
    largest = none(parts.largest.data() + at * cut.rows * parts.count, block.rows * parts.count);
  }
  for (Index r = 0; r < block.rows; ++r) {
    readings[r * cut.column_parts] = Reading(largest + r * parts.count, parts.count);
  }
  block.c_row = cut.block_columns + kPadding;
  const Buffer space(block.rows * block.c_row);
  block.c = space.data();
  for (Index column = part * cut.columns; column < end; column += cut.block_columns) {
    block.columns = std::min(cut.block_columns, end - column);
    block.panels = work.panels + column * work.depth;
    block.bias = work.bias == nullptr ? nullptr : work.bias + column;
    matmul_here(block);
    for (Index r = 0; r < block.rows; ++r) {
      HWY_DYNAMIC_DISPATCH(ReadRow)
      (block.c + r * block.c_row, block.columns, column, readings[r * cut.column_parts]);
    }
  }
  // Hands them on, together with what another part has handed on meanwhile.
  for (Largest* others = nullptr; !found.compare_exchange_strong(others, largest);) {
    others = found.exchange(nullptr);
    for (Index r = 0; r < block.rows && others != nullptr; ++r) {
      readings[r * cut.column_parts].insert_all(others + r * parts.count);
    }
    others = nullptr;
  }
}

// largest [rows, count]
std::vector<Reading> read_product(const Matmul& work, Index count, Largest* largest) {
  const Cut cut(work);
  Parts parts(work, cut, count);
  parallel_for(cut.row_parts * cut.column_parts, 1,
               [&](Index at, Index) { read_part(work, cut, at, parts); });
  std::vector<Reading> rows;
  rows.reserve(static_cast<std::size_t>(work.rows));
  for (Index r = 0; r < work.rows; ++r) {
    const Largest* found = parts.found[static_cast<std::size_t>(r / cut.rows)];
    std::copy_n(found + r % cut.rows * count, count, largest + r * count);
    const Reading* part = parts.readings.data() + r * cut.column_parts;
    Reading& row = rows.emplace_back(*part);
    row.largest = largest + r * count;
    for (Index n = 1; n < cut.column_parts; ++n) row.add(part[n].shift, part[n].sum);
  }
  return rows;
}

void find_exactly(const Matmul& work, const LargestOfRows& result) {
  const std::vector<Reading> readings = read_product(work, result.count, result.largest);
  for (Index r = 0; r < work.rows; ++r) {
    result.logsumexp[r] = readings[static_cast<std::size_t>(r)].logsumexp();
  }
}

// Computes what a rough row kept anew. Whether the `count` largest are among them, and now in
// front.
bool settle(const Matmul& work, const float* a, const MatrixColumns& columns, Index count,
            Reading& row) {
  const Largest last = row.largest[row.count - 1];
  const bool others = last.column >= 0;  // which are no larger than the last
  HWY_DYNAMIC_DISPATCH(Recompute)(work, a, columns, row);
  for (Index i = 1; i < row.count; ++i) {  // nearly in order; std::sort must not see NaN
    for (Index at = i; at > 0 && Reading::is_before(row.largest[at], row.largest[at - 1]); --at) {
      std::swap(row.largest[at], row.largest[at - 1]);
    }
  }
  const float length = std::sqrt(HWY_DYNAMIC_DISPATCH(Dot)(a, a, work.depth));
  const float error = kRough * (length * columns.longest + std::abs(last.value));
  return !others || row.largest[count - 1].value > last.value + error;
}

void find_roughly(const Matmul& work, const MatrixColumns& columns, const LargestOfRows& result) {
  const Index count = result.count, kept = std::max(count + kSpare, kFewestKept);
  std::vector<Largest> largest(static_cast<std::size_t>(work.rows * kept));
  Matmul rough = work;
  rough.rough = true;
  std::vector<Reading> readings = read_product(rough, kept, largest.data());
  std::vector<char> settled(static_cast<std::size_t>(work.rows));
  parallel_for(work.rows, kRowsAtOnce, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      Reading& row = readings[static_cast<std::size_t>(r)];
      const float* a = work.a.data + r * work.a.row;
      settled[static_cast<std::size_t>(r)] = settle(work, a, columns, count, row);
      std::copy_n(row.largest, count, result.largest + r * count);
      result.logsumexp[r] = row.logsumexp();
    }
  });
  std::vector<Index> unsettled;
  for (Index r = 0; r < work.rows; ++r) {
    if (!settled[static_cast<std::size_t>(r)]) unsettled.push_back(r);
  }
  if (unsettled.empty()) return;
  Matmul rest = work;
  rest.rows = std::ssize(unsettled);
  Buffer a(rest.rows * work.depth);
  rest.a = {a.data(), work.depth, 1};
  for (float* to = a.data(); const Index r : unsettled) {
    to = std::copy_n(work.a.data + r * work.a.row, work.depth, to);
  }
  std::vector<float> sums(unsettled.size());
  find_exactly(rest, {count, sums.data(), largest.data()});
  const Largest* from = largest.data();
  for (std::size_t i = 0; i < unsettled.size(); ++i, from += count) {
    std::copy_n(from, count, result.largest + unsettled[i] * count);
    result.logsumexp[unsettled[i]] = sums[i];
  }
}

}  // namespace

void largest_of_rows(const float* x, RowShape shape, const LargestOfRows& result) {
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, shape.columns));
  parallel_for(shape.rows, grain, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      Reading row(none(result.largest + r * result.count, result.count), result.count);
      HWY_DYNAMIC_DISPATCH(ReadRow)(x + r * shape.columns, shape.columns, 0, row);
      result.logsumexp[r] = row.logsumexp();
    }
  });
}

MatrixColumns columns_of(const Matrix& b, Index depth, Index columns) {
  MatrixColumns result{.first = b.data, .apart = b.column};
  if (b.row != 1) {
    result.copied = Buffer(columns * depth);
    result.first = result.copied.data();
    result.apart = depth;
  }
  Buffer squares(columns);
  const Index grain = std::max<Index>(1, kGrain / std::max<Index>(1, depth));
  parallel_for(columns, grain, [&](Index begin, Index end) {
    if (result.copied) {
      copy_rows({b.data, b.column, b.row}, depth, begin, end, result.copied.data(), depth);
    }
    for (Index j = begin; j < end; ++j) {
      const float* column = result.first + j * result.apart;
      squares.data()[j] = HWY_DYNAMIC_DISPATCH(Dot)(column, column, depth);
    }
  });
  result.longest = std::sqrt(*std::max_element(squares.data(), squares.data() + columns));
  return result;
}

void largest_of_product(const Matmul& work, const MatrixColumns* columns,
                        const LargestOfRows& result) {
  if (work.panels == nullptr) {
    const Buffer all(work.rows * work.columns);
    Matmul product = work;
    product.c = all.data();
    product.c_row = work.columns;
    matmul(product);
    return largest_of_rows(all.data(), {work.rows, work.columns}, result);
  }
  Matmul one = work;
  one.engine = best_engine(work.rows, work.columns, work.depth);
  if (columns != nullptr && one.engine == Engine::kAmx && work.a.column == 1) {
    return find_roughly(one, *columns, result);
  }
  find_exactly(one, result);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
