// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tiles of integers go along their dimensions: addresses that lie one after another, masks that are equal for
// neighbours.
//
// Example: with %i = iota : tensor<1024xi64>, the addresses `%base + (%block * 1024 + %i) * 4` have one run of 1024
// elements with a step of 4; the run starts at a multiple of the common divisor of %base and 4096. The mask `%block *
// 1024 + %i < %n` where 16 divides %n has runs of 16 equal elements.
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_TILESLOPES_H
#define TILEWRIGHT_TILEAS_ANALYSIS_TILESLOPES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::tileas {

/// Along one dimension. All but the step are powers of two.
struct Slope {
  int64_t run = 1;     // elements; a run begins at every multiple of so many
  int64_t step = 0;    // from one element of a run to the next
  int64_t divisor = 1; // of every run's first element, up to 2^30

  bool operator==(const Slope &other) const {
    return run == other.run && step == other.step && divisor == other.divisor;
  }
  /// As if runs were no longer than this.
  Slope within(int64_t most) const;
  /// The common divisor of all elements.
  int64_t ofAll() const;
  bool isEven() const { return step == 0 || run == 1; }
};

class TileSlopes {
public:
  /// Analyzes the tiles of addresses and masks of the accesses through pointers in a function.
  explicit TileSlopes(mlir::Operation *function);

  /// One for each dimension. Nothing but single elements is known of a tile that was not looked at.
  llvm::SmallVector<Slope> of(mlir::Value tile) const;

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Slope>> known;
};

} // namespace tilewright::tileas

#endif
