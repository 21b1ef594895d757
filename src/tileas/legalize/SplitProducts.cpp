// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/legalize/SplitProducts.h"

#include "layout/Distributed.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

namespace {

// An operand of a product, and how a part of it is made.
struct Operand {
  Value value;
  unsigned depth;        // its dimension along K
  tileas::WriteOp write; // of its buffer; null for one in registers
  LinearLayout part;     // of the part's registers
  LinearLayout buffer;   // of the part's buffer
  bool isConverted = false;

  Value tile() { return write ? write.getTile() : value; }
  int64_t bytes() const {
    auto type = dyn_cast<tileas::BufferType>(value.getType());
    return type ? type.getBytes() : 0;
  }
};

SmallVector<int64_t> partOf(ArrayRef<int64_t> whole, unsigned depth, int64_t extent) {
  SmallVector<int64_t> shape(whole);
  shape[depth] = extent;
  return shape;
}

// A layout of the part over all threads, the lanes along the last dimensions and the warps along the first.
LinearLayout spread(ArrayRef<int64_t> shape, int64_t warps) {
  layout::Blocked blocked;
  blocked.elements.assign(shape.size(), 1);
  blocked.lanes.assign(shape.size(), 1);
  blocked.warps.assign(shape.size(), 1);
  blocked.order = layout::rowMajorOrder(shape.size());
  SmallVector<int64_t> left(shape);
  int64_t lanes = layout::kLanes;
  for (unsigned dim : blocked.order) {
    blocked.lanes[dim] = std::min(lanes, left[dim]);
    lanes /= blocked.lanes[dim];
    left[dim] /= blocked.lanes[dim];
  }
  for (unsigned dim = 0; dim != shape.size(); ++dim) {
    blocked.warps[dim] = std::min(warps, left[dim]);
    warps /= blocked.warps[dim];
  }
  return layout::blockedLayout(blocked, shape);
}

class Splitter {
public:
  Splitter(tileas::MmaOp mma, int64_t warps) : mma(mma), warps(warps) {
    unsigned rank = cast<RankedTensorType>(mma.getType()).getRank();
    operands[0] = {mma.getLhs(), rank - 1, writeOf(mma.getLhs()), {}, {}};
    operands[1] = {mma.getRhs(), rank - 2, writeOf(mma.getRhs()), {}, {}};
  }

  int64_t bytes() const { return operands[0].bytes() + operands[1].bytes(); }

  bool canSplit(int64_t extent) {
    return !mma.getRunning() && extent >= std::max<int64_t>(mma.getAtom().getK(), 16) &&
           llvm::all_of(operands, [&](Operand &operand) { return canSplit(operand, extent); });
  }

  void split(int64_t extent) {
    OpBuilder builder(mma);
    for (Operand &operand : operands)
      if (operand.isConverted)
        convert(operand, builder);
    Value sum = mma.getAcc();
    for (int64_t begin = 0, depth = shapeOf(operands[0])[operands[0].depth]; begin != depth; begin += extent) {
      auto part = cast<tileas::MmaOp>(builder.clone(*mma));
      builder.setInsertionPoint(part);
      part.getLhsMutable().assign(take(operands[0], begin, extent, builder));
      part.getRhsMutable().assign(take(operands[1], begin, extent, builder));
      part.getAccMutable().assign(sum);
      sum = part.getResult();
      builder.setInsertionPoint(mma);
    }
    mma.replaceAllUsesWith(sum);
    mma.erase();
    for (Operand &operand : operands)
      if (operand.write) {
        Operation *alloc = operand.value.getDefiningOp();
        operand.write.erase();
        alloc->erase();
      }
  }

private:
  // The one write to a buffer that nothing but this product reads.
  tileas::WriteOp writeOf(Value operand) const {
    auto alloc = operand.getDefiningOp<tileas::AllocOp>();
    if (!alloc || llvm::range_size(alloc->getUsers()) != 2)
      return {};
    for (Operation *user : alloc->getUsers())
      if (auto write = dyn_cast<tileas::WriteOp>(user); write && write->getBlock() == mma->getBlock())
        return write;
    return {};
  }

