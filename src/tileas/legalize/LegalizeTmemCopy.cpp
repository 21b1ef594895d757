// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Numbers.h"
#include "tileas/legalize/Passes.h"
#include "tileas/plan/Tcgen05Choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZETMEMCOPY
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Whether the loop has an iteration; nothing where it always has one.
Value isEmpty(scf::ForOp loop, OpBuilder &builder) {
  APInt from, to;
  if (matchPattern(loop.getLowerBound(), m_ConstantInt(&from)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&to)) && (loop.getUnsignedCmp() ? from.ult(to) : from.slt(to)))
    return {};
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  return arith::CmpIOp::create(builder, loop.getLoc(), predicate, loop.getLowerBound(), loop.getUpperBound());
}

// The loop without one of what it carries, which nothing uses any more.
void dropCarried(scf::ForOp loop, unsigned index) {
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  inits.erase(inits.begin() + index);
  loop.getBody()->getTerminator()->eraseOperand(index);
  loop.getBody()->eraseArgument(index + 1);
  auto now = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                inits, nullptr, loop.getUnsignedCmp());
  now.getRegion().takeBody(loop.getRegion());
  now->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [number, result] : llvm::enumerate(loop.getResults()))
    if (number != index)
      result.replaceAllUsesWith(now.getResult(number - (number > index)));
  loop.erase();
}

class LegalizeTmemCopy : public tilewright::impl::TileasLegalizeTmemCopyBase<LegalizeTmemCopy> {
  void runOnOperation() override {
    SmallVector<tileas::MmaOp> products;
    getOperation().walk([&](tileas::MmaOp mma) {
      if (mma.getAtom().getKind() == tileas::AtomKind::Tcgen05)
        products.push_back(mma);
    });
    for (tileas::MmaOp mma : products)
      rewrite(mma);
  }

  Value allocate(tileas::MmaOp mma) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(mma.getType()).getShape();
    Block &body = getOperation().getBody().front();
    auto atBegin = OpBuilder::atBlockBegin(&body);
    OpBuilder atEnd(body.getTerminator());
    auto type = tileas::TmemType::get(&getContext(), shape, getElementTypeOrSelf(mma.getType()),
                                      tileas::LayoutAttr::get(&getContext(), tileas::tmemLayout(shape)));
    Value tmem = tileas::TmemAllocOp::create(atBegin, mma.getLoc(), type, IntegerAttr());
    tileas::TmemDeallocOp::create(atEnd, mma.getLoc(), tmem);
    return tmem;
  }

  // All warps have stored before a product is started, which one thread does.
  static void store(Value tile, Value tmem, OpBuilder &builder) {
    tileas::TmemStoreOp::create(builder, tile.getLoc(), tile, tmem);
    tileas::BarrierOp::create(builder, tile.getLoc());
  }
  // And have loaded before the products of another time around write there again.
  static Value load(tileas::MmaOp mma, Value tmem, OpBuilder &builder) {
    Value sums = tileas::TmemLoadOp::create(builder, mma.getLoc(), mma.getType(), tmem);
    if (sums.getDefiningOp()->getParentOfType<LoopLikeOpInterface>())
      tileas::BarrierOp::create(builder, mma.getLoc());
    return sums;
  }

  void rewrite(tileas::MmaOp mma) {
    Value tmem = allocate(mma);
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    auto truth = [&](bool value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
    };
    auto multiply = [&](Value accumulates) {
      tileas::TmemMmaOp::create(builder, loc, mma.getAtom(), mma.getLhs(), mma.getRhs(), tmem, accumulates,
                                mma.getUnsignedLhs(), mma.getUnsignedRhs(), mma.getFormatAttr(), /*running=*/false);
    };
    scf::ForOp loop = tileas::loopOfSums(mma, mma.getAcc());
    if (!loop) {
      bool starts = tileaa::isZero(mma.getAcc());
      if (!starts)
        store(mma.getAcc(), tmem, builder);
      multiply(truth(!starts));
      Value sums = load(mma, tmem, builder);
      mma.replaceAllUsesWith(sums);
      mma.erase();
      return;
    }

    unsigned index = cast<BlockArgument>(mma.getAcc()).getArgNumber() - 1;
    Value init = loop.getInitArgs()[index];
    if (tileaa::isZero(init)) {
      // The first product does not add; where there is none, the sums are zeros all the same.
      multiply(
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loop.getInductionVar(), loop.getLowerBound()));
      builder.setInsertionPoint(loop);
      if (Value none = isEmpty(loop, builder)) {
        auto branch = scf::IfOp::create(builder, loc, none, /*withElseRegion=*/false);
        builder.setInsertionPointToStart(branch.thenBlock());
        store(init, tmem, builder);
      }
    } else {
      multiply(truth(true));
      builder.setInsertionPoint(loop);
      store(init, tmem, builder);
    }
    builder.setInsertionPointAfter(loop);
    tileas::TmemWaitOp::create(builder, loc, tmem);
    Value sums = load(mma, tmem, builder);
    loop.getResult(index).replaceAllUsesWith(sums);
    mma.replaceAllUsesWith(mma.getAcc());
    mma.erase();
    dropCarried(loop, index);
  }
};

} // namespace
