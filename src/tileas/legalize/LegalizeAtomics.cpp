// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZEATOMICS
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

// The tile that an access finds in memory, where each element is looked at once.
Value foundBy(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tileaa::AtomicRmwOp, tileaa::AtomicCasOp>([](auto atomic) { return atomic.getOld(); })
      .Case([](tileaa::LoadPtrOp load) { return load.getOrdering() ? load.getTile() : Value(); })
      .Default(Value());
}

class LegalizeAtomics : public tilewright::impl::TileasLegalizeAtomicsBase<LegalizeAtomics> {
  void runOnOperation() override {
    if (!tileas::expectCta(getOperation()))
      return signalPassFailure();
    warps = tileas::warpsOf(getOperation());
    SmallVector<Value> found;
    getOperation().walk([&](Operation *op) {
      if (Value value = foundBy(op); value && !value.use_empty() && hasCopies(value.getType()))
        found.push_back(value);
    });
    for (Value value : found)
      share(value);
  }

  bool hasCopies(Type type) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return true;
    const LinearLayout &layout = tileas::layoutOf(tile);
    return layout.redundantBits(Dim::Lane) || layout.redundantBits(Dim::Warp) || layout.inputBits(Dim::Lane) < 5 ||
           int64_t(layout.inputSize(Dim::Warp)) < warps;
  }

  void share(Value value) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    Type element = getElementTypeOrSelf(value.getType());
    Value written = value;
    Operation *first = nullptr;
    if (!tile) {
      Dim dim = layout::tileDim(0);
      LinearLayout one = LinearLayout::zeros(32, Dim::Lane, dim) * LinearLayout::zeros(warps, Dim::Warp, dim);
      tile = tileas::typeWith(element, one);
      written = tileaa::ReshapeOp::create(builder, loc, tile, value);
      first = written.getDefiningOp();
    }
    LinearLayout rows = layout::plainShared(tile.getShape(), layout::rowMajorOrder(tile.getRank()));
    auto buffer =
        tileas::BufferType::get(&getContext(), tile.getShape(), element, tileas::LayoutAttr::get(&getContext(), rows));
    Value alloc = tileas::AllocOp::create(builder, loc, buffer, IntegerAttr());
    auto write = tileas::WriteOp::create(builder, loc, written, alloc);
    Value read = tileas::ReadOp::create(builder, loc, tile, alloc, ValueRange());
    if (first)
      read = tileaa::ReshapeOp::create(builder, loc, value.getType(), read);
    value.replaceUsesWithIf(read, [&](OpOperand &use) { return use.getOwner() != first && use.getOwner() != write; });
  }

  int64_t warps = 0;
};

} // namespace
