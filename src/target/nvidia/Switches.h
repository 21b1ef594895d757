// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions that a user takes away from the compiler, by the names that NVIDIA's compiler has for them in the
// environment. They are there for trying out what a decision costs; results are the same either way.
#ifndef TILEWRIGHT_TARGET_NVIDIA_SWITCHES_H
#define TILEWRIGHT_TARGET_NVIDIA_SWITCHES_H

#include <string>

namespace tilewright::nvidia {

// The parameters of a kernel besides those of the bytecode: `Portable` none, `Tilewright` tensor maps that our launcher
// encodes.
enum class LaunchAbi { Portable, Tilewright };

struct Switches {
  // TILEIR_ALWAYS_SWIZZLE: shared memory is swizzled also where its plain form has no bank conflicts.
  bool alwaysSwizzle = false;
  // TILEIR_PREFER_TMA_FOR_LOAD_STORE: TMA moves tiles also where the cost model would have threads do it.
  bool preferTma = false;
  // TILEIR_DELAY_TMA_STORE_WAIT: a block waits for its TMA stores at its end only, not after each.
  bool delayTmaStoreWait = false;

  static Switches fromEnvironment();
  // "alwaysSwizzle preferTma" and the like, for cache keys.
  std::string text() const;
};

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_SWITCHES_H
