// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "machine/Architecture.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"
#include "tileas/memory/SharedPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

// Each is selected among them by a comparison. Of tiles with more parts tileaa-bubble-up-extracts has reduced one.
constexpr int64_t mostSelected = 64;

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

class LegalizeSlices : public tilewright::impl::TileasLegalizeSlicesBase<LegalizeSlices> {
  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    sharedLimit = tileas::sharedLimit(getOperation(), *architecture);
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
    RankedTensorType whole = typeOf(extract.getSource()), type = typeOf(extract);
    bool isKnown =
        llvm::all_of(extract.getOffsets(), [](Value offset) { return getConstantIntValue(offset).has_value(); });
    int64_t parts = whole.getNumElements() / type.getNumElements();
    if (!fitsInShared(whole) && parts <= mostSelected)
      inRegisters(extract);
    auto layout = tileas::layoutOfParts(tileas::layoutOf(extract.getSource()), type.getShape());
    if (layout && isKnown)
      return comesAs(extract.getResult(), *layout);
    OpBuilder builder(extract);
    Value part = layout && !fitsInShared(whole)
                     ? select(extract, *layout, builder)
                     : tileas::ReadOp::create(builder, extract.getLoc(), type, bufferOf(extract.getSource()),
                                              extract.getOffsets());
    extract.replaceAllUsesWith(part);
    extract.erase();
  }

  bool fitsInShared(RankedTensorType type) const {
    return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8) <= sharedLimit;
  }

  // The tile in the layout of its parts, each in registers of its own.
  void inRegisters(tileaa::ExtractOp extract) {
    RankedTensorType whole = typeOf(extract.getSource()), type = typeOf(extract);
    LinearLayout parts = tileas::layoutOf(extract.getResult());
    if (tileas::layoutOfParts(tileas::layoutOf(extract.getSource()), type.getShape()))
      return;
    for (auto [dim, extent] : llvm::enumerate(whole.getShape()))
      parts = parts * LinearLayout::identity(extent / type.getDimSize(dim), Dim::Register, layout::tileDim(dim));
    OpBuilder builder(extract);
    extract.getSourceMutable().assign(convert(extract.getSource(), parts, builder));
  }

  // The part at offsets that are not known: the last of all parts of which the offsets are these.
  Value select(tileaa::ExtractOp extract, const LinearLayout &layout, OpBuilder &builder) {
    Location loc = extract.getLoc();
    RankedTensorType whole = typeOf(extract.getSource()), type = typeOf(extract);
    Type part = tileas::typeWith(type.getElementType(), layout), mask = tileas::typeWith(builder.getI1Type(), layout);
    Value selected;
    SmallVector<int64_t> begin(type.getRank(), 0);
    while (begin[0] != whole.getDimSize(0)) {
      SmallVector<Value> offsets;
      Value isHere = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      for (auto [place, offset] : llvm::zip_equal(begin, extract.getOffsets())) {
        offsets.push_back(arith::ConstantIndexOp::create(builder, loc, place));
        Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, offset, offsets.back());
        isHere = arith::AndIOp::create(builder, loc, isHere, isSame);
      }
      Value each = tileaa::ExtractOp::create(builder, loc, part, extract.getSource(), offsets);
      selected = selected ? arith::SelectOp::create(
                                builder, loc, tileaa::BroadcastOp::create(builder, loc, mask, isHere), each, selected)
                          : each;
      int64_t dim = type.getRank() - 1;
      while ((begin[dim] += type.getDimSize(dim)) == whole.getDimSize(dim) && dim != 0)
        begin[dim--] = 0;
    }
    return convert(selected, tileas::layoutOf(extract.getResult()), builder);
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

  int64_t sharedLimit = 0;
  DenseMap<Value, Value> buffers;
};

} // namespace
