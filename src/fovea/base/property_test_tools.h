// What tests of properties share.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>  // needs the one above

#include <cstdlib>

namespace fovea {

// Properties are tried on the same 500 cases in every run, unless RC_PARAMS says otherwise.
inline const bool kRepeatableProperties = ::setenv("RC_PARAMS", "seed=1 max_success=500", 0) == 0;

// A number in [low, high), all equally likely from the first case on: RapidCheck's own begins with
// small ones.
template <class T>
T drawn(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

inline bool tossed() { return drawn(0, 2) == 1; }

}  // namespace fovea
