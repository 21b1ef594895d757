// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/TransposeProducts.h"

#include "tileas/async/StagedTile.h"
#include "tileas/ir/Decisions.h"
#include "tileas/plan/WgmmaChoice.h"

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

Value transposed(Value tile, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto other = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  // A rounded tile is transposed before it is rounded.
  if (auto convert = tile.getDefiningOp<tileaa::ConvertOp>()) {
    Operation *clone = builder.clone(*convert);
    OpBuilder before(clone);
    clone->setOperand(
        0, tileaa::PermuteOp::create(before, tile.getLoc(), other, convert.getSource(), ArrayRef<int64_t>{1, 0}));
    clone->getResult(0).setType(other);
    return clone->getResult(0);
  }
  return tileaa::PermuteOp::create(builder, tile.getLoc(), other, tile, ArrayRef<int64_t>{1, 0});
}

} // namespace

void tilewright::transposeProducts(func::FuncOp function, const nvidia::Architecture &architecture, int64_t warps) {
  SmallVector<tileaa::MmaOp> products;
  function.walk([&](tileaa::MmaOp mma) {
    std::optional<int64_t> asked = tileas::askedFor(mma, tileas::DecisionKind::Atom);
    if (asked && *asked != int64_t(tileas::AtomKind::Wgmma))
      return;
    if (cast<RankedTensorType>(mma.getType()).getRank() == 2 && contiguousDim(mma.getLhs()) == 1u &&
        contiguousDim(mma.getRhs()) == 1u)
      products.push_back(mma);
  });
  for (tileaa::MmaOp mma : products) {
    OpBuilder builder(mma);
    Value lhs = transposed(mma.getRhs(), builder), rhs = transposed(mma.getLhs(), builder);
    Value acc = transposed(mma.getAcc(), builder);
    auto other = cast<tileaa::MmaOp>(builder.clone(*mma));
    other->setOperands({lhs, rhs, acc});
    other.getResult().setType(cast<RankedTensorType>(acc.getType()));
    if (!tileas::chooseWgmma(other, architecture, warps, std::nullopt, SmallVector<unsigned>{0, 1})) {
      other.erase();
      for (Value operand : {lhs, rhs, acc})
        operand.getDefiningOp()->erase();
      continue;
    }
    Value old[] = {mma.getLhs(), mma.getRhs()};
    mma.getResult().replaceAllUsesWith(transposed(other.getResult(), builder));
    mma.erase();
    for (Value operand : old)
      if (operand.use_empty())
        operand.getDefiningOp()->erase();
  }
}
