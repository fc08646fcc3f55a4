#include "fovea/kernels/attention_plan.h"

#include "fovea/kernels/isa.h"

namespace fovea::kernels {
namespace {

Range hull(std::span<const Interval> intervals) {
  if (intervals.empty()) return {0, 0};
  return {intervals.front().begin, intervals.back().end};
}

void add_head(const AttentionInput& in, Index batch, Index head, Index most,
              std::vector<QueryRange>& ranges) {
  for (Index i = 0; i < in.shape.query && !in.visible; i += most) {
    ranges.push_back({batch, head, i, std::min(i + most, in.shape.query)});
  }
  if (!in.visible) return;
  Range seen{0, 0};
  QueryRange range{batch, head, 0, 0};
  for (Index i = 0; i < in.shape.query; ++i) {
    const Range keys = hull(in.visible.of(batch, head, i));
    const bool apart = !seen.empty() && !keys.empty() && intersection(seen, keys).empty();
    if (range.count() == most || apart) {
      ranges.push_back(range);
      range.begin = i;
      seen = {0, 0};
    }
    range.end = i + 1;
    if (keys.empty()) continue;
    seen =
        seen.empty() ? keys : Range{std::min(seen.begin, keys.begin), std::max(seen.end, keys.end)};
  }
  if (range.count() > 0) ranges.push_back(range);
}

bool amx_anyway = false;

}  // namespace

std::vector<QueryRange> query_ranges(const AttentionInput& in, Index most) {
  std::vector<QueryRange> ranges;
  std::size_t last = 0;  // where those of the head before begin
  for (Index b = 0; b < in.shape.batch; ++b) {
    for (Index h = 0; h < in.shape.head; ++h) {
      const std::size_t begin = ranges.size();
      const bool same = in.visible.head_row == 0 && (h > 0 || (b > 0 && in.visible.batch_row == 0));
      if (!same) add_head(in, b, h, most, ranges);
      for (std::size_t i = last; same && i < begin; ++i) {
        ranges.push_back({b, h, ranges[i].begin, ranges[i].end});
      }
      last = begin;
    }
  }
  return ranges;
}

AmxAttendsAnyway::AmxAttendsAnyway() { amx_anyway = true; }
AmxAttendsAnyway::~AmxAttendsAnyway() { amx_anyway = false; }

bool amx_attends(const AttentionInput& in) {
  constexpr Index kLines = 32, kShortest = 64, kFewestKeys = 448;
  const AttentionShape& s = in.shape;
  if (!may_use_amx() || s.dim % kLines != 0 || s.value_dim % kLines != 0) return false;
  if (amx_anyway) return true;
  if (std::min(s.dim, s.value_dim) < kShortest || s.key < kFewestKeys || s.query < kLines) {
    return false;
  }
  if (!in.visible) return true;
  Index seen = 0, rows = 0;
  for (Index b = 0; b < (in.visible.batch_row == 0 ? 1 : s.batch); ++b) {
    for (Index h = 0; h < (in.visible.head_row == 0 ? 1 : s.head); ++h) {
      for (Index i = 0; i < s.query; ++i, ++rows) {
        for (const Interval& v : in.visible.of(b, h, i)) seen += v.end - v.begin;
      }
    }
  }
  return seen >= rows * kFewestKeys;
}

std::vector<Range> groups_that_share_keys(const AttentionInput& in,
                                          const std::vector<QueryRange>& ranges, Index most) {
  const auto key_head = [&](const QueryRange& r) {
    return r.batch * in.shape.kv_head + r.head / in.shape.group();
  };
  std::vector<Range> groups;
  groups.reserve(ranges.size());
  for (Index i = 0; i < static_cast<Index>(ranges.size()); ++i) {
    const auto is_in_last = [&] {
      const Range last = groups.back();
      return last.size() < most && key_head(ranges[static_cast<std::size_t>(last.begin)]) ==
                                       key_head(ranges[static_cast<std::size_t>(i)]);
    };
    if (!groups.empty() && is_in_last()) {
      ++groups.back().end;
    } else {
      groups.push_back({i, i + 1});
    }
  }
  return groups;
}

SeenKeys::SeenKeys(const AttentionInput& input, const QueryRange& queries, Index lanes)
    : all{0, input.shape.key}, in(input), range(queries) {
  std::fill_n(first, lanes, 0);
  std::fill_n(last, lanes, 0);
  if (!in.visible) {
    std::fill_n(last, range.count(), static_cast<std::int32_t>(in.shape.key));
    return;
  }
  all = {in.shape.key, 0};
  for (Index i = 0; i < range.count(); ++i) {
    const auto intervals = in.visible.of(range.batch, range.head, range.begin + i);
    if (intervals.size() > 1) one_interval = false;
    const Range keys = hull(intervals);
    first[i] = static_cast<std::int32_t>(keys.begin);
    last[i] = static_cast<std::int32_t>(keys.end);
    everything = everything && intervals.size() == 1 && keys.size() == in.shape.key;
    if (!keys.empty()) all = {std::min(all.begin, keys.begin), std::max(all.end, keys.end)};
  }
  if (all.empty()) all = {0, 0};
}

std::span<const Interval> SeenKeys::within(Range keys, Index i) const {
  const auto row = in.visible.of(range.batch, range.head, range.begin + i);
  const auto from = std::partition_point(row.begin(), row.end(),
                                         [&](const Interval& v) { return v.end <= keys.begin; });
  const auto to =
      std::partition_point(from, row.end(), [&](const Interval& v) { return v.begin < keys.end; });
  return {from, to};
}

Range SeenKeys::needed(Range block, Index begin, Index end) const {
  if (everything) return block;
  Range keys{block.end, block.begin};
  for (Index i = begin; i < std::min(end, range.count()); ++i) {
    const Range own =
        intersection(block, one_interval ? Range{first[i], last[i]} : hull(within(block, i)));
    if (!own.empty()) keys = {std::min(keys.begin, own.begin), std::max(keys.end, own.end)};
  }
  return keys.empty() ? Range{block.begin, block.begin} : keys;
}

Range SeenKeys::seeing(Range keys) const {
  const auto blind = [&](Index i) { return intersection(keys, {first[i], last[i]}).empty(); };
  Range queries{0, range.count()};
  while (!queries.empty() && blind(queries.begin)) ++queries.begin;
  while (!queries.empty() && blind(queries.end - 1)) --queries.end;
  return queries;
}

bool SeenKeys::whole(Range keys, Index begin, Index end) const {
  if (everything) return true;
  for (Index i = begin; i < std::min(end, range.count()); ++i) {
    if (first[i] > keys.begin || last[i] < keys.end) return false;
    if (one_interval) continue;
    const auto parts = within(keys, i);
    if (parts.size() != 1 || parts[0].begin > keys.begin || parts[0].end < keys.end) return false;
  }
  return true;
}

}  // namespace fovea::kernels
