// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/CpuPipeline.h"
#include "cpu/Plan.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPACKOPERANDS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }

// The tile in another element type, by a loop of its own.
Value convert(OpBuilder &builder, Location loc, Value tile, Type element) {
  RankedTensorType from = typeOf(tile);
  if (from.getElementType() == element)
    return tile;
  RankedTensorType to = from.clone(element);
  bool widens = element.getIntOrFloatBitWidth() > from.getElementTypeBitWidth();
  Value empty = tensor::EmptyOp::create(builder, loc, to.getShape(), element);
  AffineMap identity = builder.getMultiDimIdentityMap(to.getRank());
  SmallVector<utils::IteratorType> iterators(to.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, TypeRange(to), tile, empty, ArrayRef<AffineMap>{identity, identity},
                                   iterators,
                                   [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
                                     Value value = widens ? arith::ExtFOp::create(body, bodyLoc, element, args[0]).getResult()
                                                          : arith::TruncFOp::create(body, bodyLoc, element, args[0]).getResult();
                                     linalg::YieldOp::create(body, bodyLoc, value);
                                   })
      .getResult(0);
}

struct CpuPackOperands : tilewright::impl::CpuPackOperandsBase<CpuPackOperands> {
  void runOnOperation() override {
    Plan plan = Plan::of(getOperation());
    getOperation().walk([&](MmaOp mma) { pack(mma, plan); });
  }

  static void pack(MmaOp mma, const Plan &plan) {
    Type element = typeOf(mma.getAcc()).getElementType();
    if (!isa<FloatType>(element))
      return;
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    // A half accumulator is kept in single precision inside one product.
    if (element.getIntOrFloatBitWidth() < 32) {
      Type wide = builder.getF32Type();
      mma.getAccMutable().assign(convert(builder, loc, mma.getAcc(), wide));
      builder.setInsertionPointAfter(mma);
      mma->getResult(0).setType(typeOf(mma->getResult(0)).clone(wide));
      Value narrow = convert(builder, loc, mma->getResult(0), element);
      mma->getResult(0).replaceAllUsesExcept(narrow, narrow.getDefiningOp());
      builder.setInsertionPoint(mma);
      element = wide;
    }
    ArrayRef<int64_t> shape = typeOf(mma.getRhs()).getShape();
    bool bothBf16 = typeOf(mma.getLhs()).getElementType().isBF16() && typeOf(mma.getRhs()).getElementType().isBF16();
    if (plan.pairDot && bothBf16 && element.isF32() && shape.size() == 2 && shape[0] % 2 == 0 &&
        shape[1] % plan.lanes(32) == 0) {
      SmallVector<int64_t> packed{shape[0] / 2, shape[1] * 2};
      Value empty = tensor::EmptyOp::create(builder, loc, packed, builder.getBF16Type());
      mma.getRhsMutable().assign(
          PackPairsOp::create(builder, loc, empty.getType(), mma.getRhs(), empty).getResult());
      return;
    }
    mma.getLhsMutable().assign(convert(builder, loc, mma.getLhs(), element));
    mma.getRhsMutable().assign(convert(builder, loc, mma.getRhs(), element));
  }
};

} // namespace
