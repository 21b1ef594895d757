// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/CombineTiles.h"

#include "mlir/IR/IRMapping.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

SmallVector<Value> tileaa::combineTiles(Block &step, ArrayRef<Value> before, ArrayRef<Value> values, OpBuilder &builder,
                                        Location loc) {
  IRMapping mapping;
  for (size_t source = 0; source != values.size(); ++source) {
    mapping.map(step.getArgument(2 * source), before[source]);
    mapping.map(step.getArgument(2 * source + 1), values[source]);
  }
  auto like = cast<RankedTensorType>(values[0].getType());
  auto onTiles = [&](Value scalar) -> Value {
    Value known = mapping.lookupOrDefault(scalar);
    if (isa<RankedTensorType>(known.getType()))
      return known;
    Value tile = BroadcastOp::create(builder, loc, like.clone(known.getType()), known);
    mapping.map(scalar, tile);
    return tile;
  };
  for (Operation &op : step.without_terminator()) {
    if (isa<arith::ConstantOp>(op)) {
      builder.clone(op, mapping);
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), onTiles);
    SmallVector<Type> types =
        llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type { return like.clone(type); });
    Operation *wide = builder.create(loc, op.getName().getIdentifier(), operands, types, op.getAttrs());
    mapping.map(op.getResults(), wide->getResults());
  }
  return llvm::map_to_vector(step.getTerminator()->getOperands(), onTiles);
}
