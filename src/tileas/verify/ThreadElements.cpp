// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/verify/ThreadElements.h"

#include "layout/Distributed.h"
#include "layout/conversion/Conversion.h"
#include "layout/memory/SharedLayouts.h"
#include "tileas/ir/LayoutParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::DimSize;
using layout::F2Space;
using layout::F2Vector;
using layout::LinearLayout;
using layout::tileDim;

namespace {

F2Space spanOf(const LinearLayout &layout, Dim dim) {
  F2Space span;
  for (F2Vector basis : layout.basisOf(dim))
    span.insert(basis);
  return span;
}

// The vector of a bit, zero for one that the layout lacks.
F2Vector basisAt(const LinearLayout &layout, Dim dim, unsigned bit) {
  return bit < layout.inputBits(dim) ? layout.basisOf(dim)[bit] : 0;
}

Fault needsOtherThreads(bool legal) {
  return legal ? "" : "has a result whose layout needs elements of other threads";
}

} // namespace

// Layouts are linear: properties of the basis vectors hold for all registers.
bool tileas::picksFrom(const LinearLayout &source, const LinearLayout &result) {
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit != std::max(source.inputBits(dim), result.inputBits(dim)); ++bit)
      if (basisAt(source, dim, bit) != basisAt(result, dim, bit))
        return false;
  F2Space span = spanOf(source, Dim::Register);
  return llvm::all_of(result.basisOf(Dim::Register), [&](F2Vector basis) { return span.contains(basis); });
}

//===-- inside a thread ---------------------------------------------------===//

Fault tileas::faultOf(tileaa::BroadcastOp broadcast) {
  auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
  if (!source)
    return "";
  // The result as its elements are called in the source.
  LinearLayout result = layoutOf(broadcast.getResult());
  for (auto [dim, extent] : llvm::enumerate(source.getShape()))
    if (extent == 1 && result.outputBits(tileDim(dim)) != 0)
      result = result.slice(dim).expand(dim);
  return needsOtherThreads(picksFrom(layoutOf(source), result));
}

Fault tileas::faultOf(tileaa::ReshapeOp reshape) {
  auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(reshape.getResult().getType());
  return needsOtherThreads(!source || !result ||
                           picksFrom(layoutOf(source).reshape(result.getShape()), layoutOf(result)));
}

Fault tileas::faultOf(tileaa::PermuteOp permute) {
  SmallVector<unsigned> order(permute.getPermutation());
  return needsOtherThreads(picksFrom(layoutOf(permute.getSource()).permute(order), layoutOf(permute.getResult())));
}

Fault tileas::faultOf(SplitWarpsOp split) {
  return needsOtherThreads(
      picksFrom(splitWarps(layoutOf(split.getSource()), split.getDim()), layoutOf(split.getResult())));
}

Fault tileas::faultOf(tileaa::CatOp cat) {
  const LinearLayout &half = layoutOf(cat.getLhs());
  LinearLayout both = half * LinearLayout::identity(2, Dim::Register, tileDim(cat.getDim()));
  return needsOtherThreads(layoutOf(cat.getRhs()) == half && picksFrom(both, layoutOf(cat.getResult())));
}

// Whether the part of a tile at these offsets is in registers of every thread.
static bool isInRegisters(OperandRange offsets, const LinearLayout &whole) {
  F2Vector first = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto constant = getConstantIntValue(offset);
    if (!constant || *constant < 0 || uint64_t(*constant) >= whole.outputSize(tileDim(dim)))
      return false;
    first |= whole.outputAt(tileDim(dim), *constant);
  }
  return spanOf(whole, Dim::Register).contains(first);
}

Fault tileas::faultOf(tileaa::ExtractOp extract) {
  const LinearLayout &source = layoutOf(extract.getSource());
  LinearLayout part = layoutOf(extract.getResult());
  for (DimSize out : source.outputs())
    part = part.extendOutput(out.dim, out.size());
  return needsOtherThreads(isInRegisters(extract.getOffsets(), source) && picksFrom(source, part));
}

Fault tileas::faultOf(tileaa::InsertOp insert) {
  const LinearLayout &whole = layoutOf(insert.getResult());
  auto part = cast<RankedTensorType>(insert.getSource().getType());
  bool isSame = insert.getDestination().getType() == insert.getType();
  if (layoutOfParts(whole, part.getShape()) == layoutOf(part))
    return needsOtherThreads(isSame && isInRegisters(insert.getOffsets(), whole));
  return needsOtherThreads(isSame && layoutOf(part) == repeatedOver(whole, part.getShape()));
}

//===-- inside a warp -----------------------------------------------------===//

