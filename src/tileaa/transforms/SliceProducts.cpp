// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_SLICEPRODUCTSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// The shortest step along K that all instructions have, in bytes.
constexpr int64_t leastDepthBytes = 32;
// An operation that is used twice is made twice; later passes merge the two.
constexpr size_t mostOps = 16;

/// A part of a tile: where it begins along each dimension, nothing for 0, and its extents.
struct Box {
  SmallVector<Value> offsets;
  SmallVector<int64_t> sizes;

  static Box whole(RankedTensorType type) {
    return {SmallVector<Value>(type.getRank()), SmallVector<int64_t>(type.getShape())};
  }
};

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
}

// The dimensions of a reshape that only adds or drops those of extent one: of the result's, which of the source's.
std::optional<SmallVector<std::optional<int64_t>>> sourceDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::optional<int64_t>> dims;
  int64_t next = 0;
  auto skipOnes = [&] {
    while (next != int64_t(from.size()) && from[next] == 1)
      ++next;
  };
  for (int64_t extent : to) {
    if (extent == 1) {
      dims.push_back(std::nullopt);
      continue;
    }
    skipOnes();
    if (next == int64_t(from.size()) || from[next] != extent)
      return std::nullopt;
    dims.push_back(next++);
  }
  skipOnes();
  return next == int64_t(from.size()) ? std::optional(dims) : std::nullopt;
}

/// Tiles that can be made part by part: loads, what is computed of them element by element, products of them.
class Parts {
public:
  // The operations that would be done again, operands first, are in `ops` then.
  bool add(Value tile) {
    Operation *op = tile.getDefiningOp();
    if (!op || !isa<RankedTensorType>(tile.getType()))
      return false;
    if (ops.contains(op))
      return true;
    if (!canRepeat(op))
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !add(operand))
        return false;
    ops.insert(op);
    return ops.size() <= mostOps;
  }

  // Those without uses.
  void erase() {
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    ops.clear();
  }

  llvm::SetVector<Operation *> ops;

private:
  static bool canRepeat(Operation *op) {
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)))
      return constant.isSplat();
    // An operation ordered after a load by its token would lose that order.
    if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      return load.getResultToken().use_empty();
    if (auto reshape = dyn_cast<tileaa::ReshapeOp>(op)) {
      auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
      return source && sourceDims(source.getShape(), typeOf(reshape.getResult()).getShape());
    }
    return isa<tileaa::PermuteOp, tileaa::BroadcastOp, tileaa::MmaOp>(op) ||
           (op->hasTrait<OpTrait::Elementwise>() && isPure(op) && op->getNumResults() == 1);
  }
};

Value take(Value tile, const Box &box, OpBuilder &builder);

// Lhs and rhs may be one tile, of which they have different parts.
Value takeProduct(tileaa::MmaOp mma, const Box &box, OpBuilder &builder) {
  size_t lead = box.sizes.size() - 2;
  Box lhs = box, rhs = box;
  lhs.offsets[lead + 1] = rhs.offsets[lead] = Value();
  lhs.sizes[lead + 1] = rhs.sizes[lead] = typeOf(mma.getLhs()).getShape().back();
  Value left = take(mma.getLhs(), lhs, builder), right = take(mma.getRhs(), rhs, builder),
        acc = take(mma.getAcc(), box, builder);
  auto copy = cast<tileaa::MmaOp>(builder.clone(*mma));
  copy.getLhsMutable().set(left);
  copy.getRhsMutable().set(right);
  copy.getAccMutable().set(acc);
  copy.getResult().setType(typeOf(mma.getResult()).clone(box.sizes));
  return copy.getResult();
}

// The load of a part.
Value takeLoad(tileaa::LoadViewOp load, const Box &box, OpBuilder &builder) {
  SmallVector<Value> offsets(load.getOffsets());
  for (auto [dim, offset] : llvm::zip_equal(load.getDimMap(), box.offsets))
    if (offset)
      offsets[dim] = arith::AddIOp::create(builder, load.getLoc(), offsets[dim], offset);
  auto copy = cast<tileaa::LoadViewOp>(builder.clone(*load));
  copy.getTile().setType(typeOf(load.getTile()).clone(box.sizes));
  copy.getOffsetsMutable().assign(offsets);
  return copy.getTile();
}

Box beforePermute(tileaa::PermuteOp permute, const Box &box) {
  Box part = box;
  for (auto [dim, source] : llvm::enumerate(permute.getPermutation()))
    part.offsets[source] = box.offsets[dim], part.sizes[source] = box.sizes[dim];
  return part;
}

Box beforeReshape(tileaa::ReshapeOp reshape, const Box &box) {
  Box part = Box::whole(typeOf(reshape.getSource()));
  for (auto [dim, source] : llvm::enumerate(*sourceDims(part.sizes, typeOf(reshape.getResult()).getShape())))
    if (source)
      part.offsets[*source] = box.offsets[dim], part.sizes[*source] = box.sizes[dim];
  return part;
}

