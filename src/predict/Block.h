// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of one block that has a multiprocessor to itself, and how long it occupies each unit. A warp issues in
// order: an instruction waits for its operands, and all behind it with it; copies and products run beside it.
#ifndef TILEWRIGHT_PREDICT_BLOCK_H
#define TILEWRIGHT_PREDICT_BLOCK_H

#include "predict/Gpu.h"
#include "predict/Tile.h"

namespace tilewright::predict {

/// Of a block, in cycles of the units of a multiprocessor, and in bytes.
struct Amounts {
  std::array<double, pipeCount> instructions = {}; // of warps
  double sharedCycles = 0, lineCycles = 0, tensorCycles = 0;
  double readBytes = 0, writtenBytes = 0; // between L2 and the multiprocessor, in sectors
  double askedBytes = 0;                  // of elements
  double operations = 0;                  // of products
  bool isComplete = true;                 // all trip counts were known

  void add(const Amounts &other, double times);
};

/// Units of a multiprocessor, as bounds are told.
enum class Unit : uint8_t { Issue, F32, F64, Integer, Special, Shuffle, Shared, Tensor, L2Port };
constexpr unsigned unitCount = 9;
llvm::StringRef nameOf(Unit unit);
std::array<double, unitCount> unitCycles(const Amounts &amounts, const Gpu &gpu);

/// Operations of the tensor cores of a multiprocessor per cycle.
double tensorRate(ProductType type, const nvidia::Performance &rates);

struct BlockTime {
  Amounts amounts;
  double cycles = 0; // alone
};

/// Of the block that the evaluator has entered.
BlockTime timeBlock(const Work &work, const Gpu &gpu, Evaluator &evaluate);
Amounts amountsOf(const Work &work, const Gpu &gpu, Evaluator &evaluate);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_BLOCK_H