Fault tileas::faultOf(tileaa::ReduceOp reduce) {
  const LinearLayout &layout = layoutOf(reduce.getSources()[0]);
  Dim along = tileDim(reduce.getDim());
  LinearLayout sliced = layout.slice(reduce.getDim());
  for (Value source : reduce.getSources())
    if (layoutOf(source) != layout)
      return "reduces tiles of different layouts";
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Warp); ++bit)
    if (layout.basis(Dim::Warp, bit, along) != 0)
      return "combines elements of several warps";
  // Registers and lanes that differ along the dimension alone are combined; copies are not.
  F2Space combined;
  for (Dim dim : {Dim::Register, Dim::Lane}) {
    uint64_t copies = layout.redundantBits(dim);
    for (auto [bit, basis] : llvm::enumerate(layout.basisOf(dim))) {
      if (layout.coordinate(basis, along) == 0 || copies >> bit & 1)
        continue;
      if (sliced.basisOf(dim)[bit] == 0)
        combined.insert(basis);
      else if (dim == Dim::Lane)
        return "combines lanes that differ in more than the reduced dimension";
    }
  }
  if (combined.dimension() != layout.outputBits(along))
    return "combines not all elements along the reduced dimension";
  for (Value result : reduce.getResults())
    if (isa<RankedTensorType>(result.getType()) && !picksFrom(sliced, layoutOf(result)))
      return "has a result whose layout is not that of its source without the reduced dimension";
  return "";
}

Fault tileas::faultOf(tileaa::ScanOp scan) {
  auto places = placesAlong(layoutOf(scan.getSources()[0]), scan.getDim());
  if (!places)
    return "scans elements of which a warp does not hold all, bit by bit";
  bool hasLanes = llvm::any_of(*places, [](PlaceBit bit) { return bit.dim == Dim::Lane; });
  if (scan.getKind() == tileaa::ScanKind::Exclusive && hasLanes)
    return "is an exclusive scan of elements of several threads";
  for (Value tile : llvm::concat<Value>(scan.getSources(), scan.getResults()))
    if (layoutOf(tile) != layoutOf(scan.getSources()[0]))
      return "scans tiles of different layouts";
  return "";
}

Fault tileas::faultOf(ConvertLayoutOp convert) {
  layout::ConversionOptions options;
  options.sharedMemory = false;
  if (layout::chooseConversion(layoutOf(convert.getSource()), layoutOf(convert.getResult()), options))
    return "";
  return "moves elements between warps, expected buffers from tileas-materialize-convert-layout";
}

//===-- in memory ---------------------------------------------------------===//

Fault tileas::faultOf(ReadOp read) {
  ArrayRef<int64_t> shape = read.getBuffer().getType().getShape();
  bool isPart = !read.getOffsets().empty();
  if (isPart && read.getBuffer().getType().getLayout().getLayout() !=
                    layout::plainShared(shape, layout::rowMajorOrder(shape.size())))
    return "reads a part of a buffer that is not stored row by row";
  return "";
}

// PTX ISA 9.7.13.5; of bf16 LLVM makes a loop around a compare and swap before sm_90.
Fault tileas::faultOf(tileaa::AtomicRmwOp atomic) {
  using Kind = arith::AtomicRMWKind;
  Type element = getElementTypeOrSelf(atomic.getValue().getType());
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isWord = bits == 32 || bits == 64;
  Kind kind = atomic.getKind();
  bool exists;
  switch (kind) {
  case Kind::andi:
  case Kind::ori:
  case Kind::xori:
  case Kind::assign:
    exists = isWord;
    break;
  case Kind::addi:
  case Kind::maxs:
  case Kind::mins:
  case Kind::maxu:
  case Kind::minu:
    exists = isWord && isa<IntegerType>(element);
    break;
  default:
    exists = kind == Kind::addf && isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  }
  if (exists)
    return "";
  return ("combines elements of " + Twine(bits) + " bits by '" + arith::stringifyAtomicRMWKind(kind) +
          "', which no instruction does: expected a loop of tileaa.atomic_cas")
      .str();
}

//===-- rules -------------------------------------------------------------===//

void tileas::checkThreadElements(Verifier &verifier) {
  verifier.function.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tileaa::BroadcastOp, tileaa::ReshapeOp, tileaa::PermuteOp, SplitWarpsOp, tileaa::CatOp, tileaa::ExtractOp,
              tileaa::InsertOp>([&](auto op) { verifier.check(op, "in-thread", faultOf(op)); })
        .Case<tileaa::ReduceOp, tileaa::ScanOp, ConvertLayoutOp>(
            [&](auto op) { verifier.check(op, "in-warp", faultOf(op)); })
        .Case([&](ReadOp op) { verifier.check(op, "read-part", faultOf(op)); })
        .Case([&](tileaa::AtomicRmwOp op) { verifier.check(op, "atomic", faultOf(op)); });
  });
}
