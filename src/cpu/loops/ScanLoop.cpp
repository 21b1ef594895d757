// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan on buffers becomes loops over vectors.
//
// Where elements are contiguous along another dimension, lanes are lines of their own and one vector is carried from
// element to element. Along the scanned dimension itself, a vector is scanned in log2(lanes) steps, each of which
// combines it with itself shifted by 1, 2, 4, ... lanes (identities come in at the end), and then combined with what
// came before it. Of eight lanes, where 12 is the combination of elements 1 and 2:
//
//   1  2  3  4  5  6  7  8          shifted by 1:  .  1  2  3  4  5  6  7
//   1 12 23 34 45 56 67 78          shifted by 2:  .  .  1 12 23 34 45 56
//   1 12 123 1234 2345 ...          shifted by 4:  .  .  .  .  1 12 123 1234
#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class ScanLoop {
public:
  ScanLoop(ScanOp op, const Plan &plan)
      : op(op), body(&op.getBody().front()), loc(op.getLoc()), shape(typeOf(op.getDestinations()[0]).getShape()),
        dim(op.getDim()) {
    chooseLanes(plan);
  }

  void emit() {
    OpBuilder builder(op);
    indices.assign(shape.size(), Value());
    SmallVector<int64_t> outer;
    for (int64_t each = 0; each < (int64_t)shape.size(); ++each)
      if (each != dim)
        outer.push_back(each);
    nest(builder, outer);
    op.erase();
  }

