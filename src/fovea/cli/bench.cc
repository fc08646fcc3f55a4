// fovea bench: this machine's limits, and every kernel beside the one it cannot pass.
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <regex>

#include "fovea/base/buffer.h"
#include "fovea/base/files.h"
#include "fovea/base/parallel.h"
#include "fovea/cli/bench_case.h"
#include "fovea/cli/json_text.h"
#include "fovea/cli/machine.h"
#include "fovea/cli/verb.h"
#include "fovea/kernels/isa.h"

namespace fovea::cli {

namespace {

struct BenchFlags {
  std::string json;
  std::string only;
  bool list = false;
  double seconds = 0.2;
};

enum class Unit { kFlops, kBytes, kTime };

// One case with one number of threads.
struct Result {
  std::string name{};
  int threads = 1;
  double seconds = 0;
  double flops = 0, bytes = 0;  // of a call
  double of_peak = 1;           // time that the limit would take / time taken
  Unit unit = Unit::kFlops;     // of the limit
};

class Bench {
 public:
  explicit Bench(const BenchFlags& options) : seconds_(options.seconds) {}

  Result fma_peak() {
    const FmaRate rate = measure_fma(2 * seconds_);  // all else is a share of it
    peak_[threads()] = rate.flops;
    return {.threads = threads(), .seconds = rate.seconds, .flops = rate.flops * rate.seconds};
  }

  Result triad(Index bytes) {
    const TriadRate rate = measure_triad(bytes, seconds_);
    return {.threads = threads(),
            .seconds = rate.seconds,
            .flops = rate.bytes * rate.seconds / 6,  // 2 for 12 bytes
            .bytes = rate.bytes * rate.seconds,
            .unit = Unit::kBytes};
  }

  Result empty_loop() {
    return {.threads = threads(), .seconds = measure_empty_loop(seconds_), .unit = Unit::kTime};
  }

  Result run(const BenchCase& work) {
    const std::function<void()> timed = work.prepare();
    const double seconds = best_seconds(timed, seconds_);
    const double by_flops = work.flops / peak();
    const double by_bytes = work.bytes > 0 ? work.bytes / bandwidth(work.bytes) : 0;
    release_cached_memory();
    return {.threads = threads(),
            .seconds = seconds,
            .flops = work.flops,
            .bytes = work.bytes,
            .of_peak = std::max(by_flops, by_bytes) / seconds,
            .unit = by_flops >= by_bytes ? Unit::kFlops : Unit::kBytes};
  }

 private:
  double peak() {
    if (!peak_.contains(threads())) fma_peak();
    return peak_[threads()];
  }
  // What a triad that touches as many bytes reaches: they come from the same cache, or from none.
  double bandwidth(double bytes) {
    const auto [found, fresh] = bandwidth_.try_emplace({threads(), bytes}, 0);
    if (fresh) found->second = measure_triad(static_cast<Index>(bytes), 0.02).bytes;
    return found->second;
  }

  double seconds_;
  std::map<int, double> peak_;
  std::map<std::pair<int, double>, double> bandwidth_;
};

struct Row {
  std::string name;
  std::function<Result(Bench&)> measure;
  bool slow = false;
};

std::vector<Row> all_rows() {
  const Index large = bytes_beyond_caches(), small = 3 << 17;
  std::vector<Row> rows = {
      {fmt::format("FMA peak, {}", kernels::vector_isa()), [](Bench& b) { return b.fma_peak(); }},
      {fmt::format("triad over {} MiB", large >> 20), [=](Bench& b) { return b.triad(large); }},
      {fmt::format("triad over {} KiB", small >> 10), [=](Bench& b) { return b.triad(small); }},
      {"empty parallel loop", [](Bench& b) { return b.empty_loop(); }},
  };
  for (const auto& list : {kernel_cases(), attention_cases(), training_cases()}) {
    for (const BenchCase& work : list) {
      rows.push_back({work.name, [work](Bench& b) { return b.run(work); }, work.slow});
    }
  }
  return rows;
}

std::vector<Row> chosen_rows(const std::string& pattern) {
  std::vector<Row> rows = all_rows();
  if (pattern.empty()) {
    std::erase_if(rows, [](const Row& row) { return row.slow; });
    return rows;
  }
  std::regex wanted;
  try {
    wanted = std::regex(pattern, std::regex::ECMAScript | std::regex::icase);
  } catch (const std::regex_error&) {
    throw UsageError(fmt::format("--only: '{}' is no regular expression", pattern));
  }
  std::erase_if(rows, [&](const Row& row) { return !std::regex_search(row.name, wanted); });
  if (rows.empty()) {
    throw UsageError(
        fmt::format("--only: '{}' matches no row (fovea bench --list names them)", pattern));
  }
  return rows;
}

// Four digits that matter.
std::string number(double value) {
  const int digits = value >= 1000   ? 0
                     : value >= 100  ? 1
                     : value >= 10   ? 2
                     : value >= 1    ? 3
                     : value >= 0.01 ? 4
                                     : 6;
  return fmt::format("{:.{}f}", value, digits);
}

std::string cells(const Result& r) {
  const double rate = r.unit == Unit::kFlops   ? r.flops / r.seconds * 1e-9
                      : r.unit == Unit::kBytes ? r.bytes / r.seconds * 1e-9
                                               : 0;
  return fmt::format("{:>9}{:>9}{:>6.0f} %", number(r.seconds * 1e3),
                     r.unit == Unit::kTime ? "" : number(rate), 100 * r.of_peak);
}

const char* unit_text(Unit unit) {
  switch (unit) {
    case Unit::kFlops:
      return "GFLOP/s, arithmetic";
    case Unit::kBytes:
      return "GB/s, memory";
    case Unit::kTime:
      return "ms, start and end";
  }
  return "";
}

nlohmann::ordered_json json_of(const std::vector<Result>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Result& r : results) {
    list.push_back({{"name", r.name},
                    {"threads", r.threads},
                    {"ms", r.seconds * 1e3},
                    {"gflops", r.flops / r.seconds * 1e-9},
                    {"of_peak", r.of_peak}});
  }
  return list;
}

// Restores the number of threads, which is the process's.
class KeepThreads {
 public:
  KeepThreads() : saved_(threads()) {}
  ~KeepThreads() { set_threads(saved_); }
  KeepThreads(const KeepThreads&) = delete;
  KeepThreads& operator=(const KeepThreads&) = delete;

