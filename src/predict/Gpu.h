// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as the model of time sees it: the tables of src/machine, and the constants of the model itself.
#ifndef TILEWRIGHT_PREDICT_GPU_H
#define TILEWRIGHT_PREDICT_GPU_H

#include "machine/Performance.h"
#include "machine/Product.h"
#include "predict/NamedNumber.h"

namespace tilewright::predict {

/// Fitted to launches on an H100, measured by `python -m bench gpu --predict`.
struct Constants {
  double launchSeconds = 4.4e-6;  // from one event to the next with an empty kernel between
  double blockCycles = 700;       // of a block before its first and after its last instruction
  double dramEfficiency = 0.88;   // of the bandwidth on the data sheet
  double l2Efficiency = 0.85;     // likewise
  double l2Share = 0.4;           // of the L2 cache that holds what is used again
  double dirtyShare = 1;          // of the L2 cache that holds what the launch before has written
  double issueEfficiency = 0.7;   // of issue slots, and of the units behind them
  double tensorEfficiency = 0.95; // of the tensor cores' peak
  double latencyScale = 1.8;      // of global memory under load
  double overlap = 5;             // exponent of the norm in which bounds are combined; infinite would be their maximum

  static llvm::ArrayRef<NamedNumber<Constants>> fields();
};

struct Gpu {
  const nvidia::Architecture *architecture = nullptr;
  const nvidia::Performance *rates = nullptr;
  nvidia::Product product;
  Constants constants;
};

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_GPU_H
