// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/TransposeProducts.h"

#include "tileas/async/StagedTile.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/WgmmaChoice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// The contiguous dimension of an operand that TMA loads and rounds.
std::optional<unsigned> contiguousDim(Value tile) {
  auto staged = tileas::stagedTile(tile);
  if (!staged || !staged->format)
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  if (!tileas::isDescribed(*staged, shape))
    return std::nullopt;
  return tileas::orderOf(*staged, shape).front();
}

// Whether only the next iteration's product reads the sums, so that they may have any layout.
bool isSumOfLoop(tileaa::MmaOp mma) {
  auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
  auto before = dyn_cast<BlockArgument>(mma.getAcc());
  if (!loop || !before || before.getOwner() != loop.getBody() || !before.hasOneUse() || !mma.getResult().hasOneUse())
    return false;
  OpOperand &use = *mma.getResult().use_begin();
  return isa<scf::YieldOp>(use.getOwner()) && loop.getTiedLoopYieldedValue(before) == &use;
}

// Whether each element is computed from those in one place of a tile that is loaded in the block, and of others.
bool isComputedFromLoad(Value tile, Block *block) {
  Operation *op = tile.getDefiningOp();
  if (!op || op->getBlock() != block)
    return false;
  if (isa<tileaa::LoadViewOp>(op))
    return true;
  bool isOfPlaces = isa<tileaa::ConvertOp, tileaa::PermuteOp, tileaa::ReshapeOp>(op) ||
                    (op->hasTrait<OpTrait::Elementwise>() && isPure(op));
  return isOfPlaces && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) && isComputedFromLoad(operand, block);
         });
}

// The order of the dimensions of an operand's transposition in memory where the product is to be transposed for it: the
// left operand is one that TMA loads, and threads compute the right one from a tile that they load in the same loop.
std::optional<SmallVector<unsigned>> orderBesideComputed(tileaa::MmaOp mma) {
  auto staged = tileas::stagedTile(mma.getLhs());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(mma.getLhs().getType()).getShape();
  if (!staged || !tileas::isDescribed(*staged, shape) || tileas::stagedTile(mma.getRhs()) || !isSumOfLoop(mma) ||
      !isComputedFromLoad(mma.getRhs(), mma->getBlock()))
    return std::nullopt;
  SmallVector<unsigned> order = tileas::orderOf(*staged, shape);
  for (unsigned &dim : order)
    dim = 1 - dim;
  return order;
}

Value transposed(Value tile, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape{type.getDimSize(1), type.getDimSize(0)};
  // A converted tile is transposed before it is converted.
  if (auto convert = tile.getDefiningOp<tileaa::ConvertOp>()) {
    Operation *clone = builder.clone(*convert);
    OpBuilder before(clone);
    clone->setOperand(0, transposed(convert.getSource(), before));
    clone->getResult(0).setType(type.clone(shape));
    return clone->getResult(0);
  }
  return tileaa::PermuteOp::create(builder, tile.getLoc(), type.clone(shape), tile, ArrayRef<int64_t>{1, 0});
}

// Erases conversions and permutations that nothing uses.
void eraseUnused(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && isa<tileaa::ConvertOp, tileaa::PermuteOp>(op) && op->use_empty()) {
    Value source = op->getOperand(0);
    op->erase();
    op = source.getDefiningOp();
  }
}

} // namespace

void tilewright::transposeProducts(func::FuncOp function, const nvidia::Architecture &architecture, int64_t warps) {
  SmallVector<std::pair<tileaa::MmaOp, SmallVector<unsigned>>> products; // with the order of the new right operand
  function.walk([&](tileaa::MmaOp mma) {
    std::optional<int64_t> asked = tileas::askedFor(mma, tileas::DecisionKind::Atom);
    if ((asked && *asked != int64_t(tileas::AtomKind::Wgmma)) || cast<RankedTensorType>(mma.getType()).getRank() != 2)
      return;
    if (contiguousDim(mma.getLhs()) == 1u && contiguousDim(mma.getRhs()) == 1u)
      products.push_back({mma, {0, 1}});
    else if (auto order = orderBesideComputed(mma))
      products.push_back({mma, *order});
  });
  for (auto &[mma, order] : products) {
    OpBuilder builder(mma);
    Value lhs = transposed(mma.getRhs(), builder), rhs = transposed(mma.getLhs(), builder);
    Value acc = transposed(mma.getAcc(), builder);
    auto other = cast<tileaa::MmaOp>(builder.clone(*mma));
    other->setOperands({lhs, rhs, acc});
    other.getResult().setType(cast<RankedTensorType>(acc.getType()));
    if (!tileas::chooseWgmma(other, architecture, warps, std::nullopt, order)) {
      other.erase();
      for (Value operand : {lhs, rhs, acc})
        eraseUnused(operand);
      continue;
    }
    Value old[] = {mma.getLhs(), mma.getRhs()};
    mma.getResult().replaceAllUsesWith(transposed(other.getResult(), builder));
    mma.erase();
    for (Value operand : old)
      eraseUnused(operand);
  }
}
