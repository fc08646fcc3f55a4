#include "fovea/base/signals.h"

#include <utility>

namespace fovea {
namespace {

thread_local bool signals_wait = false;

sigset_t all_but_faults() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&set, fault);
  }
  return set;
}

}  // namespace

HoldSignals::HoldSignals() : outermost_(!std::exchange(signals_wait, true)) {
  static const sigset_t held = all_but_faults();
  if (outermost_) pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HoldSignals::~HoldSignals() {
  if (!outermost_) return;
  signals_wait = false;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace fovea
