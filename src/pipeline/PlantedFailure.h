// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures of the compiler on purpose, so that tests can check their handling: with `--fail-in=loop:cpu-plan` that pass
// never returns.
#ifndef TILEWRIGHT_PIPELINE_PLANTEDFAILURE_H
#define TILEWRIGHT_PIPELINE_PLANTEDFAILURE_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

class PlantedFailure {
public:
  // "KIND:PLACE": fatal, crash, stack, memory, loop or wait; a pass or a stage. Empty for none.
  explicit PlantedFailure(llvm::StringRef what) : kind(what.split(':').first), place(what.split(':').second) {}

  // At that place.
  void failIn(llvm::StringRef here) const {
    if (!kind.empty() && here == place)
      fail();
  }

private:
  void fail() const;

  llvm::StringRef kind, place;
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_PLANTEDFAILURE_H
