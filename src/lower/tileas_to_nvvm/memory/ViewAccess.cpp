// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "tileaa/analysis/Divisor.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;

namespace {

Value toI64(ThreadBuilder &thread, Value value) {
  Type i64 = thread.builder.getI64Type();
  if (value.getType().isIndex())
    return thread.builder.createOrFold<arith::IndexCastOp>(thread.loc, i64, value);
  if (value.getType() == i64)
    return value;
  return thread.builder.createOrFold<arith::ExtUIOp>(thread.loc, i64, value);
}

Value conjunction(ThreadBuilder &thread, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return thread.builder.createOrFold<arith::AndIOp>(thread.loc, a, b);
}

} // namespace

Value ViewAccess::dynamicDim(unsigned viewDim) const {
  ArrayRef<int64_t> shape = type.getShape();
  return box.parts[1 + llvm::count(shape.take_front(viewDim), ShapedType::kDynamic)];
}
Value ViewAccess::dynamicStride(unsigned viewDim) const {
  ArrayRef<int64_t> strides = type.getStrides();
  return box.parts[1 + type.getNumDynamicDims() + llvm::count(strides.take_front(viewDim), ShapedType::kDynamic)];
}

Value ViewAccess::extent(unsigned viewDim) {
  int64_t known = type.getShape()[viewDim];
  return ShapedType::isDynamic(known) ? toI64(thread, dynamicDim(viewDim)) : thread.i64(known);
}
Value ViewAccess::stride(unsigned viewDim) {
  int64_t known = type.getStrides()[viewDim];
  return ShapedType::isDynamic(known) ? toI64(thread, dynamicStride(viewDim)) : thread.i64(known);
}

int64_t ViewAccess::extentDivisor(unsigned viewDim) const {
  int64_t known = type.getShape()[viewDim];
  return ShapedType::isDynamic(known) ? tileaa::knownDivisor(dynamicDim(viewDim)) : known & -known;
}
int64_t ViewAccess::strideDivisor(unsigned viewDim) const {
  int64_t known = type.getStrides()[viewDim];
  return ShapedType::isDynamic(known) ? tileaa::knownDivisor(dynamicStride(viewDim)) : known & -known;
}

// As many elements as lie one after another, are aligned and are inside the view all or none.
void ViewAccess::chooseVector() {
  layout::TileMemory memory;
  memory.elementBits = bytes * 8;
  memory.alignment = std::min<int64_t>(tileaa::knownDivisor(box.parts[0]), 16);
  auto shape = layout->shape();
  for (TileDim &dim : dims) {
    int64_t divisor = strideDivisor(dim.viewDim);
    memory.dims.push_back({dim.knownStride, std::max<int64_t>(divisor, 1)});
  }
  // The corner of the box, along every dimension of the view.
  for (auto [viewDim, offset] : llvm::enumerate(box.offsets)) {
    int64_t step = tileaa::knownDivisor(offset) * std::min<int64_t>(strideDivisor(viewDim), 1 << 20) * bytes;
    if (step)
      memory.alignment = std::min(memory.alignment, step & -step);
  }
  contiguous = memory.contiguousDim();
  if (!contiguous)
    return;
  TileDim &dim = dims[*contiguous];
  int64_t whole = dim.checked ? std::min(extentDivisor(dim.viewDim) ? extentDivisor(dim.viewDim) : int64_t(1) << 20,
                                         tileaa::knownDivisor(box.offsets[dim.viewDim]))
                              : shape[*contiguous];
  for (unsigned bit : layout::vectorRegisters(*layout, memory)) {
    if (width() * 2 * bytes > 16 || width() * 2 > whole)
      break;
    vector.masks.push_back(1u << bit);
  }
  // A vector that begins at a multiple of its width has its first element inside where any is.
  int64_t perVector = 16 / std::min<int64_t>(bytes, 16);
  if (!box.isLoad || tileaa::knownDivisor(box.offsets[dim.viewDim]) % perVector != 0)
    return;
  SmallVector<unsigned> shifted = layout::shiftedRegisters(*layout, memory, width());
  shifts = !shifted.empty();
  if (shifts)
    vector.masks.clear();
  for (unsigned bit : shifted)
    vector.masks.push_back(1u << bit);
}

