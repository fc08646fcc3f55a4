#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "fovea/base/buffer.h"
#include "fovea/kernels/isa.h"
#include "fovea/kernels/matmul_engines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/matmul_amx.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/amx-inl.h"
#include "fovea/kernels/matmul_finish-inl.h"

#if FOVEA_TARGET_HAS_AMX
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",amx-tile,amx-bf16")
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kMostSteps = 8;          // of the depth, in one pass
constexpr Index kPair = 2 * kAmxLines;   // lines of two panels
constexpr Index kBlock = kPair * kPair;  // four tiles of sums
// a flows, and c is written along its rows, unless it has so many times more columns than rows: any
// more if b is packed, for then it is weights that the cache may not hold.
constexpr Index kFlatness = 4;

// Lines of an operand: rows of a, or columns of b.
class Operand {
 public:
  Operand(const Matrix& m, Index line, Index step, Index begin, Index end)
      : m_(m), line_(line), step_(step), begin_(begin), end_(end) {}
  static Operand rows_of_a(const Matmul& w, const Slice& s) {
    return {w.a, w.a.row, w.a.column, s.row_begin, s.row_end};
  }
  static Operand columns_of_b(const Matmul& w, const Slice& s) {
    if (w.panels == nullptr) return {w.b, w.b.column, w.b.row, s.column_begin, s.column_end};
    Operand b({w.panels, TileColumns(), 1}, 1, TileColumns(), s.column_begin, s.column_end);
    b.strip_ = TileColumns() * w.depth;
    return b;
  }

  Index count() const { return end_ - begin_; }
  bool is_straight(AmxSide side) const { return IsStraight(lines(0, kAmxLines, 0, 0), side); }
  AmxLines lines(Index first, Index most, Index p, Index depth) const {
    const Index line = begin_ + first;
    const Index from =
        strip_ == 0 ? line * line_ : line / TileColumns() * strip_ + line % TileColumns() * line_;
    return {m_.data + from + p * step_, line_, step_, std::min(most, end_ - line), depth};
  }

 private:
  Matrix m_;
  Index line_, step_, begin_, end_;
  Index strip_ = 0;  // numbers from strip to strip of panels, or 0
};

// One slice of a product: c = left right, or, if that reads the larger operand as it stands, c' =
// left right with b' at the left. The smaller operand is split into pieces once a pass over the
// depth; of the larger one, two panels at a time while the two before are multiplied.
template <int kPieces>
class AmxSlice {
 public:
  AmxSlice(const Matmul& w, const Slice& s)
      : w_(w),
        s_(s),
        a_(Operand::rows_of_a(w, s)),
        b_(Operand::columns_of_b(w, s)),
        a_flows_(a_.count() * (w.panels == nullptr ? kFlatness : 1) > b_.count()),
        turned_(a_flows_ ? !a_.is_straight(AmxSide::kLeft) : !b_.is_straight(AmxSide::kRight)),
        flows_left_(a_flows_ != turned_),
        panels_(ceil_div(resident().count(), kAmxLines)),
        height_(flows_left_ ? kAmxLines : ceil_div(resident().count(), panels_)),
        pairs_(ceil_div(flowing().count(), kPair)),
        passes_(ceil_div(ceil_div(w.depth, kAmxDepth), kMostSteps)),
        steps_(ceil_div(ceil_div(w.depth, kAmxDepth), passes_)),
        resident_panels_(panels_ * panel() / 2),
        flowing_panels_(4 * panel() / 2),
        sums_(passes_ > 1 ? pairs_ * ceil_div(panels_, 2) * kBlock : 0) {}

  void compute() {
    assert(pairs_ <= 64);  // bits of not_finite_
    const AmxTiles tiles(height_);
    for (first_ = 0; first_ < w_.depth; first_ += steps_ * kAmxDepth) {
      depth_ = std::min(steps_ * kAmxDepth, w_.depth - first_);
      if (!pack_resident()) return tiles_slice(w_, s_);
      compute_pass();
    }
    for (Index pair = 0; pair < pairs_; ++pair) {
      if (!is_finite(pair)) compute_by_tiles(pair);
    }
  }

