// What a server counts, as Prometheus reads it (text format 0.0.4).
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "fovea/base/index.h"

namespace fovea {

class Metrics {
 public:
  void answered(const std::string& route, int status, double seconds);
  void read_pieces(Index input, Index output);

  struct Now {
    Index queue = 0, running = 0, connections = 0;
  };
  std::string text(const Now& now) const;

 private:
  static constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                         0.25,  0.5,    1.0,   2.5,  5.0,   10.0, 30.0};
  struct Histogram {
    std::array<Index, kBounds.size() + 1> counts{};  // the last: more than all bounds
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, Index> answers_;  // by route and status
  std::map<std::string, Histogram> seconds_;              // by route
  Index input_pieces_ = 0, output_pieces_ = 0;
};

// Memory of this process that is in RAM, in bytes; 0 where the system does not tell.
Index resident_bytes();

}  // namespace fovea
