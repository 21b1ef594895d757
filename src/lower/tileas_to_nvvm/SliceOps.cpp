// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tiles in the registers of one thread; tileas-legalize-slices has
// brought them there.
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "tileas/ir/LayoutParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::DimSize;
using layout::LinearLayout;

namespace {

LogicalResult disagree(Operation *op) {
  return op->emitError() << "internal error: " << op->getName() << " needs elements of other threads";
}

// The layout of a part as one of the first elements of the whole.
LinearLayout asPartOf(LinearLayout part, const LinearLayout &whole) {
  for (DimSize out : whole.outputs())
    part = part.extendOutput(out.dim, out.size());
  return part;
}

} // namespace

LogicalResult tilewright::lowerCat(tileaa::CatOp cat, TileRegisters &tiles) {
  const LinearLayout &half = tileas::layoutOf(cat.getLhs());
  LinearLayout both = half * LinearLayout::identity(2, Dim::Register, layout::tileDim(cat.getDim()));
  if (tileas::layoutOf(cat.getRhs()) != half)
    return disagree(cat);
  SmallVector<Value> registers = tiles.get(cat.getLhs());
  llvm::append_range(registers, tiles.get(cat.getRhs()));
  auto picked = pickRegisters(registers, both, tileas::layoutOf(cat.getResult()));
  if (!picked)
    return disagree(cat);
  tiles.set(cat, *picked);
  return success();
}

// The number of the register in which a thread has what its first has, but for these offsets; nothing where that takes
// another thread or offsets that are not known.
static std::optional<uint64_t> registerAt(OperandRange offsets, const LinearLayout &whole) {
  layout::F2Vector first = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto constant = getConstantIntValue(offset);
    if (!constant || *constant < 0 || uint64_t(*constant) >= whole.outputSize(layout::tileDim(dim)))
      return std::nullopt;
    first |= whole.outputAt(layout::tileDim(dim), *constant);
  }
  return layout::F2Matrix(whole.outputBits(), whole.basisOf(Dim::Register)).solve(first);
}

LogicalResult tilewright::lowerExtract(tileaa::ExtractOp extract, TileRegisters &tiles) {
  const LinearLayout &source = tileas::layoutOf(extract.getSource());
  auto moved = registerAt(extract.getOffsets(), source);
  if (!moved)
    return disagree(extract);
  // Offsets are multiples of the part's extents, so what they add to an element
  // they add to the register.
  SmallVector<Value> registers, all = tiles.get(extract.getSource());
  for (uint64_t reg = 0; reg != all.size(); ++reg)
    registers.push_back(all[reg ^ *moved]);
  auto picked = pickRegisters(registers, source, asPartOf(tileas::layoutOf(extract.getResult()), source));
  if (!picked)
    return disagree(extract);
  tiles.set(extract, *picked);
  return success();
}

// Of a part whose place is the same registers of all threads: those of the whole that stay in the first part are the
// part's, in order.
static LogicalResult insertRegisters(tileaa::InsertOp insert, TileRegisters &tiles) {
  const LinearLayout &whole = tileas::layoutOf(insert.getResult());
  auto moved = registerAt(insert.getOffsets(), whole);
  if (!moved || insert.getDestination().getType() != insert.getType())
    return disagree(insert);
  SmallVector<unsigned> bits;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(insert.getSource().getType()).getShape();
  for (unsigned bit = 0; bit != whole.inputBits(Dim::Register); ++bit) {
    bool stays = true;
    for (auto [dim, extent] : llvm::enumerate(shape))
      stays &= int64_t(whole.basis(Dim::Register, bit, layout::tileDim(dim))) < extent;
    if (stays)
      bits.push_back(bit);
  }
  SmallVector<Value> registers = tiles.get(insert.getDestination());
  for (auto [reg, value] : llvm::enumerate(tiles.get(insert.getSource()))) {
    uint64_t place = *moved;
    for (auto [bit, target] : llvm::enumerate(bits))
      place ^= (reg >> bit & 1) << target;
    registers[place] = value;
  }
  tiles.set(insert, registers);
  return success();
}

LogicalResult tilewright::lowerInsert(tileaa::InsertOp insert, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  const LinearLayout &whole = tileas::layoutOf(insert.getResult());
  auto part = cast<RankedTensorType>(insert.getSource().getType());
  if (tileas::layoutOfParts(whole, part.getShape()) == tileas::layoutOf(part))
    return insertRegisters(insert, tiles);
  if (tileas::layoutOf(part) != tileas::repeatedOver(whole, part.getShape()) ||
      insert.getDestination().getType() != insert.getType())
    return disagree(insert);
  SmallVector<Value> registers = tiles.get(insert.getDestination());
  for (auto [reg, value] : llvm::enumerate(tiles.get(insert.getSource()))) {
    Value inside;
    for (auto [dim, extent] : llvm::enumerate(part.getShape())) {
      if (extent == int64_t(whole.outputSize(layout::tileDim(dim))))
        continue;
      Value place = tiles.coordinate(whole, dim, reg);
      Value begin = b.createOrFold<arith::AndIOp>(tiles.loc, place, tiles.i32(~(extent - 1)));
      Value offset = b.createOrFold<arith::IndexCastOp>(tiles.loc, b.getI32Type(), insert.getOffsets()[dim]);
      inside = tiles.both(inside, b.createOrFold<arith::CmpIOp>(tiles.loc, arith::CmpIPredicate::eq, begin, offset));
    }
    registers[reg] = inside ? b.createOrFold<arith::SelectOp>(tiles.loc, inside, value, registers[reg]) : value;
  }
  tiles.set(insert, registers);
  return success();
}
