#include "fovea/serve/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "fovea/base/buffer.h"

namespace fovea {
namespace {

class Page {
 public:
  void metric(const char* name, const char* type, const char* help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void gauge(const char* name, const char* help, Index value) {
    metric(name, "gauge", help);
    line("{} {}", name, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

Index resident_bytes() {
  std::ifstream file("/proc/self/statm");
  Index all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<Index>(::sysconf(_SC_PAGESIZE));
}

void Metrics::answered(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++answers_[{route, status}];
  Histogram& histogram = seconds_[route];
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++histogram.counts[static_cast<std::size_t>(bound - kBounds.begin())];
  histogram.sum += seconds;
}

void Metrics::read_pieces(Index input, Index output) {
  const std::lock_guard lock(mutex_);
  input_pieces_ += input;
  output_pieces_ += output;
}

std::string Metrics::text(const Now& now) const {
  Page page;
  const std::lock_guard lock(mutex_);
  page.metric("fovea_requests_total", "counter", "Requests answered.");
  for (const auto& [key, count] : answers_) {
    page.line("fovea_requests_total{{route=\"{}\",status=\"{}\"}} {}", key.first, key.second,
              count);
  }
  page.metric("fovea_request_seconds", "histogram",
              "From the end of a request's headers to its answer.");
  for (const auto& [route, histogram] : seconds_) {
    Index count = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      count += histogram.counts[i];
      page.line("fovea_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}", route, kBounds[i],
                count);
    }
    count += histogram.counts.back();
    page.line("fovea_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}", route, count);
    page.line("fovea_request_seconds_sum{{route=\"{}\"}} {}", route, histogram.sum);
    page.line("fovea_request_seconds_count{{route=\"{}\"}} {}", route, count);
  }
  page.metric("fovea_pieces_total", "counter", "Pieces of text that models read and wrote.");
  page.line("fovea_pieces_total{{direction=\"input\"}} {}", input_pieces_);
  page.line("fovea_pieces_total{{direction=\"output\"}} {}", output_pieces_);
  page.gauge("fovea_queue_length", "Requests that wait for a worker.", now.queue);
  page.gauge("fovea_running_requests", "Requests that a worker is at.", now.running);
  page.gauge("fovea_connections", "Connections that are open.", now.connections);
  page.gauge("fovea_tensor_bytes", "Memory that tensors use.",
             static_cast<Index>(pool_statistics().bytes_in_use));
  page.gauge("process_resident_memory_bytes", "Memory of the process in RAM.", resident_bytes());
  return page.take();
}

}  // namespace fovea
