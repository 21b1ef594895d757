// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/LoadUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tileaa/analysis/LoadedTile.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;
using namespace tilewright;

namespace {

bool isLoad(Value tile, scf::ForOp loop) {
  auto load = tile.getDefiningOp<tileaa::LoadViewOp>();
  return load && load->getBlock() == loop.getBody();
}

// The load of a tile of which only the dimensions were changed, as a load of what became of it.
void loadAsWanted(Operation *user, scf::ForOp loop) {
  for (OpOperand &operand : user->getOpOperands()) {
    auto loaded = tileaa::loadedTile(operand.get());
    if (!loaded || loaded->through.empty() || !isLoad(loaded->load.getTile(), loop) ||
        !tileas::hasLayout(operand.get().getType()))
      continue;
    // Others that want the tile as it was loaded would have it loaded twice.
    bool isOnly = loaded->load.getTile().hasOneUse() &&
                  llvm::all_of(loaded->through, [](Operation *op) { return op->getResult(0).hasOneUse(); });
    if (!isOnly)
      continue;
    OpBuilder builder(loaded->load);
    tileaa::LoadViewOp old = loaded->load;
    auto load = tileaa::LoadViewOp::create(builder, old.getLoc(), operand.get().getType(),
                                           old.getResultToken().getType(), old.getView(), old.getOffsets(),
                                           old.getToken(), loaded->dimMap, old.getPaddingAttr(), old.getInboundsAttr(),
                                           old.getFormatAttr(), old.getHintsAttr(), old.getCache());
    load->setDiscardableAttrs(old->getDiscardableAttrDictionary());
    old.getResultToken().replaceAllUsesWith(load.getResultToken());
    operand.set(load.getTile());
    for (Operation *op : loaded->through)
      op->erase();
    old.erase();
  }
}

// Operations that each thread rematerializes for its copies rather than exchange the results.
bool isCheap(Operation *op) {
  return isa<tileaa::ConvertOp>(op) ||
         (isa<arith::ArithDialect>(op->getDialect()) && op->hasTrait<OpTrait::Elementwise>());
}

// Each element of the result is of the elements in its place, of loads and of what is the same everywhere.
bool worksOnLoads(Operation *op, scf::ForOp loop) {
  if (!op || op->getBlock() != loop.getBody() || op->getNumResults() != 1 || !op->getResult(0).hasOneUse() ||
      !isPure(op) || !isCheap(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    DenseElementsAttr values;
    if (matchPattern(operand, m_Constant(&values)))
      return values.isSplat();
    return !isa<RankedTensorType>(operand.getType()) || isLoad(operand, loop) ||
           worksOnLoads(operand.getDefiningOp(), loop);
  });
}

void convertBefore(tileas::ConvertLayoutOp convert, scf::ForOp loop) {
  Operation *op = convert.getSource().getDefiningOp();
  if (!worksOnLoads(op, loop))
    return;
  const layout::LinearLayout &wanted = tileas::layoutOf(convert.getResult());
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    RankedTensorType inWanted = tileas::typeWith(type.getElementType(), wanted);
    DenseElementsAttr splat;
    if (matchPattern(operand.get(), m_Constant(&splat))) {
      operand.set(arith::ConstantOp::create(builder, op->getLoc(),
                                            DenseElementsAttr::get(inWanted, splat.getSplatValue<Attribute>())));
      continue;
    }
    auto inner = tileas::ConvertLayoutOp::create(builder, convert.getLoc(), inWanted, operand.get());
    operand.set(inner);
    convertBefore(inner, loop);
  }
  op->getResult(0).setType(convert.getType());
  convert.replaceAllUsesWith(op->getResult(0));
  convert.erase();
}

} // namespace

void tileas::bringLoadsToUses(scf::ForOp loop) {
  SmallVector<Operation *> users;
  for (Operation &op : *loop.getBody())
    users.push_back(&op);
  // Dimensions first: conversions move to loads only.
  for (Operation *user : users)
    if (isa<ConvertLayoutOp, WriteOp, MmaOp, TmemMmaOp>(user) || isCheap(user))
      loadAsWanted(user, loop);
  SmallVector<ConvertLayoutOp> converts(loop.getBody()->getOps<ConvertLayoutOp>());
  for (ConvertLayoutOp convert : converts)
    convertBefore(convert, loop);
}
