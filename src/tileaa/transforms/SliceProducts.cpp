// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Slices.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_SLICEPRODUCTSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::PartialTile;
using tileaa::TilePart;

namespace {

// The shortest step along K that all instructions have, in bytes.
constexpr int64_t leastDepthBytes = 32;

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
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
    SmallVector<tileaa::MmaOp> products;
    getOperation().walk([&](tileaa::MmaOp mma) { products.push_back(mma); });
    for (tileaa::MmaOp mma : products)
      multiplyByParts(mma);
  }

  // A product whose operands no shared memory holds, as sums of products along K.
  void multiplyByParts(tileaa::MmaOp mma) {
    RankedTensorType lhs = typeOf(mma.getLhs()), rhs = typeOf(mma.getRhs());
    int64_t bytes = bytesOf(lhs) + bytesOf(rhs), depth = lhs.getShape().back();
    int64_t least = leastDepthBytes * 8 / lhs.getElementTypeBitWidth();
    PartialTile left(/*repeatsProducts=*/true, /*smallBytes=*/0), right = left;
    TilePart ofLhs = TilePart::whole(lhs), ofRhs = TilePart::whole(rhs);
    if (bytes <= sharedBytes || !llvm::isPowerOf2_64(depth) || !left.add(mma.getLhs(), ofLhs) ||
        !right.add(mma.getRhs(), ofRhs))
      return;
    // Room for two stages.
    int64_t part = depth;
    while (part > least && 2 * part * (bytes / depth) > sharedBytes)
      part /= 2;
    if (part == depth)
      return;
    size_t lead = lhs.getRank() - 2;
    ofLhs.sizes[lead + 1] = ofRhs.sizes[lead] = part;
    tileaa::noteSlices(getOperation(), lhs, ofLhs.sizes);
    tileaa::noteSlices(getOperation(), rhs, ofRhs.sizes);
    OpBuilder builder(mma);
    scf::ForOp loop = loopOver(depth, part, mma.getAcc(), builder, mma.getLoc());
    ofLhs.offsets[lead + 1] = ofRhs.offsets[lead] = {loop.getInductionVar()};
    Value a = left.take(mma.getLhs(), ofLhs, builder), b = right.take(mma.getRhs(), ofRhs, builder);
    auto copy = cast<tileaa::MmaOp>(builder.clone(*mma));
    copy.getLhsMutable().set(a);
    copy.getRhsMutable().set(b);
    copy.getAccMutable().set(loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, mma.getLoc(), copy.getResult());
    SmallVector<Value> operands = {mma.getLhs(), mma.getRhs()};
    mma.replaceAllUsesWith(loop.getResult(0));
    mma.erase();
    tileaa::eraseUnusedTiles(operands);
  }
};

} // namespace
