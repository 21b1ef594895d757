// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_BUBBLEUPEXTRACTSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::TilePart;

namespace {

// A sector of global memory: loads of less would read it several times. Of a small part all at once.
constexpr int64_t leastBytes = 32, smallPart = 4096;
// Later passes keep so many parts in registers of their own.
constexpr int64_t mostParts = 64;

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
}

/// The part as the reduction of a tile in which all other elements are zero, dimension by dimension.
///
///   %y = extract %x[0, %k]     -->     %z = select (iota == broadcast %k), bitcast %x, 0
///     : 1x4096 -> 1x1                  %y = bitcast (reduce %z along 1 by ori)
class MaskedPart {
public:
  MaskedPart(tileaa::ExtractOp extract, OpBuilder &builder)
      : extract(extract), builder(builder), loc(extract.getLoc()) {}

  Value take() {
    auto type = cast<RankedTensorType>(extract.getType());
    ArrayRef<int64_t> whole = cast<RankedTensorType>(extract.getSource().getType()).getShape();
    Type element = type.getElementType(), bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
    Value tile = extract.getSource();
    if (element != bits)
      tile = arith::BitcastOp::create(builder, loc, RankedTensorType::get(whole, bits), tile);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
      if (whole[dim] != type.getDimSize(dim))
        tile = takeAlong(tile, dim, type.getDimSize(dim), extract.getOffsets()[dim]);
    return element == bits ? tile : arith::BitcastOp::create(builder, loc, type, tile).getResult();
  }

private:
  // With the number of the part along `dim` and the place in it along `dim` + 1.
  Value takeAlong(Value tile, int64_t dim, int64_t size, Value offset) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape()), line(type.getRank() + 1, 1);
    line[dim] = shape[dim] / size;
    shape[dim] = size;
    shape.insert(shape.begin() + dim, line[dim]);
    Value parts = tileaa::ReshapeOp::create(builder, loc, type.clone(shape), tile);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(parts.getType()));
    Value chosen = arith::SelectOp::create(builder, loc, isPart(shape, line, dim, size, offset), parts, zero);
    return reduce(chosen, dim);
  }

  Value isPart(ArrayRef<int64_t> shape, ArrayRef<int64_t> line, int64_t dim, int64_t size, Value offset) {
    Type i32 = builder.getI32Type();
    Value extent = arith::ConstantIndexOp::create(builder, loc, size);
    Value number = arith::IndexCastOp::create(builder, loc, i32, arith::DivUIOp::create(builder, loc, offset, extent));
    Value numbers = tileaa::IotaOp::create(builder, loc, RankedTensorType::get({line[dim]}, i32));
    numbers = tileaa::ReshapeOp::create(builder, loc, RankedTensorType::get(line, i32), numbers);
    auto all = RankedTensorType::get(shape, i32);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 tileaa::BroadcastOp::create(builder, loc, all, numbers),
                                 tileaa::BroadcastOp::create(builder, loc, all, number));
  }

  Value reduce(Value tile, int64_t dim) {
    auto type = cast<RankedTensorType>(tile.getType());
    Type bits = type.getElementType();
    SmallVector<int64_t> rest(type.getShape());
    rest.erase(rest.begin() + dim);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bits));
    auto reduce =
        tileaa::ReduceOp::create(builder, loc, TypeRange(type.clone(rest)), ValueRange(tile), ValueRange(zero), dim);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&reduce.getBody(), {}, {bits, bits}, {loc, loc});
    tileaa::YieldOp::create(builder, loc,
                            arith::OrIOp::create(builder, loc, body->getArgument(0), body->getArgument(1)).getResult());
    return reduce.getResult(0);
  }

  tileaa::ExtractOp extract;
  OpBuilder &builder;
  Location loc;
};

class BubbleUpExtracts : public tilewright::impl::BubbleUpExtractsPassBase<BubbleUpExtracts> {
public:
  using BubbleUpExtractsPassBase::BubbleUpExtractsPassBase;

private:
  void runOnOperation() override {
    SmallVector<tileaa::ExtractOp> extracts;
    getOperation().walk([&](tileaa::ExtractOp extract) { extracts.push_back(extract); });
    for (tileaa::ExtractOp extract : extracts)
      bubbleUp(extract);
  }

  void bubbleUp(tileaa::ExtractOp extract) {
    auto source = cast<RankedTensorType>(extract.getSource().getType()),
         type = cast<RankedTensorType>(extract.getType());
    if (bytesOf(source) <= sharedBytes)
      return;
    OpBuilder builder(extract);
    Value from = extract.getSource(), part = load(extract, builder);
    if (!part && source.getNumElements() / type.getNumElements() > mostParts)
      part = MaskedPart(extract, builder).take();
    if (!part)
      return;
    extract.replaceAllUsesWith(part);
    extract.erase();
    tileaa::eraseUnusedTiles(from);
  }

  // The part by the producers of its tile, if they can be done again.
  Value load(tileaa::ExtractOp extract, OpBuilder &builder) const {
    auto source = cast<RankedTensorType>(extract.getSource().getType()),
         type = cast<RankedTensorType>(extract.getType());
    int64_t run = type.getShape().back() * std::max(1u, type.getElementTypeBitWidth() / 8);
    if (run < leastBytes && type.getShape().back() != source.getShape().back() && bytesOf(type) > smallPart)
      return {};
    TilePart part = {{}, SmallVector<int64_t>(type.getShape())};
    for (Value offset : extract.getOffsets()) {
      std::optional<int64_t> constant = getConstantIntValue(offset);
      part.offsets.push_back(constant ? TilePart::Offset{Value(), *constant} : TilePart::Offset{offset, 0});
    }
    // Small tiles stay in shared memory, of which they leave half to others.
    tileaa::PartialTile tile(/*repeatsProducts=*/false, sharedBytes / 2);
    return tile.add(extract.getSource(), part) ? tile.take(extract.getSource(), part, builder) : Value();
  }
};

} // namespace
