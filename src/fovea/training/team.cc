#include "fovea/training/team.h"

#include <algorithm>
#include <cstdlib>

#include "fovea/base/error.h"

#ifdef FOVEA_MPI
#include <mpi.h>
#endif

namespace fovea {
namespace {

// What Open MPI's and MPICH's mpirun tell those they start.
bool started_with_others() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::atol(value) > 1) return true;
  }
  return false;
}

#ifdef FOVEA_MPI
void must(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail("train: the processes have lost each other: {}",
       std::string_view(text, static_cast<std::size_t>(length)));
}

int count_of(Index count) {
  if (count > INT32_MAX) fail("train: {} numbers are too many to send at once", count);
  return static_cast<int>(count);
}
#endif

}  // namespace

#ifdef FOVEA_MPI

bool Team::possible() { return true; }

Team& Team::join() {
  static Team team;
  if (team.size_ > 1 || !started_with_others()) return team;
  int before = 0, size = 1, place = 0, provided = 0;
  must(MPI_Initialized(&before));
  if (before == 0) must(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  must(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  must(MPI_Comm_size(MPI_COMM_WORLD, &size));
  must(MPI_Comm_rank(MPI_COMM_WORLD, &place));
  team.size_ = size;
  team.place_ = place;
  team.ends_mpi_ = before == 0;
  return team;
}

Team::~Team() {
  int after = 0;
  if (size_ == 1 || MPI_Finalized(&after) != MPI_SUCCESS || after != 0) return;
  if (given_up_) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  } else if (ends_mpi_) {
    MPI_Finalize();
  }
}

bool Team::leader_says(bool word) const {
  int said = word ? 1 : 0;
  if (size_ > 1) must(MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD));
  return said != 0;
}

std::vector<double> Team::gather(std::span<const double> own) const {
  if (size_ == 1) return {own.begin(), own.end()};
  const int count = count_of(static_cast<Index>(own.size()));
  std::vector<double> all(own.size() * static_cast<std::size_t>(size_));
  must(MPI_Allgather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD));
  return all;
}

std::vector<std::int32_t> Team::gather(std::span<const std::int32_t> own) const {
  if (size_ == 1) return {own.begin(), own.end()};
  const int count = count_of(static_cast<Index>(own.size()));
  std::vector<int> counts(static_cast<std::size_t>(size_)), begins(counts.size());
  must(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD));
  Index total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    begins[i] = count_of(total);
    total += counts[i];
  }
  std::vector<std::int32_t> all(static_cast<std::size_t>(total));
  must(MPI_Allgatherv(own.data(), count, MPI_INT32_T, all.data(), counts.data(), begins.data(),
                      MPI_INT32_T, MPI_COMM_WORLD));
  return all;
}

void Team::exchange(const float* own, float* received, Index count) const {
  if (size_ == 1) {
    std::copy_n(own, count, received);
    return;
  }
  must(MPI_Alltoall(own, count_of(count), MPI_FLOAT, received, count_of(count), MPI_FLOAT,
                    MPI_COMM_WORLD));
}

void Team::complete(float* all, Index count) const {
  if (size_ == 1) return;
  must(MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, all, count_of(count), MPI_FLOAT, MPI_COMM_WORLD));
}

#else

bool Team::possible() { return false; }

Team& Team::join() {
  if (started_with_others()) {
    fail(
        "train: mpirun has started several processes, but this fovea was built without MPI; "
        "install "
        "it (Debian: libopenmpi-dev) and build again, or start one process");
  }
  static Team team;
  return team;
}

Team::~Team() = default;
bool Team::leader_says(bool word) const { return word; }
std::vector<double> Team::gather(std::span<const double> own) const {
  return {own.begin(), own.end()};
}
std::vector<std::int32_t> Team::gather(std::span<const std::int32_t> own) const {
  return {own.begin(), own.end()};
}
void Team::exchange(const float* own, float* received, Index count) const {
  std::copy_n(own, count, received);
}
void Team::complete(float*, Index) const {}

#endif

}  // namespace fovea
