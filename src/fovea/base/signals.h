// Keeps signals away from code that must not be interrupted.
#pragma once

#include <signal.h>

namespace fovea {

// While this lives, signals wait, except those of a fault of the thread's own. One within another
// costs nothing.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  bool outermost_;
  sigset_t before_;
};

}  // namespace fovea
