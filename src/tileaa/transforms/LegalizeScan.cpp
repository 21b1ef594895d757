// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_LEGALIZESCANPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

/// The type of one slice: the scan's dimension has extent 1.
static RankedTensorType getSliceType(Value source, int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 1;
  return RankedTensorType::get(shape, type.getElementType());
}

static Value splat(OpBuilder &builder, Location loc, Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  return builder.createOrFold<tileaa::BroadcastOp>(loc, type, scalar);
}

/// Emits the body of a scan, which is written for scalars, for slices of a shape; gives what it yields.
static FailureOr<SmallVector<Value>> emitBody(OpBuilder &builder, Block &body, ValueRange arguments,
                                              ArrayRef<int64_t> shape) {
  IRMapping slices;
  slices.map(body.getArguments(), arguments);
  // A scalar from outside of the body is the same for every element.
  auto lookup = [&](Value value, Location loc) -> Value {
    if (Value slice = slices.lookupOrNull(value))
      return slice;
    slices.map(value, splat(builder, loc, value, shape));
    return slices.lookup(value);
  };
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      Operation *scalar = builder.clone(op);
      slices.map(op.getResult(0), splat(builder, op.getLoc(), scalar->getResult(0), shape));
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&op))
      return op.emitError() << op.getName() << " inside a scan is not lowered, expected elementwise operations";
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(lookup(operand, op.getLoc()));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(RankedTensorType::get(shape, type));
    Operation *wide = builder.create(op.getLoc(), op.getName().getIdentifier(), operands, types, op.getAttrs());
    slices.map(op.getResults(), wide->getResults());
  }
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(lookup(value, body.getTerminator()->getLoc()));
  return results;
}

static LogicalResult legalize(tileaa::ScanOp scan) {
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  int64_t dim = scan.getDim();
  size_t count = scan.getSources().size();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(scan.getSources().front().getType()).getShape();
  SmallVector<int64_t> sliceShape(getSliceType(scan.getSources().front(), dim).getShape());

  // Carried: the partial results, then the tiles they are inserted into.
  SmallVector<Value> inits;
  for (Value identity : scan.getIdentities())
    inits.push_back(splat(builder, loc, identity, sliceShape));
  for (Type type : scan.getResultTypes())
    inits.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value extent = arith::ConstantIndexOp::create(builder, loc, shape[dim]);
  auto loop = scf::ForOp::create(builder, loc, zero, extent, one, inits);

  auto inside = OpBuilder::atBlockEnd(loop.getBody());
  Value at = loop.getInductionVar();
  if (scan.getReverse()) {
    Value last = arith::ConstantIndexOp::create(inside, loc, shape[dim] - 1);
    at = arith::SubIOp::create(inside, loc, last, at);
  }
  SmallVector<Value> offsets(shape.size(), zero);
  offsets[dim] = at;
  ValueRange carried = loop.getRegionIterArgs();
  SmallVector<Value> arguments;
  for (auto [partial, source] : llvm::zip_equal(carried.take_front(count), scan.getSources())) {
    arguments.push_back(partial);
    arguments.push_back(tileaa::ExtractOp::create(inside, loc, getSliceType(source, dim), source, offsets));
  }
  FailureOr<SmallVector<Value>> partials = emitBody(inside, scan.getBody().front(), arguments, sliceShape);
  if (failed(partials))
    return failure();
  SmallVector<Value> next(*partials);
  for (auto [partial, tile] : llvm::zip_equal(*partials, carried.drop_front(count)))
    next.push_back(tileaa::InsertOp::create(inside, loc, tile.getType(), partial, tile, offsets));
  scf::YieldOp::create(inside, loc, next);
  scan.replaceAllUsesWith(loop.getResults().drop_front(count));
  scan.erase();
  return success();
}

namespace {

class LegalizeScan : public tilewright::impl::LegalizeScanPassBase<LegalizeScan> {
  void runOnOperation() override {
    SmallVector<tileaa::ScanOp> scans;
    getOperation().walk([&](tileaa::ScanOp scan) { scans.push_back(scan); });
    for (tileaa::ScanOp scan : scans)
      if (failed(legalize(scan)))
        return signalPassFailure();
  }
};

} // namespace
