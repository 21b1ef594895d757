// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"
#include "lower/tileas_to_nvvm/memory/ShiftedLoad.h"
#include "lower/tileas_to_nvvm/memory/ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct MakeViewPattern : TilePattern<tileaa::MakeViewOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::MakeViewOp make, Adaptor adaptor, ThreadBuilder &thread) const override {
    SmallVector<Value> parts(adaptor.getBase());
    llvm::append_range(parts, scalarsOf(adaptor.getDynamicShape()));
    llvm::append_range(parts, scalarsOf(adaptor.getDynamicStrides()));
    return thread.replace(make, parts);
  }
};

struct ViewBasePattern : TilePattern<tileaa::ViewBaseOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ViewBaseOp base, Adaptor adaptor, ThreadBuilder &thread) const override {
    return thread.replace(base, adaptor.getView()[0]);
  }
};

// One of the extents or strides: known, or one of the dynamic parts of the view, behind `first` others.
Value numberOf(ArrayRef<int64_t> numbers, unsigned dim, ValueRange parts, int64_t first, ThreadBuilder &thread) {
  if (!ShapedType::isDynamic(numbers[dim]))
    return thread.constant(thread.builder.getIndexType(), numbers[dim]);
  return parts[first + llvm::count(numbers.take_front(dim), ShapedType::kDynamic)];
}

struct ViewDimPattern : TilePattern<tileaa::ViewDimOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ViewDimOp dim, Adaptor adaptor, ThreadBuilder &thread) const override {
    tileaa::ViewType type = dim.getView().getType();
    return thread.replace(dim, numberOf(type.getShape(), dim.getDim(), adaptor.getView(), 1, thread));
  }
};

struct ViewStridePattern : TilePattern<tileaa::ViewStrideOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::ViewStrideOp stride, Adaptor adaptor, ThreadBuilder &thread) const override {
    tileaa::ViewType type = stride.getView().getType();
    return thread.replace(
        stride, numberOf(type.getStrides(), stride.getDim(), adaptor.getView(), 1 + type.getNumDynamicDims(), thread));
  }
};

struct LoadViewPattern : TilePattern<tileaa::LoadViewOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::LoadViewOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
    ViewAccess access({load.getView().getType(), adaptor.getView(), scalarsOf(adaptor.getOffsets()), load.getDimMap(),
                       load.getInbounds(), type, /*isLoad=*/true},
                      thread);
    access.remark(load);
    Value padding;
    if (auto outside = load.getPadding(); outside && *outside != tileaa::Padding::Zero)
      padding = arith::ConstantOp::create(thread.builder, thread.loc,
                                          tileaa::paddingOf(*outside, load.getFormat().value_or(element)));
    if (access.isShifted())
      return thread.replace(load, loadShifted(load, access, padding, thread));
    SmallVector<Value> registers(registerCount(type));
    tileaa::CachePolicy cache = load.getCache();
    for (unsigned start : access.starts()) {
      Value inside = access.isInside(start);
      SmallVector<Value> loaded =
          loadGlobal(access.pointer(start), element, access.width(), access.alignment(), inside, thread, cache);
      for (auto [reg, value] : llvm::zip_equal(access.registersFrom(start), loaded))
        registers[reg] = inside && padding
                             ? arith::SelectOp::create(thread.builder, thread.loc, inside, value, padding).getResult()
                             : value;
    }
    return thread.replace(load, registers);
  }

private:
  // All is loaded here, and shifted before its first use: threads would wait for it here.
  static SmallVector<Value> loadShifted(tileaa::LoadViewOp load, ViewAccess &access, Value padding,
                                        ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
    struct Started {
      Value inside, count;
      ShiftedLoad load;
    };
    SmallVector<Started> all;
    for (unsigned start : access.starts()) {
      Value inside = access.isInside(start), count = access.countInside(start);
      all.push_back(
          {inside, count, ShiftedLoad(access.address(start), element, inside, count, load.getCache(), thread)});
    }
    OpBuilder::InsertionGuard guard(b);
    Operation *first = load->getBlock()->getTerminator();
    for (Operation *user : load.getTile().getUsers())
      if (Operation *inBlock = load->getBlock()->findAncestorOpInBlock(*user); inBlock->isBeforeInBlock(first))
        first = inBlock;
    b.setInsertionPoint(first);
    SmallVector<Value> registers(registerCount(type));
    for (auto [start, one] : llvm::zip_equal(access.starts(), all))
      for (auto [index, reg, value] : llvm::enumerate(access.registersFrom(start), one.load.getAll(thread))) {
        Value inside = one.inside;
        if (padding && one.count)
          inside = thread.both(
              inside, arith::CmpIOp::create(b, thread.loc, arith::CmpIPredicate::slt, thread.i32(index), one.count));
        registers[reg] =
            padding && inside ? arith::SelectOp::create(b, thread.loc, inside, value, padding).getResult() : value;
      }
    return registers;
  }
};

struct StoreViewPattern : TilePattern<tileaa::StoreViewOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::StoreViewOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    Type type = store.getTile().getType();
    ViewAccess access({store.getView().getType(), adaptor.getView(), scalarsOf(adaptor.getOffsets()), store.getDimMap(),
                       store.getInbounds(), type, /*isLoad=*/false},
                      thread);
    access.remark(store);
    ValueRange registers = adaptor.getTile();
    auto tile = dyn_cast<RankedTensorType>(type);
    Value original = thread.isOriginal(type);
    uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(layout::Dim::Register) : 0;
    for (unsigned start : access.starts()) {
      if (start & copies)
        continue;
      SmallVector<Value> values;
      for (unsigned reg : access.registersFrom(start))
        values.push_back(registers[reg]);
      Value inside = access.isInside(start);
      if (original)
        inside = inside ? arith::AndIOp::create(thread.builder, thread.loc, inside, original).getResult() : original;
      storeGlobal(values, access.pointer(start), access.alignment(), inside, thread, store.getCache());
    }
    return thread.replace(store);
  }
};

} // namespace

void tilewright::populateViewPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<MakeViewPattern, ViewBasePattern, ViewDimPattern, ViewStridePattern, LoadViewPattern, StoreViewPattern>(
      kernel);
}