 private:
  int saved_;
};

std::vector<Result> measure(const BenchFlags& options, std::ostream& table) {
  const KeepThreads guard;
  const std::vector<Row> rows = chosen_rows(options.only);
  const int most = threads();
  std::vector<int> teams = {1};
  if (most > 1) teams.push_back(most);

  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  table << fmt::format("{}, {}\n\n{:<{}}", cpu_name(), kernels::current_isa(), "", width);
  for (const int team : teams) {
    table << fmt::format("{:>26}", fmt::format("{} thread{}", team, team == 1 ? "" : "s"));
  }
  table << fmt::format("\n{:<{}}", "", width);
  for (std::size_t i = 0; i < teams.size(); ++i) table << "       ms     rate   limit";
  table << std::endl;

  Bench bench(options);
  std::vector<Result> results;
  for (const Row& row : rows) {
    table << fmt::format("{:<{}}", row.name, width) << std::flush;
    for (const int team : teams) {
      set_threads(team);
      results.push_back(row.measure(bench));
      results.back().name = row.name;
      table << cells(results.back()) << std::flush;
    }
    table << "  " << unit_text(results.back().unit) << std::endl;
  }
  table << R"(
ms: the best of many calls. limit: the share of the speed that the machine allows, which is
its FMA peak (arithmetic) or what a triad over as many bytes reaches (memory), whichever is
slower for this work.
)";
  if (kernels::may_use_amx()) {
    table << "Matrix products may pass it: they run on the matrix unit (AMX), which it does not "
             "count.\n";
  }
  return results;
}

}  // namespace

Verb bench_verb() {
  return {
      .name = "bench",
      .usage = "[--only PATTERN] [--threads N] [--seconds S] [--json FILE] [--list]",
      .summary = "this machine's speed, beside its limits",
      .about =
          R"(Measures how fast this machine multiplies and moves memory, then every kernel beside the
limit it cannot pass, with one thread and with all. Each result is checked before it is timed.
Takes about a minute; other work on the machine makes it slower, so let it run alone.

The JSON is a list of {"name", "threads", "ms", "gflops", "of_peak"}: time of a call, billions
of arithmetic operations a second, and the share of the speed that its limit allows.)",
      .examples = {{"fovea bench", "measure everything"},
                   {"fovea bench --only matmul", "only rows whose name matches"},
                   {"fovea bench --json speed.json", "also as a list for a program"}},
      .define = [](Arguments& app) -> Work {
        const auto options = std::make_shared<BenchFlags>();
        app.add_option("--only", options->only,
                       "rows whose name matches this regular expression, in any case")
            ->type_name("PATTERN");
        add_threads_option(app);
        app.add_option("--seconds", options->seconds, "how long to measure each number (0.2)")
            ->type_name("S")
            ->check(number_above(0, 3600));
        app.add_option("--json", options->json,
                       "also write the results as JSON; - is standard output")
            ->type_name("FILE")
            ->written();
        app.add_flag("--list", options->list,
                     "only name the rows; with --only also those that take a minute each");
        return [options](std::ostream& out, std::ostream& err) {
          if (options->list) {
            for (const Row& row : chosen_rows(options->only)) out << row.name << "\n";
            return;
          }
          const bool json_only = options->json == "-";
          const auto results = measure(*options, json_only ? err : out);
          const std::string json = json_text(json_of(results), 1);
          if (json_only) {
            out << json;
          } else if (!options->json.empty()) {
            write_file(options->json, json);
          }
        };
      }};
}

}  // namespace fovea::cli
