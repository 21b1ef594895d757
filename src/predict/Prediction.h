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
  std::string device; // that it is for, as in H100
  double seconds = 0;
  std::vector<Bound> bounds; // the longest first; launch among them
  // Of all blocks.
  double operations = 0, asked = 0, l2Bytes = 0, dramBytes = 0;
  double peakOperations = 0; // per second, of the units that do most of them
  double dramBandwidth = 0;  // bytes per second, as on the data sheet
  double blockCycles = 0;    // of one block alone
  int64_t blocks = 0, slots = 0;
  double waves = 0;
  nvidia::Occupancy occupancy{0, 0, "registers"};
  bool isComplete = true, isTrafficComplete = true; // all trip counts, and all places of tiles, were known
  bool isEstimate = false;                          // no assembler has counted the registers

  /// Whether a block has room on the device: without that there is no time.
  bool isLaunchable() const { return slots > 0; }
  /// Operations for each byte of DRAM, and how many of them the device does in the time of a byte; 0 if there are none.
  double intensity() const { return dramBytes > 0 ? operations / dramBytes : 0; }
  double ridge() const { return dramBandwidth > 0 ? peakOperations / dramBandwidth : 0; }
  /// Of the peak of operations, and of the bandwidth of DRAM.
  double fractionOfOperations() const {
    return seconds > 0 && peakOperations > 0 ? operations / seconds / peakOperations : 0;
  }
  double fractionOfDram() const { return seconds > 0 && dramBandwidth > 0 ? dramBytes / seconds / dramBandwidth : 0; }

  llvm::json::Object toJson() const;
  /// Lines for people, the first with the time: a word or two, and a text.
  std::vector<std::pair<std::string, std::string>> describe() const;
};

/// Times that overlap in part: the largest counts most, and the more the larger the exponent.
double norm(llvm::ArrayRef<double> terms, double exponent);

/// With three digits: `41.2 us`, `1.35 ms`.
std::string timeText(double seconds);

Prediction predict(const Work &work, const CodeResources &resources, const Launch &launch, const Gpu &gpu);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_PREDICTION_H
