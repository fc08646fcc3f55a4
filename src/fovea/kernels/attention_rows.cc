#include "fovea/kernels/attention_rows.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/isa.h"

#ifndef FOVEA_KERNELS_ATTENTION_ROWS_TYPES
#define FOVEA_KERNELS_ATTENTION_ROWS_TYPES
namespace fovea::kernels {
// One key/value head, some of its keys, and all queries that read it.
struct RowsTask {
  Index batch, kv_head, key_begin, key_end;
  float *most, *sum, *out;  // [group * query], [.], [. , value_dim]: of these keys alone
};
}  // namespace fovea::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_rows.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include "fovea/kernels/attention_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kRowsTogether = std::min(kTileRows, 8);  // that see the same keys
constexpr Index kWeightsRow = kKeyBlock + kMostColumns;

// out[r, t] += sum over j of weights[r, j] v[j, t]; the rows of weights are kWeightsRow apart.
template <int kRows>
HWY_INLINE void AddRows(const float* weights, const float* v, Index time, Index keys, Index dim,
                        float* out) {
  const D d;
  const Index lanes = LaneCount();
  Index t = 0;
  const auto emit = [&](int r, int i, V sum) HWY_ATTR {
    float* at = out + r * dim + t + i * lanes;
    hn::StoreU(hn::Add(hn::LoadU(d, at), sum), d, at);
  };
  const auto add = [&](auto vectors) HWY_ATTR {
    for (; t + vectors() * lanes <= dim; t += vectors() * lanes) {
      TileProduct<kRows, vectors(), false>(weights, kWeightsRow, 1, v + t, time, keys, nullptr,
                                           emit);
    }
  };
  if constexpr (kRows == 1) {
    add(std::integral_constant<int, 8>());
    add(std::integral_constant<int, 4>());
  }
  add(std::integral_constant<int, 2>());
  add(std::integral_constant<int, 1>());
  for (; t < dim; ++t) {
    for (int r = 0; r < kRows; ++r) {
      float sum = 0;
      for (Index j = 0; j < keys; ++j) sum += weights[r * kWeightsRow + j] * v[j * time + t];
      out[r * dim + t] += sum;
    }
  }
}

// What one query gives to some keys, relative to the largest of all so far.
HWY_INLINE void Weigh(const AttentionInput& in, const RowsTask& task, Index row, Range keys,
                      float* scores) {
  const D d;
  const Index head = task.kv_head * in.shape.group() + row / in.shape.query;
  const Index query = row % in.shape.query, dim = in.shape.value_dim;
  RowScores(in, task.batch, head, query, keys, scores);
  float* out = task.out + row * dim;
  const float before = task.most[row];
  const float most = std::max(before, MaxOf(scores, keys.size()));
  const float base = most == kNever ? 0 : most;
  const float shrink = hn::GetLane(Exp2(d, hn::Set(d, before - base)));
  V sum = hn::Zero(d);
  ForEachVector(keys.size(), [&](Index j, auto io) HWY_ATTR {
    const V weight = Exp2(d, hn::Sub(io.load(scores + j, kNever), hn::Set(d, base)));
    sum = hn::Add(sum, weight);
    io.store(weight, scores + j);
  });
  task.sum[row] = task.sum[row] * shrink + hn::GetLane(hn::SumOfLanes(d, sum));
  task.most[row] = most;
  Shrink(shrink, out, dim);
  if (in.dropout.probability > 0) {
    ForEachKeep(in, task.batch, head, query, keys,
                [&](Index j, float factor) { scores[j - keys.begin] *= factor; });
  }
}

// Rows that see the same of some keys. seen_only: values whose weight is 0 are left out, whatever
// they are.
HWY_INLINE void AttendTogether(const AttentionInput& in, const RowsTask& task, Index row,
                               Index count, Range keys, bool seen_only) {
  HWY_ALIGN float weights[kRowsTogether * kWeightsRow];
  const Index dim = in.shape.value_dim;
  for (Index r = 0; r < count; ++r) Weigh(in, task, row + r, keys, weights + r * kWeightsRow);
  const float* v = in.value.at(task.batch, task.kv_head, keys.begin);
  float* out = task.out + row * dim;
  if (seen_only) {
    const Product product{.a = weights,
                          .a_row = kWeightsRow,
                          .a_step = 1,
                          .b = v,
                          .b_step = in.value.time,
                          .c = out,
                          .c_row = dim,
                          .add = true};
    return MultiplySeen(product, count, dim, keys.size());
  }
  WithRows<kRowsTogether>(count, [&](auto rows) HWY_ATTR {
    AddRows<rows()>(weights, v, in.value.time, keys.size(), dim, out);
  });
}