private:
  static MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  //===-- lanes -----------------------------------------------------------===//

  // The last dimension runs along the lanes if it is contiguous in every buffer.
  void chooseLanes(const Plan &plan) {
    int64_t last = shape.size() - 1, bits = 8;
    for (ValueRange buffers : {ValueRange(op.getSources()), ValueRange(op.getDestinations())})
      for (Value buffer : buffers) {
        if (staticStride(typeOf(buffer), last) != 1)
          return;
        bits = std::max<int64_t>(bits, typeOf(buffer).getElementTypeBitWidth());
      }
    if (!bodyTakesVectors())
      return;
    lanes = std::min(plan.lanes(bits), shape[last]);
    lanesAreScanned = dim == last;
  }

  bool bodyTakesVectors() {
    // LLVM takes minutes for the steps of vectors of bits.
    if (llvm::any_of(body->getOps<arith::TruncIOp>(),
                     [](Operation *op) { return op->getResult(0).getType().isInteger(1); }))
      return false;
    return llvm::all_of(body->without_terminator(), [](Operation &inner) {
      return inner.hasTrait<OpTrait::ConstantLike>() || OpTrait::hasElementwiseMappableTraits(&inner);
    });
  }

  Type laneType(Type element) { return lanes == 1 ? element : Type(VectorType::get({lanes}, element)); }

  Value splat(OpBuilder &builder, Value scalar) {
    return lanes == 1 ? scalar
                      : vector::BroadcastOp::create(builder, loc, laneType(scalar.getType()), scalar).getResult();
  }

  Value load(OpBuilder &builder, Value buffer) {
    if (lanes == 1)
      return memref::LoadOp::create(builder, loc, buffer, indices);
    auto type = cast<VectorType>(laneType(typeOf(buffer).getElementType()));
    return vector::LoadOp::create(builder, loc, type, buffer, indices);
  }

  void store(OpBuilder &builder, Value value, Value buffer) {
    if (lanes == 1)
      memref::StoreOp::create(builder, loc, value, buffer, indices);
    else
      vector::StoreOp::create(builder, loc, value, buffer, indices);
  }

  // Lane i of the result is the lane `by` before it in the scan's order; identities come in.
  Value shift(OpBuilder &builder, Value value, Value identity, int64_t by) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t source = op.getReverse() ? lane + by : lane - by;
      from.push_back(source >= 0 && source < lanes ? lanes + source : lane);
    }
    return vector::ShuffleOp::create(builder, loc, identity, value, from);
  }

  // All lanes are the one that comes last in the scan's order.
  Value spreadLast(OpBuilder &builder, Value value) {
    SmallVector<int64_t> from(lanes, op.getReverse() ? 0 : lanes - 1);
    return vector::ShuffleOp::create(builder, loc, value, value, from);
  }

  //===-- loops -----------------------------------------------------------===//

  void nest(OpBuilder &builder, ArrayRef<int64_t> outer) {
    if (outer.empty())
      return scanLine(builder);
    int64_t each = outer.front(), last = shape.size() - 1;
    Value step = index(builder, each == last ? lanes : 1);
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, shape[each]), step);
    OpBuilder inner(loop.getBody()->getTerminator());
    indices[each] = loop.getInductionVar();
    nest(inner, outer.drop_front());
  }

  void scanLine(OpBuilder &builder) {
    SmallVector<Value> identities;
    for (Value identity : op.getIdentities())
      identities.push_back(splat(builder, identity));
    int64_t step = lanesAreScanned ? lanes : 1;
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, shape[dim]), index(builder, step),
                                   identities);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    indices[dim] = loop.getInductionVar();
    if (op.getReverse())
      indices[dim] = arith::SubIOp::create(inner, loc, index(inner, shape[dim] - step), indices[dim]);
    SmallVector<Value> elements;
    for (Value source : op.getSources())
      elements.push_back(load(inner, source));
    ValueRange before = loop.getRegionIterArgs();
    SmallVector<Value> results, after;
    if (lanesAreScanned && lanes > 1) {
      SmallVector<Value> scanned = scanLanes(inner, elements, identities), last;
      results = combine(inner, before, scanned);
      // Not the last lane of the result: the next iteration waits for one combination less.
      for (Value value : scanned)
        last.push_back(spreadLast(inner, value));
      after = combine(inner, before, last);
    } else {
      results = after = combine(inner, before, elements);
    }
    for (auto [result, destination] : llvm::zip_equal(results, op.getDestinations()))
      store(inner, result, destination);
    scf::YieldOp::create(inner, loc, after);
  }

  SmallVector<Value> scanLanes(OpBuilder &builder, SmallVector<Value> values, ArrayRef<Value> identities) {
    for (int64_t by = 1; by < lanes; by *= 2) {
      SmallVector<Value> shifted;
      for (auto [value, identity] : llvm::zip_equal(values, identities))
        shifted.push_back(shift(builder, value, identity, by));
      values = combine(builder, shifted, values);
    }
    return values;
  }

  // The body, for the lanes of a vector.
  SmallVector<Value> combine(OpBuilder &builder, ValueRange before, ValueRange elements) {
    IRMapping mapping;
    for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(before, elements))) {
      mapping.map(body->getArgument(2 * i), std::get<0>(pair));
      mapping.map(body->getArgument(2 * i + 1), std::get<1>(pair));
    }
    for (Operation &inner : body->without_terminator()) {
      if (lanes == 1) {
        builder.clone(inner, mapping);
        continue;
      }
      if (inner.hasTrait<OpTrait::ConstantLike>()) {
        mapping.map(inner.getResult(0), splat(builder, builder.clone(inner)->getResult(0)));
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(onLanes(builder, operand, mapping));
      SmallVector<Type> types = llvm::map_to_vector(inner.getResultTypes(), [&](Type type) { return laneType(type); });
      Operation *wide =
          builder.create(inner.getLoc(), inner.getName().getIdentifier(), operands, types, inner.getAttrs());
      mapping.map(inner.getResults(), wide->getResults());
    }
    return llvm::map_to_vector(body->getTerminator()->getOperands(),
                               [&](Value value) { return onLanes(builder, value, mapping); });
  }

  // A scalar from outside of the body is the same in every lane.
  Value onLanes(OpBuilder &builder, Value value, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    return splat(builder, value);
  }

  ScanOp op;
  Block *body;
  Location loc;
  ArrayRef<int64_t> shape;
  int64_t dim;
  int64_t lanes = 1;
  bool lanesAreScanned = false;
  SmallVector<Value> indices; // current index per dimension; of the lanes' dimension, of the first lane
};

} // namespace

void cpu::emitScan(ScanOp scan, const Plan &plan) {
  ScanLoop(scan, plan).emit();
}