ViewAccess::ViewAccess(const ViewBox &box, ThreadBuilder &thread) : thread(thread), box(box), type(box.view) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  bytes = bytesOf(type.getElementType());
  if (auto tile = dyn_cast<RankedTensorType>(box.tile))
    layout = &tileas::layoutOf(tile);
  base = box.parts[0];
  auto shape = layout ? layout->shape() : SmallVector<int64_t>();
  auto isChecked = [&](unsigned viewDim) { return !box.inbounds || !(*box.inbounds)[viewDim]; };

  Value elements; // from the base to the thread's place
  auto add = [&](Value count, unsigned viewDim) {
    Value step = b.createOrFold<arith::MulIOp>(loc, count, stride(viewDim));
    elements = elements ? b.createOrFold<arith::AddIOp>(loc, elements, step) : step;
  };
  SmallVector<bool> mapped(type.getRank());
  for (auto [dim, viewDim] : llvm::enumerate(box.dimMap)) {
    mapped[viewDim] = true;
    TileDim &info = dims.emplace_back();
    info.viewDim = viewDim;
    int64_t known = type.getStrides()[viewDim];
    if (!ShapedType::isDynamic(known))
      info.knownStride = known;
    info.stride = b.createOrFold<arith::MulIOp>(loc, stride(viewDim), thread.i64(bytes));
    info.corner = toI64(thread, box.offsets[viewDim]);
    info.thread = thread.threadPart(*layout, layout::tileDim(dim));
    uint64_t threads = 0, registers = 0;
    for (layout::DimSize in : layout->inputs())
      for (layout::F2Vector basis : layout->basisOf(in.dim))
        (in.dim == Dim::Register ? registers : threads) |= layout->coordinate(basis, layout::tileDim(dim));
    info.split = (threads & registers) == 0;
    info.checked = isChecked(viewDim);
    Value position = info.corner;
    if (info.split)
      position = b.createOrFold<arith::AddIOp>(loc, position, toI64(thread, info.thread));
    add(position, viewDim);
  }
  for (auto [viewDim, offset] : llvm::enumerate(box.offsets)) {
    if (mapped[viewDim])
      continue;
    Value position = toI64(thread, offset);
    add(position, viewDim);
    if (isChecked(viewDim))
      always = conjunction(thread, always,
                           b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, position, extent(viewDim)));
  }
  if (elements)
    base = b.createOrFold<arith::AddIOp>(loc, base, b.createOrFold<arith::MulIOp>(loc, elements, thread.i64(bytes)));
  if (layout)
    chooseVector();
  for (auto [dim, info] : llvm::enumerate(dims))
    if (info.checked)
      chooseCheck(info, shape[dim]);
}

// A box that begins at a multiple of its extent is never cut on the left, so that the thread's coordinate is below what
// is left of the view: one comparison of 32 bits for each access, for which that has to be computed. A few accesses
// compare positions in the view instead, and a box of extent 1 has but one: SwiGLU bf16 by tiles of 1x1024 takes 179 us
// instead of 186 on an H200. Large tiles leave no registers for that: LayerNorm of rows of 8192 had 40 bytes spilled.
void ViewAccess::chooseCheck(TileDim &dim, int64_t size) {
  constexpr size_t fewAccesses = 4;
  constexpr int64_t fewRegisters = 16;
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value extent = this->extent(dim.viewDim);
  bool hasFew = starts().size() <= fewAccesses && layout->inputSize(Dim::Register) <= fewRegisters;
  if (size == 1 && hasFew) {
    dim.checked = false;
    always =
        conjunction(thread, always, b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, dim.corner, extent));
    return;
  }
  dim.wide = hasFew || tileaa::knownDivisor(box.offsets[dim.viewDim]) % size != 0;
  if (dim.wide) {
    dim.limit = extent;
    return;
  }
  Value rest = b.createOrFold<arith::SubIOp>(loc, extent, dim.corner);
  rest = b.createOrFold<arith::MinSIOp>(loc, rest, thread.i64(size));
  // Nothing is left of a box that begins outside, on either side: unsigned, a negative corner is far outside.
  Value begins = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, dim.corner, extent);
  rest = b.createOrFold<arith::SelectOp>(loc, begins, rest, thread.i64(0));
  dim.limit = b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), rest);
}

