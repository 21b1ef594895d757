// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZEREDUCE
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

bool isSharedByWarps(const LinearLayout &layout, unsigned axis) {
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Warp); ++bit)
    if (layout.basis(Dim::Warp, bit, layout::tileDim(axis)) != 0)
      return true;
  return false;
}

// The same reduction of other tiles.
tileaa::ReduceOp reduceAgain(tileaa::ReduceOp reduce, ValueRange sources, unsigned axis, OpBuilder &builder) {
  SmallVector<Type> types;
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    LinearLayout left = tileas::layoutOf(type).slice(axis);
    types.push_back(type.getRank() == 1 ? type.getElementType() : Type(tileas::typeWith(type.getElementType(), left)));
  }
  auto again = tileaa::ReduceOp::create(builder, reduce.getLoc(), types, sources, reduce.getIdentities(), axis);
  IRMapping mapping;
  reduce.getBody().cloneInto(&again.getBody(), mapping);
  return again;
}

// Every thread gets all partial results of its rows, in registers of their own.
LinearLayout inRegisters(const LinearLayout &partial, unsigned axis) {
  LinearLayout rows = partial.slice(axis).expand(axis).withoutFreeRegisters();
  return rows * LinearLayout::identity(partial.outputSize(layout::tileDim(axis)), Dim::Register, layout::tileDim(axis));
}

void legalize(tileaa::ReduceOp reduce) {
  unsigned axis = reduce.getDim();
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  SmallVector<Value> split;
  for (Value source : reduce.getSources()) {
    Type element = getElementTypeOrSelf(source.getType());
    Type type = tileas::typeWith(element, tileas::splitWarps(tileas::layoutOf(source), axis));
    split.push_back(tileas::SplitWarpsOp::create(builder, loc, type, source, axis));
  }
  tileaa::ReduceOp parts = reduceAgain(reduce, split, axis + 1, builder);
  SmallVector<Value> partial(parts.getResults());
  for (Value &value : partial) {
    Type element = getElementTypeOrSelf(value.getType());
    Type type = tileas::typeWith(element, inRegisters(tileas::layoutOf(value), axis));
    value = tileas::ConvertLayoutOp::create(builder, loc, type, value);
  }
  for (auto [old, now] : llvm::zip_equal(
           reduce.getResults(), SmallVector<Value>(reduceAgain(reduce, partial, axis, builder).getResults()))) {
    if (old.getType() != now.getType())
      now = tileas::ConvertLayoutOp::create(builder, loc, old.getType(), now);
    old.replaceAllUsesWith(now);
  }
  reduce.erase();
}

class LegalizeReduce : public tilewright::impl::TileasLegalizeReduceBase<LegalizeReduce> {
  void runOnOperation() override {
    SmallVector<tileaa::ReduceOp> shared;
    getOperation().walk([&](tileaa::ReduceOp reduce) {
      if (isSharedByWarps(tileas::layoutOf(reduce.getSources()[0]), reduce.getDim()))
        shared.push_back(reduce);
    });
    for (tileaa::ReduceOp reduce : shared)
      legalize(reduce);
  }
};

} // namespace
