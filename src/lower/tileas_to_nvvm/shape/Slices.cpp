// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tiles in the registers of one thread, as tileas-legalize-slices
// arranged them.
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"
#include "tileas/ir/LayoutParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::DimSize;
using layout::LinearLayout;

namespace {

LogicalResult disagree(Operation *op, ThreadBuilder &thread) {
  return thread.fail(op, "it needs elements of other threads"); // tileas-legalize-slices leaves none
}

// The layout of a part as one of the first elements of the whole.
LinearLayout asPartOf(LinearLayout part, const LinearLayout &whole) {
  for (DimSize out : whole.outputs())
    part = part.extendOutput(out.dim, out.size());
  return part;
}

// The number of the register in which a thread has what its first has, but for these offsets; nothing where that takes
// another thread or offsets that are not known.
std::optional<uint64_t> registerAt(ArrayRef<Value> offsets, const LinearLayout &whole) {
  layout::F2Vector first = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto constant = getConstantIntValue(offset);
    if (!constant || *constant < 0 || uint64_t(*constant) >= whole.outputSize(layout::tileDim(dim)))
      return std::nullopt;
    first |= whole.outputAt(layout::tileDim(dim), *constant);
  }
  return layout::F2Matrix(whole.outputBits(), whole.basisOf(Dim::Register)).solve(first);
}

struct CatPattern : TilePattern<tileaa::CatOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::CatOp cat, Adaptor adaptor, ThreadBuilder &thread) const override {
    const LinearLayout &half = tileas::layoutOf(cat.getLhs());
    LinearLayout both = half * LinearLayout::identity(2, Dim::Register, layout::tileDim(cat.getDim()));
    if (tileas::layoutOf(cat.getRhs()) != half)
      return disagree(cat, thread);
    SmallVector<Value> registers(adaptor.getLhs());
    llvm::append_range(registers, adaptor.getRhs());
    auto picked = pickRegisters(registers, both, tileas::layoutOf(cat.getResult()));
    return picked ? thread.replace(cat, *picked) : disagree(cat, thread);
  }
};

struct ExtractPattern : TilePattern<tileaa::ExtractOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ExtractOp extract, Adaptor adaptor, ThreadBuilder &thread) const override {
    const LinearLayout &source = tileas::layoutOf(extract.getSource());
    auto moved = registerAt(scalarsOf(adaptor.getOffsets()), source);
    if (!moved)
      return disagree(extract, thread);
    // Offsets are multiples of the part's extents, so what they add to an element they add to the register.
    ValueRange all = adaptor.getSource();
    SmallVector<Value> registers;
    for (uint64_t reg = 0; reg != all.size(); ++reg)
      registers.push_back(all[reg ^ *moved]);
    auto picked = pickRegisters(registers, source, asPartOf(tileas::layoutOf(extract.getResult()), source));
    return picked ? thread.replace(extract, *picked) : disagree(extract, thread);
  }
};

struct InsertPattern : TilePattern<tileaa::InsertOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::InsertOp insert, Adaptor adaptor, ThreadBuilder &thread) const override {
    const LinearLayout &whole = tileas::layoutOf(insert.getResult());
    auto part = cast<RankedTensorType>(insert.getSource().getType());
    if (insert.getDestination().getType() != insert.getType())
      return disagree(insert, thread);
    SmallVector<Value> offsets = scalarsOf(adaptor.getOffsets()), registers(adaptor.getDestination());
    if (tileas::layoutOfParts(whole, part.getShape()) == tileas::layoutOf(part)) {
      if (!insertRegisters(registers, adaptor.getSource(), part.getShape(), offsets, whole))
        return disagree(insert, thread);
    } else if (tileas::layoutOf(part) == tileas::repeatedOver(whole, part.getShape())) {
      selectRegisters(registers, adaptor.getSource(), part.getShape(), offsets, whole, thread);
    } else {
      return disagree(insert, thread);
    }
    return thread.replace(insert, registers);
  }

private:
  // Of a part whose place is the same registers of all threads: those of the whole that stay in the first part are the
  // part's, in order.
  static bool insertRegisters(MutableArrayRef<Value> registers, ValueRange source, ArrayRef<int64_t> shape,
                              ArrayRef<Value> offsets, const LinearLayout &whole) {
    auto moved = registerAt(offsets, whole);
    if (!moved)
      return false;
    SmallVector<unsigned> bits;
    for (unsigned bit = 0; bit != whole.inputBits(Dim::Register); ++bit) {
      bool stays = true;
      for (auto [dim, extent] : llvm::enumerate(shape))
        stays &= int64_t(whole.basis(Dim::Register, bit, layout::tileDim(dim))) < extent;
      if (stays)
        bits.push_back(bit);
    }
    for (auto [reg, value] : llvm::enumerate(source)) {
      uint64_t place = *moved;
      for (auto [bit, target] : llvm::enumerate(bits))
        place ^= (reg >> bit & 1) << target;
      registers[place] = value;
    }
    return true;
  }

  // Of a part that each thread holds wherever it may go: by its coordinates a register is inside or not.
  static void selectRegisters(MutableArrayRef<Value> registers, ValueRange source, ArrayRef<int64_t> shape,
                              ArrayRef<Value> offsets, const LinearLayout &whole, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    for (auto [reg, value] : llvm::enumerate(source)) {
      Value inside;
      for (auto [dim, extent] : llvm::enumerate(shape)) {
        if (extent == int64_t(whole.outputSize(layout::tileDim(dim))))
          continue;
        Value place = thread.coordinate(whole, dim, reg);
        Value begin = b.createOrFold<arith::AndIOp>(thread.loc, place, thread.i32(~(extent - 1)));
        Value offset = b.createOrFold<arith::IndexCastOp>(thread.loc, b.getI32Type(), offsets[dim]);
        inside =
            thread.both(inside, b.createOrFold<arith::CmpIOp>(thread.loc, arith::CmpIPredicate::eq, begin, offset));
      }
      registers[reg] =
          inside ? b.createOrFold<arith::SelectOp>(thread.loc, inside, value, registers[reg]) : Value(value);
    }
  }
};

} // namespace

void tilewright::populateSlicePatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<CatPattern, ExtractPattern, InsertPattern>(kernel);
}
