// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a launch, and what bounds it: that of an empty launch, and a norm of the times that DRAM, L2 and the
// blocks on the multiprocessors take. The largest of these counts most (Constants::overlap).
#ifndef TILEWRIGHT_PREDICT_PREDICTION_H
#define TILEWRIGHT_PREDICT_PREDICTION_H

#include "machine/Occupancy.h"
#include "predict/Block.h"
#include "predict/Traffic.h"
#include "llvm/Support/JSON.h"

namespace tilewright::predict {

/// Of the code; without an assembler these are estimates.
struct CodeResources {
  unsigned registers = 0;
  uint64_t sharedBytes = 0; // of a block
  bool isEstimate = true;
};

struct Bound {
  std::string name; // as in `DRAM`
  double seconds = 0;
};

struct Prediction {
  double seconds = 0;
  std::vector<Bound> bounds; // the longest first; launch among them
  // Of all blocks.
  double operations = 0, asked = 0, l2Bytes = 0, dramBytes = 0;
  double peakOperations = 0; // per second, of the units that do most of them
  double blockCycles = 0;    // of one block alone
  int64_t blocks = 0, slots = 0;
  double waves = 0;
  nvidia::Occupancy occupancy{0, 0, "registers"};
  bool isComplete = true, isTrafficComplete = true; // all trip counts, and all places of tiles, were known

  llvm::json::Object toJson() const;
};

Prediction predict(const Work &work, const CodeResources &resources, const Launch &launch, const Gpu &gpu);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_PREDICTION_H
