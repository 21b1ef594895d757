// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/Lowerings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

namespace {

// The product's loops read along rows with vectors: a part that cuts rows is copied, not read in place.
Value operandOf(tileaa::MmaOp mma, Value operand, Materializer &tiles) {
  Value tile = tiles.materialize(operand, mma);
  Value part = tile;
  while (Operation *op = part.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    part = op->getOperand(0);
  }
  auto slice = part.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getShape().back() == slice.getType().getShape().back())
    return tile;
  OpBuilder builder(mma);
  return tiles
      .buildLoop(builder, mma.getLoc(), tileType(tile), tile,
                 [](OpBuilder &, ValueRange elements) { return elements.front(); })
      .getResult(0);
}

} // namespace

void tilewright::lowerMma(tileaa::MmaOp mma, Materializer &tiles) {
  OpBuilder builder(mma);
  Value acc = mma.getAcc();
  auto constant = acc.getDefiningOp<arith::ConstantOp>();
  bool zero = constant && matchPattern(acc, m_AnyZeroFloat());
  zero |= constant && matchPattern(acc, m_Zero());
  RankedTensorType type = tileType(acc);
  Value destination =
      zero ? Value(tensor::EmptyOp::create(builder, mma.getLoc(), type.getShape(), type.getElementType()))
           : tiles.materialize(acc, mma);
  auto lowered = cpu::MmaOp::create(builder, mma.getLoc(), TypeRange(type), operandOf(mma, mma.getLhs(), tiles),
                                    operandOf(mma, mma.getRhs(), tiles), destination, ValueRange(), ValueRange(), zero,
                                    mma.getUnsignedLhs(), mma.getUnsignedRhs(), /*transposedLhs=*/false,
                                    /*ragged=*/false);
  mma.getResult().replaceAllUsesWith(lowered.getResult());
  mma.erase();
}
