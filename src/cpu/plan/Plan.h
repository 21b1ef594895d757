// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan: every decision of the CPU path, made once by cpu-plan and written on the function as a dictionary, so that
// it can be printed, edited and fed back. The other passes read it through this class.
#ifndef TILEWRIGHT_CPU_PLAN_PLAN_H
#define TILEWRIGHT_CPU_PLAN_PLAN_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

struct Plan {
  int64_t vectorBits = 128;
  int64_t microTileM = 4;    // rows of mma's register block
  int64_t microTileN = 8;    // columns of it, counted in 32-bit elements
  int64_t loopVectors = 4;   // vectors an elementwise loop works on at once
  int64_t depth = 64;        // k extent of one pass over mma's accumulator, at most
  int64_t prefetchTiles = 1; // how many passes ahead operands of mma are fetched
  int64_t streamBytes = 0;   // arrays from this size on are written past the cache; 0 never
  int64_t keptBytes = 0;     // scratch for packed tiles that blocks share; 0: each block packs its own
  bool pairDot = false;      // bf16 mma multiplies pairs

  int64_t lanes(int64_t elementBits) const { return vectorBits / elementBits; }

  /// How many iterations with products of that k extent make one pass over the accumulator.
  int64_t mergedSteps(int64_t tileDepth) const { return std::max<int64_t>(1, depth / tileDepth); }

  static Plan forMachine(const Machine &machine);

  /// The plan written on the function; the weakest machine's where there is none.
  static Plan of(mlir::func::FuncOp function);
  void writeTo(mlir::func::FuncOp function) const;
};

} // namespace tilewright::cpu

#endif
