// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZESLICES
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

class LegalizeSlices : public tilewright::impl::TileasLegalizeSlicesBase<LegalizeSlices> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tileaa::CatOp, tileaa::ExtractOp, tileaa::InsertOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto cat = dyn_cast<tileaa::CatOp>(op))
        legalize(cat);
      else if (auto extract = dyn_cast<tileaa::ExtractOp>(op))
        legalize(extract);
      else
        legalize(cast<tileaa::InsertOp>(op));
    }
  }

  Value convert(Value tile, const LinearLayout &layout, OpBuilder &builder) {
    if (tileas::layoutOf(tile) == layout)
      return tile;
    Type type = tileas::typeWith(getElementTypeOrSelf(tile.getType()), layout);
    return tileas::ConvertLayoutOp::create(builder, tile.getLoc(), type, tile);
  }
  void comesAs(Value result, const LinearLayout &layout) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(result);
    LinearLayout wanted = tileas::layoutOf(result);
    result.setType(tileas::typeWith(getElementTypeOrSelf(result.getType()), layout));
    if (Value converted = convert(result, wanted, builder); converted != result)
      result.replaceAllUsesExcept(converted, converted.getDefiningOp());
  }

  // Both halves alike, one register bit between them.
  void legalize(tileaa::CatOp cat) {
    OpBuilder builder(cat);
    const LinearLayout &half = tileas::layoutOf(cat.getLhs());
    cat.getRhsMutable().assign(convert(cat.getRhs(), half, builder));
    comesAs(cat.getResult(), half * LinearLayout::identity(2, Dim::Register, layout::tileDim(cat.getDim())));
  }

  void legalize(tileaa::InsertOp insert) {
    OpBuilder builder(insert);
    LinearLayout whole = tileas::layoutOf(insert.getResult());
    auto part = cast<RankedTensorType>(insert.getSource().getType());
    insert.getDestinationMutable().assign(convert(insert.getDestination(), whole, builder));
    insert.getSourceMutable().assign(
        convert(insert.getSource(), tileas::repeatedOver(whole, part.getShape()), builder));
  }

  void legalize(tileaa::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getType());
    bool isKnown =
        llvm::all_of(extract.getOffsets(), [](Value offset) { return getConstantIntValue(offset).has_value(); });
    if (isKnown)
      if (auto layout = tileas::layoutOfParts(tileas::layoutOf(extract.getSource()), type.getShape()))
        return comesAs(extract.getResult(), *layout);
    OpBuilder builder(extract);
    Value read =
        tileas::ReadOp::create(builder, extract.getLoc(), type, bufferOf(extract.getSource()), extract.getOffsets());
    extract.replaceAllUsesWith(read);
    extract.erase();
  }

  // The tile in a buffer, for all that take parts of it.
  Value bufferOf(Value tile) {
    Value &buffer = buffers[tile];
    if (buffer)
      return buffer;
    auto type = cast<RankedTensorType>(tile.getType());
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(tile);
    LinearLayout rows = layout::plainShared(type.getShape(), layout::rowMajorOrder(type.getRank()));
    buffer = tileas::AllocOp::create(builder, tile.getLoc(),
                                     tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                                             tileas::LayoutAttr::get(&getContext(), rows)),
                                     IntegerAttr());
    tileas::WriteOp::create(builder, tile.getLoc(), tile, buffer);
    return buffer;
  }

  DenseMap<Value, Value> buffers;
};

} // namespace
