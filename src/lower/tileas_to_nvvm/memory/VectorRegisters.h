// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers that one access covers.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_VECTORREGISTERS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_VECTORREGISTERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tilewright {

/// Masks of registers' numbers, the nearest in memory first: an access covers all sums of them.
struct VectorRegisters {
  llvm::SmallVector<unsigned> masks;

  int64_t width() const { return int64_t(1) << masks.size(); }
  /// The first registers of all accesses to so many.
  llvm::SmallVector<unsigned> starts(unsigned count) const {
    llvm::SmallVector<unsigned> starts;
    unsigned covered = 0;
    for (unsigned mask : masks)
      covered |= mask;
    for (unsigned reg = 0; reg != count; ++reg)
      if ((reg & covered) == 0)
        starts.push_back(reg);
    return starts;
  }
  /// The registers of the access that starts there, in the order of memory.
  llvm::SmallVector<unsigned> from(unsigned start) const {
    llvm::SmallVector<unsigned> registers;
    for (int64_t element = 0; element != width(); ++element) {
      unsigned reg = start;
      for (unsigned bit = 0; bit != masks.size(); ++bit)
        if (element >> bit & 1)
          reg ^= masks[bit];
      registers.push_back(reg);
    }
    return registers;
  }
};

/// For each access through pointers of a function: as many elements as lie one after another, aligned, with one mask.
/// Taken from the original IR.
class PointerVectors {
public:
  explicit PointerVectors(mlir::Operation *function);
  const VectorRegisters &of(mlir::Operation *access) const { return vectors.find(access)->second; }

private:
  llvm::DenseMap<mlir::Operation *, VectorRegisters> vectors;
};

} // namespace tilewright

#endif
