// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/ControlFrame.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::control;

static bool isOne(Value value) {
  auto constant = value.getDefiningOp<ct::ConstantOp>();
  return constant && cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>().isOne();
}

namespace {

struct Bounds {
  Value lower, upper, step;
  bool isUnsigned, isWidened;
};

} // namespace

// Types that a step may leave are counted in a wider one, signed: i1 has no positive step otherwise, and the last step
// of another may lead beyond its largest number and around. A step of 1 does not.
static Bounds boundsOf(ct::ForOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value lower = toScalar(builder, loc, op.getLowerBound()), upper = toScalar(builder, loc, op.getUpperBound());
  Value step = toScalar(builder, loc, op.getStep());
  unsigned width = lower.getType().getIntOrFloatBitWidth();
  bool isWidened = width < 32 || (width == 32 && !isOne(op.getStep()));
  if (!isWidened)
    return {lower, upper, step, op.getUnsignedCmp(), isWidened};
  Type wide = width < 32 ? builder.getI32Type() : builder.getI64Type();
  for (Value *bound : {&lower, &upper, &step}) {
    if (op.getUnsignedCmp())
      *bound = arith::ExtUIOp::create(builder, loc, wide, *bound);
    else
      *bound = arith::ExtSIOp::create(builder, loc, wide, *bound);
  }
  // A step that leads nowhere is undefined, but ends.
  Value none = arith::ConstantIntOp::create(builder, loc, wide, 0);
  Value beyond = arith::ConstantIntOp::create(builder, loc, wide, int64_t(1) << width);
  Value leads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, step, none);
  step = arith::SelectOp::create(builder, loc, leads, step, beyond);
  return {lower, upper, step, /*isUnsigned=*/false, isWidened};
}

void control::emitFor(ct::ForOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Type tile = op.getLowerBound().getType();
  Bounds bounds = boundsOf(op, builder);
  auto loop = scf::ForOp::create(builder, loc, bounds.lower, bounds.upper, bounds.step, op.getInitValues(),
                                 /*bodyBuilder=*/nullptr, bounds.isUnsigned);
  Block &body = op.getBody().front();
  {
    OpBuilder::InsertionGuard guard(builder);
    dropOps(*loop.getBody());
    builder.setInsertionPointToEnd(loop.getBody());
    Value counter = loop.getInductionVar();
    if (bounds.isWidened)
      counter = arith::TruncIOp::create(builder, loc, cast<ct::TileType>(tile).getElementType(), counter);
    body.getArgument(0).replaceAllUsesWith(castScalar(builder, loc, counter, tile));
    for (auto [from, to] : llvm::zip_equal(body.getArguments().drop_front(), loop.getRegionIterArgs()))
      from.replaceAllUsesWith(to);
    SmallVector<Value> values = emitBlock(body, Frame::yielding(op.getInitValues().getTypes()), builder);
    scf::YieldOp::create(builder, loc, values);
  }
  replaceResults(op, loop.getResults());
  op.erase();
}
