#include "fovea/data/pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/hash.h"
#include "fovea/data/text.h"

namespace fovea {
namespace {

// Takes pairs and what is wrong with others, and knows what to do with the latter.
class PairCollector {
 public:
  explicit PairCollector(const PairOptions& options) : options_(options) {}

  void add(std::string_view source, std::string_view target, const std::string& where) {
    SentencePair pair{normalized(source, options_.lower_case),
                      normalized(target, options_.lower_case)};
    if (pair.source.empty() || pair.target.empty()) {
      return skip(where + (!pair.target.empty()   ? ": the source is empty"
                           : !pair.source.empty() ? ": the target is empty"
                                                  : ": source and target are empty"));
    }
    result_.pairs.push_back(std::move(pair));
  }

  void skip(const std::string& problem) {
    if (!options_.skip_bad) {
      fail("{}; no pair was skipped, fix the line or pass --skip-bad", problem);
    }
    if (result_.skipped++ == 0) result_.first_skipped = problem;
  }

  SentencePairs take(const std::string& name) {
    if (result_.pairs.empty() && result_.skipped == 0) fail("{}: is empty, it has no pair", name);
    if (result_.pairs.empty()) {
      fail("{}: none of its {} lines is a pair; the first: {}", name, result_.skipped,
           result_.first_skipped);
    }
    return std::move(result_);
  }

 private:
  PairOptions options_;
  SentencePairs result_;
};

SentencePairs collect_pairs(const ByteSource& source, const PairOptions& options) {
  LineReader reader(source);
  PairCollector collector(options);
  for (std::string line; reader.next(line);) {
    const std::string invalid = invalid_utf8(line);
    const auto fields = std::count(line.begin(), line.end(), '\t') + 1;
    if (!invalid.empty()) {
      collector.skip(reader.where() + invalid);
    } else if (fields != 2) {
      collector.skip(fmt::format("{}: expected 2 tab-separated fields, found {}", reader.where(),
                                 line.empty() ? 0 : fields));
    } else {
      const std::string_view both = line;
      const std::size_t tab = both.find('\t');
      collector.add(both.substr(0, tab), both.substr(tab + 1), reader.where());
    }
  }
  return collector.take(source.name());
}

std::uint64_t content_hash(const SentencePair& pair) {
  return mixed_bits(hash_bytes(pair.target, hash_bytes("\t", hash_bytes(pair.source))));
}

// Disjoint sets of indices.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> parent_;
};

Groups groups_with_common_sentence(std::span<const SentencePair> pairs) {
  Groups groups(pairs.size());
  for (const auto side : {&SentencePair::source, &SentencePair::target}) {
    std::unordered_map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      groups.join(i, first.try_emplace(pairs[i].*side, i).first->second);
    }
  }
  return groups;
}

}  // namespace

SentencePairs read_pairs(const std::string& path, const PairOptions& options) {
  return collect_pairs(ByteSource::file(path), options);
}

SentencePairs parse_pairs(std::string_view bytes, const std::string& name,
                          const PairOptions& options) {
  return collect_pairs(ByteSource::memory(bytes, name), options);
}

SentencePairs read_parallel(const std::string& source_path, const std::string& target_path,
                            const PairOptions& options) {
  const ByteSource source_file = ByteSource::file(source_path);
  const ByteSource target_file = ByteSource::file(target_path);
  LineReader source(source_file), target(target_file);
  PairCollector collector(options);
  std::string source_line, target_line;
  bool more_source = source.next(source_line), more_target = target.next(target_line);
  while (more_source && more_target) {
    const std::string bad_source = invalid_utf8(source_line),
                      bad_target = invalid_utf8(target_line);
    if (!bad_source.empty()) {
      collector.skip(source.where() + bad_source);
    } else if (!bad_target.empty()) {
      collector.skip(target.where() + bad_target);
    } else {
      collector.add(source_line, target_line, source.where());
    }
    more_source = source.next(source_line);
    more_target = target.next(target_line);
  }
  if (more_source != more_target) {
    while (source.next(source_line)) continue;  // for their numbers
    while (target.next(target_line)) continue;
    fail("{}: has {} lines but {} has {}; line by line, one must be a translation of the other",
         source_path, source.number(), target_path, target.number());
  }
  return collector.take(source_path);
}

PairSplit split_by_content(std::span<const SentencePair> pairs, double share) {
  if (!(share >= 0 && share <= 1)) fail("split_by_content: share is {}, not in 0 to 1", share);
  struct Group {
    std::uint64_t hash = ~std::uint64_t{0};  // the smallest of its pairs
    Index size = 0;
    bool held_out = false;
  };
  Groups groups = groups_with_common_sentence(pairs);
  std::unordered_map<std::size_t, Group> group_of;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Group& group = group_of[groups.of(i)];
    group.hash = std::min(group.hash, content_hash(pairs[i]));
    ++group.size;
  }
  std::vector<Group*> by_hash;
  for (auto& [root, group] : group_of) by_hash.push_back(&group);
  std::sort(by_hash.begin(), by_hash.end(), [](const Group* a, const Group* b) {
    return std::pair(a->hash, a->size) < std::pair(b->hash, b->size);
  });
  auto left = static_cast<Index>(std::floor(share * static_cast<double>(pairs.size())));
  for (Group* group : by_hash) {
    group->held_out = group->size <= left;
    if (group->held_out) left -= group->size;
  }
  PairSplit split;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool held_out = group_of[groups.of(i)].held_out;
    (held_out ? split.held_out : split.train).push_back(static_cast<Index>(i));
  }
  return split;
}

}  // namespace fovea