Box beforeBroadcast(RankedTensorType source, const Box &box) {
  Box part = box;
  for (auto [dim, extent] : llvm::enumerate(source.getShape()))
    if (extent == 1)
      part.offsets[dim] = Value(), part.sizes[dim] = 1;
  return part;
}

// The part of a tile, made again where the builder stands.
Value take(Value tile, const Box &box, OpBuilder &builder) {
  Operation *op = tile.getDefiningOp();
  RankedTensorType type = typeOf(tile).clone(box.sizes);
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, op->getLoc(), constant.resizeSplat(type));
  if (auto mma = dyn_cast<tileaa::MmaOp>(op))
    return takeProduct(mma, box, builder);
  if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
    return takeLoad(load, box, builder);
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    auto source = dyn_cast<RankedTensorType>(operand.getType());
    if (!source || mapping.contains(operand))
      continue;
    Box part = isa<tileaa::PermuteOp>(op)     ? beforePermute(cast<tileaa::PermuteOp>(op), box)
               : isa<tileaa::ReshapeOp>(op)   ? beforeReshape(cast<tileaa::ReshapeOp>(op), box)
               : isa<tileaa::BroadcastOp>(op) ? beforeBroadcast(source, box)
                                              : box;
    mapping.map(operand, take(operand, part, builder));
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

// A loop over the parts of a dimension, in which the builder then stands; the offset of the part.
scf::ForOp loopOver(int64_t extent, int64_t part, ValueRange carried, OpBuilder &builder, Location loc) {
  auto number = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  auto loop = scf::ForOp::create(builder, loc, number(0), number(extent), number(part), carried);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

class SliceProducts : public tilewright::impl::SliceProductsPassBase<SliceProducts> {
public:
  using SliceProductsPassBase::SliceProductsPassBase;

private:
  void runOnOperation() override {
    noted.clear();
    if (auto known = getOperation()->getAttrOfType<ArrayAttr>(tileaa::slicesAttr)) // of loops
      for (auto text : known.getAsRange<StringAttr>())
        noted.insert(text.getValue());
    SmallVector<tileaa::MmaOp> products;
    getOperation().walk([&](tileaa::MmaOp mma) { products.push_back(mma); });
    for (tileaa::MmaOp mma : products)
      multiplyByParts(mma);
    if (!noted.empty())
      getOperation()->setAttr(tileaa::slicesAttr, Builder(&getContext()).getStrArrayAttr(noted.getArrayRef()));
  }

  void note(RankedTensorType type, ArrayRef<int64_t> sizes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(type.getShape(), os, "x");
    os << 'x' << type.getElementType() << " by ";
    llvm::interleave(sizes, os, "x");
    noted.insert(Builder(&getContext()).getStringAttr(text).getValue());
  }

  // A product whose operands no shared memory holds, as sums of products along K.
  void multiplyByParts(tileaa::MmaOp mma) {
    RankedTensorType lhs = typeOf(mma.getLhs()), rhs = typeOf(mma.getRhs());
    int64_t bytes = bytesOf(lhs) + bytesOf(rhs), depth = lhs.getShape().back();
    int64_t least = leastDepthBytes * 8 / lhs.getElementTypeBitWidth();
    Parts left, right;
    if (bytes <= sharedBytes || !llvm::isPowerOf2_64(depth) || !left.add(mma.getLhs()) || !right.add(mma.getRhs()))
      return;
    // Room for two stages.
    int64_t part = depth;
    while (part > least && 2 * part * (bytes / depth) > sharedBytes)
      part /= 2;
    if (part == depth)
      return;
    size_t lead = lhs.getRank() - 2;
    Box ofLhs = Box::whole(lhs), ofRhs = Box::whole(rhs);
    ofLhs.sizes[lead + 1] = ofRhs.sizes[lead] = part;
    note(lhs, ofLhs.sizes);
    note(rhs, ofRhs.sizes);
    OpBuilder builder(mma);
    scf::ForOp loop = loopOver(depth, part, mma.getAcc(), builder, mma.getLoc());
    ofLhs.offsets[lead + 1] = ofRhs.offsets[lead] = loop.getInductionVar();
    Value a = take(mma.getLhs(), ofLhs, builder), b = take(mma.getRhs(), ofRhs, builder);
    auto copy = cast<tileaa::MmaOp>(builder.clone(*mma));
    copy.getLhsMutable().set(a);
    copy.getRhsMutable().set(b);
    copy.getAccMutable().set(loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, mma.getLoc(), copy.getResult());
    mma.replaceAllUsesWith(loop.getResult(0));
    mma.erase();
    // They may share loads.
    left.ops.insert(right.ops.begin(), right.ops.end());
    left.erase();
  }

  llvm::SetVector<StringRef> noted;
};

} // namespace