SmallVector<unsigned> ViewAccess::starts() const {
  return vector.starts(layout ? layout->inputSize(Dim::Register) : 1);
}

uint64_t ViewAccess::registerPart(unsigned dim, unsigned reg) const {
  return layout->coordinate(layout->applyFlat({{Dim::Register, reg}}), layout::tileDim(dim));
}

Value ViewAccess::pointer(unsigned reg) {
  auto [address, known] = place(reg);
  Value pointer = thread.globalPointer(address);
  if (known)
    pointer = LLVM::GEPOp::create(thread.builder, thread.loc, pointer.getType(), thread.builder.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(known))});
  return pointer;
}

Value ViewAccess::address(unsigned reg) {
  auto [address, known] = place(reg);
  return thread.builder.createOrFold<arith::AddIOp>(thread.loc, address, thread.i64(known));
}

std::pair<Value, int64_t> ViewAccess::place(unsigned reg) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value address = base;
  int64_t known = 0;
  for (auto [dim, info] : llvm::enumerate(dims)) {
    uint64_t part = registerPart(dim, reg);
    if (!info.split) {
      Value coordinate = toI64(thread, thread.coordinate(*layout, dim, reg));
      address =
          b.createOrFold<arith::AddIOp>(loc, address, b.createOrFold<arith::MulIOp>(loc, coordinate, info.stride));
    } else if (info.knownStride) {
      known += part * *info.knownStride * bytes;
    } else if (part) {
      address = b.createOrFold<arith::AddIOp>(loc, address,
                                              b.createOrFold<arith::MulIOp>(loc, info.stride, thread.i64(part)));
    }
  }
  return {address, known};
}

Value ViewAccess::countInside(unsigned reg) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  const TileDim &dim = dims[*contiguous];
  if (!dim.checked)
    return {};
  Value position = thread.coordinate(*layout, *contiguous, reg);
  if (!dim.wide)
    return b.createOrFold<arith::SubIOp>(loc, dim.limit, position);
  position = b.createOrFold<arith::AddIOp>(loc, dim.corner, toI64(thread, position));
  Value rest = b.createOrFold<arith::SubIOp>(loc, dim.limit, position);
  rest = b.createOrFold<arith::MinSIOp>(loc, rest, thread.i64(width()));
  return b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), rest);
}

Value ViewAccess::isInside(unsigned reg) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value inside = always;
  for (auto [dim, info] : llvm::enumerate(dims)) {
    if (!info.checked)
      continue;
    Value position = thread.coordinate(*layout, dim, reg);
    if (info.wide)
      position = b.createOrFold<arith::AddIOp>(loc, info.corner, toI64(thread, position));
    inside = conjunction(thread, inside,
                         b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, position, info.limit));
  }
  return inside;
}

void ViewAccess::remark(Operation *op) const {
  StringRef what = op->getName().stripDialect().split('_').first; // load, store
  auto kernel = op->getParentOfType<func::FuncOp>();
  auto named = remark::RemarkOpts::name("TileAccess").category("Memory").function(kernel.getName());
  // A thread that has no more than one access has nothing to gain from a wider one.
  bool isWide = alignment() >= 16 || starts().size() == 1;
  auto said = isWide ? remark::passed(op->getLoc(), named) : remark::missed(op->getLoc(), named);
  if (!said)
    return;
  said << remark::add("{0} of {1} bytes by each thread, {2} times", what, alignment(), starts().size());
  if (!isWide)
    said << remark::reason("no more neighbours in memory are known to begin at a multiple of their size: strides and "
                           "extents say how far, by constants or assume div_by");
}
