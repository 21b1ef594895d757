// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/grid/TileOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

// The last group may have fewer values of x. A division takes a hundred cycles before the first load and before each
// store, so that x alone needs one; with y first both have one.
std::pair<Value, Value> tileas::placeInPlane(Value number, Value inPlane, ArrayRef<Value> grid, int64_t tileOrder,
                                             OpBuilder &builder, Location loc) {
  if (tileOrder == 0)
    return {arith::RemUIOp::create(builder, loc, number, grid[0]),
            arith::DivUIOp::create(builder, loc, inPlane, grid[0])};
  if (tileOrder == 1) {
    Value x = arith::DivUIOp::create(builder, loc, inPlane, grid[1]);
    return {x, arith::SubIOp::create(builder, loc, inPlane, arith::MulIOp::create(builder, loc, x, grid[1]))};
  }
  Value most = arith::ConstantIntOp::create(builder, loc, number.getType(), tileOrder);
  Value ofGroup = arith::MulIOp::create(builder, loc, most, grid[1]);
  Value group = arith::DivUIOp::create(builder, loc, inPlane, ofGroup);
  Value inGroup = arith::RemUIOp::create(builder, loc, inPlane, ofGroup);
  Value first = arith::MulIOp::create(builder, loc, group, most);
  Value left = arith::SubIOp::create(builder, loc, grid[0], first);
  Value width = arith::MinUIOp::create(builder, loc, most, left);
  Value x = arith::RemUIOp::create(builder, loc, inGroup, width);
  return {arith::AddIOp::create(builder, loc, first, x), arith::DivUIOp::create(builder, loc, inGroup, width)};
}
