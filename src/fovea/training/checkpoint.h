// Checkpoints: all that a training run needs to go on as if it had never stopped, in two files, so
// that the older one is there when the newer is damaged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/training/log.h"

namespace fovea {

struct TrainState {
  Index step = 0;      // steps done
  double seconds = 0;  // of training, over all runs
  Index skipped = 0, skipped_in_a_row = 0;

  Index validated_at = 0;      // the step of the last validation; 0: none yet
  Index without_progress = 0;  // validations since the best one
  std::optional<Grade> best{};
  Index best_step = 0;

  Index reported_at = 0;
  // Since that report.
  double loss_sum = 0, loss_count = 0, step_seconds = 0;
  double gradient_norm = 0;
  Figures figures{};  // sums
};

struct Checkpoint {
  TrainState state{};
  std::map<std::string, std::string> options{};  // what a run that goes on must have in common
  std::map<std::string, Tensor> tensors{};       // model.*, optimizer.*, average.N.*, best.*
  std::vector<LogEntry> log{};
};

// A safetensors file with a checksum. What stands at `path` becomes `path`.previous; when writing
// fails, it is back at its place.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::string file;
  std::string note{};  // why it is not the newest; empty if it is
};

// The newest one that is whole; nothing if there is none. Fails if all are damaged.
std::optional<FoundCheckpoint> read_checkpoint(const std::string& path);

bool checkpoint_exists(const std::string& path);
void remove_checkpoint(const std::string& path);  // both, and what killed writers left

// "data was 'a.tsv' and is 'b.tsv'"; of JSON objects, the members that differ. One that was
// not there and is false came with a later version, which makes no difference.
std::string difference(const std::string& name, const std::string& was, const std::string& is);

// The pieces of the above, for tests. The checksum is of all but itself.
Checkpoint parse_checkpoint(const ModelFile& file, const std::string& name);
std::string checkpoint_checksum(const ModelFile& file);

}  // namespace fovea