  static ArrayRef<int64_t> shapeOf(const Operand &operand) {
    if (auto buffer = dyn_cast<tileas::BufferType>(operand.value.getType()))
      return buffer.getShape();
    return cast<RankedTensorType>(operand.value.getType()).getShape();
  }

  bool canSplit(Operand &operand, int64_t extent) {
    SmallVector<int64_t> shape = partOf(shapeOf(operand), operand.depth, extent);
    operand.isConverted = false;
    if (!operand.write && isa<tileas::BufferType>(operand.value.getType()))
      return false; // a stage of a pipeline, or a buffer with other uses
    auto part = tileas::layoutOfParts(tileas::layoutOf(operand.tile()), shape);
    if (!operand.write) {
      if (part)
        operand.part = *part;
      return part.has_value();
    }
    auto type = cast<tileas::BufferType>(operand.value.getType());
    auto buffer = tileas::layoutOfParts(type.getLayout().getLayout(), shape, layout::Dim::Offset);
    if (!buffer)
      return false;
    operand.buffer = *buffer;
    operand.isConverted = !part;
    operand.part = part ? *part : spread(shape, warps);
    return true;
  }

  // The whole tile with the part's layout repeated in further registers.
  void convert(Operand &operand, OpBuilder &builder) {
    Value tile = operand.write.getTile();
    LinearLayout whole =
        layout::fitToShape(operand.part, shapeOf(operand), layout::rowMajorOrder(shapeOf(operand).size()));
    Type type = tileas::typeWith(getElementTypeOrSelf(tile.getType()), whole);
    operand.write.getTileMutable().assign(
        tileas::ConvertLayoutOp::create(builder, mma.getLoc(), type, tile).getResult());
  }

  Value take(Operand &operand, int64_t begin, int64_t extent, OpBuilder &builder) {
    Location loc = mma.getLoc();
    Value tile = operand.tile();
    Type element = getElementTypeOrSelf(tile.getType());
    SmallVector<int64_t> shape = partOf(shapeOf(operand), operand.depth, extent);
    SmallVector<Value> offsets;
    for (unsigned dim = 0; dim != shape.size(); ++dim)
      offsets.push_back(arith::ConstantIndexOp::create(builder, loc, dim == operand.depth ? begin : 0));
    Value part = tileaa::ExtractOp::create(builder, loc, tileas::typeWith(element, operand.part), tile, offsets);
    if (!operand.write)
      return part;
    auto type = tileas::BufferType::get(builder.getContext(), shape, element,
                                        tileas::LayoutAttr::get(builder.getContext(), operand.buffer));
    Value alloc = tileas::AllocOp::create(builder, loc, type, IntegerAttr());
    tileas::WriteOp::create(builder, loc, part, alloc);
    return alloc;
  }

  tileas::MmaOp mma;
  int64_t warps;
  Operand operands[2];
};

} // namespace

void tileas::splitProducts(func::FuncOp function, int64_t mostBytes) {
  SmallVector<tileas::MmaOp> products;
  function.walk([&](tileas::MmaOp mma) { products.push_back(mma); });
  for (tileas::MmaOp mma : products) {
    Splitter splitter(mma, warpsOf(function));
    auto lhs = mma.getLhs().getType();
    auto buffer = dyn_cast<tileas::BufferType>(lhs);
    int64_t depth = (buffer ? buffer.getShape() : cast<RankedTensorType>(lhs).getShape()).back(), extent = depth;
    int64_t bytes = splitter.bytes();
    while (bytes > mostBytes && splitter.canSplit(extent / 2)) {
      extent /= 2;
      bytes /= 2;
    }
    if (extent != depth && splitter.canSplit(extent))
      splitter.split(extent);
  }
}