 private:
  const Operand& flowing() const { return a_flows_ ? a_ : b_; }
  const Operand& resident() const { return a_flows_ ? b_ : a_; }
  Index panel() const { return steps_ * kAmxStep<kPieces>; }
  Bf16* resident_panel(Index n) const {
    return reinterpret_cast<Bf16*>(resident_panels_.data()) + n * panel();
  }
  Bf16* flowing_pair(Index n) const {
    return reinterpret_cast<Bf16*>(flowing_panels_.data()) + n % 2 * 2 * panel();
  }

  bool pack_resident() {
    __m512 rest = _mm512_setzero_ps();
    const AmxSide side = flows_left_ ? AmxSide::kRight : AmxSide::kLeft;
    for (Index n = 0; n < panels_; ++n) {
      PackPanel<kPieces>(resident().lines(n * height_, height_, first_, depth_), side,
                         resident_panel(n), rest);
    }
    return AllFinite(rest);
  }

  void compute_by_tiles(Index pair) {
    Slice part = s_;
    Index& begin = a_flows_ ? part.row_begin : part.column_begin;
    Index& end = a_flows_ ? part.row_end : part.column_end;
    begin += pair * kPair;
    end = std::min(begin + kPair, end);
    tiles_slice(w_, part);
  }

  // What cannot be split between products: all of a pair at the edge, and the last, partial step.
  void pack_rest_of(Index pair, Index steps_done) {
    const AmxSide side = flows_left_ ? AmxSide::kLeft : AmxSide::kRight;
    const Index p = steps_done * kAmxDepth;
    for (Index k = 0; k < 2 && p < depth_ && pair * kPair + k * kAmxLines < flowing().count();
         ++k) {
      PackPanel<kPieces>(
          flowing().lines(pair * kPair + k * kAmxLines, kAmxLines, first_ + p, depth_ - p), side,
          flowing_pair(pair) + k * panel() + steps_done * kAmxStep<kPieces>, rest_);
    }
  }

  bool is_last() const { return first_ + depth_ >= w_.depth; }

  void compute_pass() {
    rest_ = _mm512_setzero_ps();
    pack_rest_of(0, 0);
    for (Index pair = 0; pair < pairs_; ++pair) {
      if (!AllFinite(rest_)) not_finite_ |= std::uint64_t{1} << pair;
      rest_ = _mm512_setzero_ps();
      PanelFeed<kPieces> feed;
      const bool whole = (pair + 2) * kPair <= flowing().count();
      const Index steps = whole ? depth_ / kAmxDepth : 0;
      if (steps > 0) {
        const auto lines = [&](Index k) {
          return flowing().lines((pair + 1) * kPair + k * kAmxLines, kAmxLines, first_, depth_);
        };
        feed = PanelFeed<kPieces>(
            lines(0), lines(1), lines(2).from - lines(0).from, flowing_pair(pair + 1), panel(),
            steps, ceil_div(panels_, 2) * ceil_div(depth_, kAmxDepth) * kAmxProducts<kPieces>);
      }
      AmxFence();
      multiply_pair(pair, feed);
      AmxFence();
      if (pair + 1 < pairs_) pack_rest_of(pair + 1, steps);
    }
  }

  void multiply_pair(Index pair, PanelFeed<kPieces>& feed) {
    const bool two_flow = flowing().count() - pair * kPair > kAmxLines;
    for (Index n = 0; n < panels_; n += 2) {
      const bool two_stay = n + 1 < panels_;
      const bool two_left = flows_left_ ? two_flow : two_stay;
      const bool two_right = flows_left_ ? two_stay : two_flow;
      if (two_left && two_right) {
        multiply_block<2, 2>(pair, n, feed);
      } else if (two_left) {
        multiply_block<2, 1>(pair, n, feed);
      } else if (two_right) {
        multiply_block<1, 2>(pair, n, feed);
      } else {
        multiply_block<1, 1>(pair, n, feed);
      }
    }
  }

