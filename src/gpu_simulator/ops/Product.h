// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_GPU_SIMULATOR_OPS_PRODUCT_H
#define TILEWRIGHT_GPU_SIMULATOR_OPS_PRODUCT_H

#include "gpu_simulator/Actor.h"

namespace tilewright::simulator {

/// The operands of a product, by the operation that reads them: elements by row-major number.
struct Factors {
  mlir::Value lhs, rhs;
  std::function<Bits(int64_t)> readLhs, readRhs;
  std::optional<mlir::Type> format;
  bool unsignedLhs, unsignedRhs;
};

/// Some elements of a tile of that shape: the sums of `before` and products.
std::vector<Bits> multiplied(const Factors &factors, llvm::ArrayRef<int64_t> shape, Element acc,
                             llvm::ArrayRef<uint32_t> elements, llvm::ArrayRef<Bits> before);

/// Reads a buffer, as an access with that past, which has to outlive the result.
std::function<Bits(int64_t)> readerOfBuffer(mlir::Value operand, Actor &actor, uint32_t access, const Clock &past);

/// The elements of a product's result that the group holds; with scales, those of the scaled factors.
void multiplyScaled(tileas::ScaledMmaOp mma, Actor &actor);
void multiply(tileas::MmaOp mma, Actor &actor);

} // namespace tilewright::simulator

#endif
