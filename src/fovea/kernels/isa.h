// Instruction sets: which ones the kernels may use. FOVEA_ISA=sse4|avx2|avx512 caps them for a
// whole process; without it, processors that have a matrix unit (AMX) use that too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::kernels {

// Instruction sets that this machine and this build have, best first: "AMX" (AVX3 and the matrix
// unit), "AVX3", "AVX2", "SSE4", "SCALAR".
std::vector<std::string> available_isas();
std::string current_isa();
std::string vector_isa();  // the same without the matrix unit
bool may_use_amx();

// Makes every kernel of our own run on one instruction set, until destroyed. For tests and
// measurements: not for use while kernels run elsewhere. oneDNN keeps the set of the process.
class UseIsa {
 public:
  explicit UseIsa(const std::string& name);
  ~UseIsa();
  UseIsa(const UseIsa&) = delete;
  UseIsa& operator=(const UseIsa&) = delete;
};

namespace detail {
bool apply_isa_cap();
// Before main, so before the first dispatch, in whichever file is linked.
inline const bool isa_cap_applied = apply_isa_cap();
}  // namespace detail

}  // namespace fovea::kernels