  template <int kLeft, int kRight>
  HWY_INLINE void multiply_block(Index pair, Index n, PanelFeed<kPieces>& feed) {
    float* sums = sums_.data() + (pair * ceil_div(panels_, 2) + n / 2) * kBlock;
    const Bf16 *left = resident_panel(n), *right = flowing_pair(pair);
    if (flows_left_) std::swap(left, right);
    // Where the block stands in left right.
    const Index i = flows_left_ ? pair * kPair : n * height_;
    const Index j = flows_left_ ? n * kAmxLines : pair * kPair;
    const Index rows = std::min<Index>(kLeft * height_, (turned_ ? b_ : a_).count() - i);
    const Index columns = std::min<Index>(kRight * kAmxLines, (turned_ ? a_ : b_).count() - j);
    const bool whole = rows == kLeft * height_ && columns == kRight * kAmxLines;
    const float* plus = Plus(w_, s_.row_begin + i, s_.column_begin + j);
    const float* bias = w_.bias != nullptr ? w_.bias + s_.column_begin + j : nullptr;
    const bool direct = whole && !turned_ && w_.activation == Activation::kNone &&
                        (bias == nullptr || plus == nullptr);
    if (first_ > 0) {
      LoadSums<kLeft, kRight>(sums, kPair, height_ * kPair);
    } else if (direct && bias != nullptr) {
      LoadSums<kLeft, kRight>(bias, 0, 0);
    } else if (direct && plus != nullptr) {
      LoadSums<kLeft, kRight>(plus, w_.c_row, height_ * w_.c_row);
    } else {
      ZeroSums<kLeft, kRight>();
    }
    PanelFeed<kPieces> next = feed;  // in registers
    __m512 rest = rest_;
    MultiplyPanels<kPieces, kLeft, kRight>(left, panel(), right, panel(),
                                           ceil_div(depth_, kAmxDepth), next, rest);
    feed = next;
    rest_ = rest;
    if (!is_last()) return StoreSums<kLeft, kRight>(sums, kPair, height_ * kPair);
    if (!is_finite(pair)) return;
    float* c = w_.c + (s_.row_begin + i) * w_.c_row + s_.column_begin + j;
    if (direct) return StoreSums<kLeft, kRight>(c, w_.c_row, height_ * w_.c_row);
    HWY_ALIGN float block[kBlock];
    StoreSums<kLeft, kRight>(block, kPair, height_ * kPair);
    AmxFence();
    if (turned_) return finish_turned(block, rows, columns, i, j);
    FinishTile(block, static_cast<int>(rows), {c, w_.c_row, columns, plus, bias, w_.activation});
  }

  // `rows` and `columns` of left right are columns and rows of c.
  HWY_NOINLINE void finish_turned(const float* block, Index rows, Index columns, Index i, Index j) {
    HWY_ALIGN float turned[kBlock];
    TransposeRows(block, kPair, kPair, kPair, turned, kPair);
    const Index row = s_.row_begin + j, column = s_.column_begin + i;
    FinishTile(turned, static_cast<int>(columns),
               {.c = w_.c + row * w_.c_row + column,
                .c_row = w_.c_row,
                .columns = rows,
                .plus = Plus(w_, row, column),
                .bias = w_.bias != nullptr ? w_.bias + column : nullptr,
                .activation = w_.activation});
  }

  bool is_finite(Index pair) const { return (not_finite_ >> pair & 1) == 0; }

  const Matmul& w_;
  const Slice& s_;
  Operand a_, b_;
  bool a_flows_, turned_, flows_left_;
  Index panels_, height_;  // of the resident operand, and their lines: as equal as can be
  Index pairs_;            // of panels that flow
  Index passes_, steps_;
  Buffer resident_panels_, flowing_panels_;
  Buffer sums_;                   // between passes
  Index first_ = 0, depth_ = 0;   // of this pass
  __m512 rest_{};                 // NaN if what flows is not finite
  std::uint64_t not_finite_ = 0;  // pairs
};

void ComputeSlice(const Matmul& w, const Slice& s) {
  w.rough ? AmxSlice<kAmxRough>(w, s).compute() : AmxSlice<kAmxExact>(w, s).compute();
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#else
HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Without a matrix unit this is not called.
void ComputeSlice(const Matmul& w, const Slice& s) { tiles_slice(w, s); }

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(ComputeSlice);
}  // namespace

bool amx_reads(const Matmul& w) {
  return (w.a.row == 1 || w.a.column == 1) &&
         (w.panels != nullptr || w.b.row == 1 || w.b.column == 1);
}

void amx_slice(const Matmul& w, const Slice& slice) {
  HWY_DYNAMIC_DISPATCH(ComputeSlice)(w, slice);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
