// Processes that train one model together, on one machine or many:
//
//   mpirun -n 4 fovea train translate ...
//
// Each takes its share of the batches of a step (training/step_sum.h). The model that they end with
// has the same bytes as if one process had done all the work.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/base/index.h"

namespace fovea {

class Team {
 public:
  Team() = default;  // of one
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // With those that mpirun has started beside this process; of one if it has not. Fails where there
  // are others and the library was built without MPI.
  static Team& join();
  static bool possible();  // whether it was built with MPI

  Index size() const { return size_; }
  Index place() const { return place_; }
  bool leads() const { return place_ == 0; }  // writes files, and speaks

  // The others wait for each other: who cannot go on says so, and all end when its process does.
  void give_up() { given_up_ = true; }

  // All processes must call each of these, in the same order.
  bool leader_says(bool word) const;                              // the same for all
  std::vector<double> gather(std::span<const double> own) const;  // in the order of places
  std::vector<std::int32_t> gather(std::span<const std::int32_t> own) const;
  // `own` is a part of `count` numbers for each place; `received` is the part for this one, from
  // each place.
  void exchange(const float* own, float* received, Index count) const;
  // `all` has a part of `count` numbers of each place, of which only its own is filled; then all.
  void complete(float* all, Index count) const;

 private:
  Index size_ = 1, place_ = 0;
  [[maybe_unused]] bool ends_mpi_ = false;  // which this process has begun for it
  bool given_up_ = false;
};

}  // namespace fovea