void AttendRowsOnce(const AttentionInput& in, const RowsTask& task, Index begin, Index end,
                    bool seen_only) {
  std::fill(task.most + begin, task.most + end, kNever);
  std::fill(task.sum + begin, task.sum + end, 0.0f);
  std::fill(task.out + begin * in.shape.value_dim, task.out + end * in.shape.value_dim, 0.0f);
  const auto intervals_of = [&](Index row) {
    const Index head = task.kv_head * in.shape.group() + row / in.shape.query;
    return in.visible.of(task.batch, head, row % in.shape.query);
  };
  const auto see_the_same = [&](Index row, Index other) {
    const auto a = intervals_of(row), b = intervals_of(other);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](Interval x, Interval y) { return x.begin == y.begin && x.end == y.end; });
  };
  for (Index k = task.key_begin; k < task.key_end; k += kKeyBlock) {
    const Range block{k, std::min(k + kKeyBlock, task.key_end)};
    for (Index row = begin, count; row < end; row += count) {
      count = 1;
      while (count < kRowsTogether && row + count < end &&
             (!in.visible || see_the_same(row, row + count))) {
        ++count;
      }
      if (!in.visible) {
        AttendTogether(in, task, row, count, block, seen_only);
        continue;
      }
      for (const Interval& v : intervals_of(row)) {
        const Range keys = intersection(block, {v.begin, v.end});
        if (!keys.empty()) AttendTogether(in, task, row, count, keys, seen_only);
      }
    }
  }
}

void AttendRows(const AttentionInput& in, const RowsTask& task) {
  const Index rows = in.shape.group() * in.shape.query, dim = in.shape.value_dim;
  AttendRowsOnce(in, task, 0, rows, false);
  for (Index row = 0; row < rows; ++row) {  // values that have no weight may have spoilt it
    const bool finite = AllFinite(task.out + row * dim, 0, 1, dim);
    if (!finite) AttendRowsOnce(in, task, row, row + 1, true);
  }
}

// Rows of one head from the parts that its keys were cut into.
void MergeParts(const AttentionForward& w, std::span<const RowsTask> parts) {
  const D d;
  const AttentionShape& s = w.in.shape;
  for (Index row = 0; row < s.group() * s.query; ++row) {
    const Index head = parts[0].kv_head * s.group() + row / s.query, query = row % s.query;
    float most = parts[0].most[row];
    for (const RowsTask& part : parts) {  // NaN, once there, stays
      if (part.most[row] > most || std::isnan(part.most[row])) most = part.most[row];
    }
    float sum = 0;
    for (const RowsTask& part : parts) {
      float& share = part.most[row];  // which it becomes
      share = share == most || share == kNever ? 1 : std::exp2(share - most);
      if (part.sum[row] == 0) share = 0;
      if (share != 0) sum += share * part.sum[row];
    }
    float* out = w.out.at(parts[0].batch, head, query);
    ForEachVector(s.value_dim, [&](Index t, auto io) HWY_ATTR {
      V total = hn::Zero(d);
      for (const RowsTask& part : parts) {
        const float share = part.most[row];
        if (share == 0) continue;
        total = hn::MulAdd(hn::Set(d, share), io.load(part.out + row * s.value_dim + t), total);
      }
      io.store(sum == 0 ? total : hn::Div(total, hn::Set(d, sum)), out + t);
    });
    w.logsumexp[(parts[0].batch * s.head + head) * s.query + query] =
        sum == 0 ? kNever : most * kLn2 + std::log(sum);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AttendRows);
HWY_EXPORT(MergeParts);

constexpr Index kFewQueries = 8;  // with more, blocks whose lanes are queries are ahead
constexpr Index kKeysPerTask = 48 * kKeyBlock;

}  // namespace

bool few_queries(const AttentionInput& in) { return in.shape.query <= kFewQueries; }

void attend_rows(const AttentionForward& work) {
  const AttentionShape& s = work.in.shape;
  const Index rows = s.group() * s.query, heads = s.batch * s.kv_head;
  const Index parts = std::max<Index>(1, ceil_div(s.key, kKeysPerTask));
  const Index size = rows * (2 + s.value_dim);
  const Buffer memory(heads * parts * size);
  std::vector<RowsTask> tasks;
  for (Index at = 0; at < heads * parts; ++at) {
    float* space = memory.data() + at * size;
    const Index part = at % parts;
    tasks.push_back({.batch = at / parts / s.kv_head,
                     .kv_head = at / parts % s.kv_head,
                     .key_begin = part * kKeysPerTask,
                     .key_end = std::min(s.key, (part + 1) * kKeysPerTask),
                     .most = space,
                     .sum = space + rows,
                     .out = space + 2 * rows});
  }
  const Index per_task = std::max<Index>(1, s.key * (s.dim + s.value_dim) * rows / parts);
  const Index grain = std::max<Index>(1, (Index{1} << 17) / per_task);
  parallel_for(heads * parts, grain, [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      HWY_DYNAMIC_DISPATCH(AttendRows)(work.in, tasks[static_cast<std::size_t>(at)]);
    }
  });
  for (Index head = 0; head < heads; ++head) {
    HWY_DYNAMIC_DISPATCH(MergeParts)
    (work, std::span(tasks).subspan(static_cast<std::size_t>(head * parts),
                                    static_cast<std::size_t>(parts)));
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
