// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/CombineTiles.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZESCAN
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::DimSize;
using layout::F2Vector;
using layout::LinearLayout;

namespace {

// How many bits of the warp's number are the highest bits of the dimension, if
// all others of it are in a warp.
std::optional<unsigned> warpsOnTop(const LinearLayout &layout, unsigned axis) {
  Dim along = layout::tileDim(axis);
  unsigned shared = 0, bits = layout.outputBits(along);
  for (unsigned bit = 0; bit != layout.inputBits(Dim::Warp); ++bit)
    shared += layout.basis(Dim::Warp, bit, along) != 0;
  if (shared == 0 || shared == bits)
    return std::nullopt;
  // Without these bits the rest is whole.
  SmallVector<int64_t> split = layout.shape();
  split[axis] >>= shared;
  split.insert(split.begin() + axis, int64_t(1) << shared);
  if (!tileas::placesAlong(layout.reshape(split), axis + 1))
    return std::nullopt;
  return shared;
}

// All lines of the dimension within warps: lanes and warps go along other
// dimensions as far as these suffice, then lanes along this one.
LinearLayout withinWarps(const LinearLayout &layout, unsigned axis) {
  SmallVector<F2Vector> along, others;
  for (DimSize out : llvm::reverse(layout.outputs()))
    for (unsigned bit = 0; bit != out.bits; ++bit)
      (out.dim == layout::tileDim(axis) ? along : others).push_back(layout.outputAt(out.dim, uint64_t(1) << bit));
  SmallVector<F2Vector> lanes, warps, registers;
  auto take = [](SmallVector<F2Vector> &from, SmallVector<F2Vector> &to, size_t count, bool highest) {
    while (to.size() < count && !from.empty()) {
      to.push_back(highest ? from.back() : from.front());
      from.erase(highest ? from.end() - 1 : from.begin());
    }
  };
  take(others, lanes, 5, false);
  SmallVector<F2Vector> high;
  take(along, high, 5 - lanes.size(), true);
  lanes.append(high.rbegin(), high.rend());
  lanes.resize(5, 0);
  take(others, warps, layout.inputBits(Dim::Warp), false);
  warps.resize(layout.inputBits(Dim::Warp), 0);
  registers.append(along);
  registers.append(others);
  SmallVector<DimSize> inputs{
      {Dim::Register, unsigned(registers.size())}, {Dim::Lane, 5}, {Dim::Warp, unsigned(warps.size())}};
  SmallVector<F2Vector> bases(registers);
  bases.append(lanes);
  bases.append(warps);
  return LinearLayout(inputs, layout.outputs(), bases);
}

bool worksOnTiles(Block &body) {
  return llvm::all_of(body.without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp>(op) || (op.hasTrait<OpTrait::Elementwise>() && op.getNumRegions() == 0);
  });
}

// The totals of warps are reduced in any order: each result is a commutative operation of its own two arguments.
bool isCommutative(Block &body) {
  ValueRange results = body.getTerminator()->getOperands();
  for (auto [index, result] : llvm::enumerate(results)) {
    Operation *op = result.getDefiningOp();
    Value a = body.getArgument(2 * index), b = body.getArgument(2 * index + 1);
    if (!op || !op->hasTrait<OpTrait::IsCommutative>() || op->getNumOperands() != 2 ||
        !llvm::is_contained(op->getOperands(), a) || !llvm::is_contained(op->getOperands(), b))
      return false;
  }
  return true;
}

class ScanByPieces {
public:
  ScanByPieces(tileaa::ScanOp scan, unsigned warpBits)
      : scan(scan), builder(scan), loc(scan.getLoc()), axis(scan.getDim()), warps(int64_t(1) << warpBits) {}

  void run() {
    SmallVector<int64_t> shape = llvm::to_vector(tileas::layoutOf(scan.getSources()[0]).shape()), split = shape;
    split[axis] /= warps;
    split.insert(split.begin() + axis, warps);
    SmallVector<Value> pieces;
    for (Value source : scan.getSources())
      pieces.push_back(reshape(source, split));
    SmallVector<Value> scanned = scanAgain(pieces, axis + 1, tileaa::ScanKind::Partial);
    SmallVector<Value> totals = reduce(pieces, axis + 1), before = totals;
    for (Value &value : before)
      value = convert(value, inRegisters(tileas::layoutOf(value)));
    before = scanAgain(before, axis, tileaa::ScanKind::Exclusive);
    for (auto [value, total, piece] : llvm::zip_equal(before, totals, scanned)) {
      value = convert(value, tileas::layoutOf(total));
      SmallVector<int64_t> one = split;
      one[axis + 1] = 1;
      value = reshape(value, one);
      value = tileaa::BroadcastOp::create(builder, loc, piece.getType(), value);
    }
    for (auto [old, now] : llvm::zip_equal(scan.getResults(), combine(before, scanned))) {
      Value whole = reshape(now, shape);
      old.replaceAllUsesWith(convert(whole, tileas::layoutOf(old)));
    }
    scan.erase();
  }

private:
  Value reshape(Value tile, ArrayRef<int64_t> shape) {
    Type type = tileas::typeWith(getElementTypeOrSelf(tile.getType()), tileas::layoutOf(tile).reshape(shape));
    return tileaa::ReshapeOp::create(builder, loc, type, tile);
  }
  Value convert(Value tile, const LinearLayout &layout) {
    if (tileas::layoutOf(tile) == layout)
      return tile;
    Type type = tileas::typeWith(getElementTypeOrSelf(tile.getType()), layout);
    return tileas::ConvertLayoutOp::create(builder, loc, type, tile);
  }
  // Each thread gets the totals of all warps.
  LinearLayout inRegisters(const LinearLayout &totals) {
    LinearLayout rows = totals.slice(axis).expand(axis).withoutFreeRegisters();
    return rows * LinearLayout::identity(warps, Dim::Register, layout::tileDim(axis));
  }
  // The identity comes with what was before.
  SmallVector<Value> scanAgain(ArrayRef<Value> sources, unsigned dim, tileaa::ScanKind kind) {
    auto again = tileaa::ScanOp::create(builder, loc, ValueRange(sources).getTypes(), sources, scan.getIdentities(),
                                        dim, scan.getReverse(), kind);
    IRMapping mapping;
    scan.getBody().cloneInto(&again.getBody(), mapping);
    return SmallVector<Value>(again.getResults());
  }
  SmallVector<Value> reduce(ArrayRef<Value> sources, unsigned dim) {
    SmallVector<Type> types;
    for (Value source : sources)
      types.push_back(tileas::typeWith(getElementTypeOrSelf(source.getType()),
                                       tileas::layoutOf(source).slice(dim).withoutFreeRegisters()));
    auto reduced = tileaa::ReduceOp::create(builder, loc, types, sources, scan.getIdentities(), dim);
    IRMapping mapping;
    scan.getBody().cloneInto(&reduced.getBody(), mapping);
    return SmallVector<Value>(reduced.getResults());
  }

  SmallVector<Value> combine(ArrayRef<Value> before, ArrayRef<Value> values) {
    return tileaa::combineTiles(scan.getBody().front(), before, values, builder, loc);
  }

  tileaa::ScanOp scan;
  OpBuilder builder;
  Location loc;
  unsigned axis;
  int64_t warps;
};

void bringIntoWarps(tileaa::ScanOp scan) {
  OpBuilder builder(scan);
  LinearLayout layout = withinWarps(tileas::layoutOf(scan.getSources()[0]), scan.getDim());
  for (OpOperand &source : scan.getSourcesMutable()) {
    Type type = tileas::typeWith(getElementTypeOrSelf(source.get().getType()), layout);
    source.set(tileas::ConvertLayoutOp::create(builder, scan.getLoc(), type, source.get()));
  }
  builder.setInsertionPointAfter(scan);
  for (Value result : scan.getResults()) {
    Type old = result.getType();
    result.setType(tileas::typeWith(getElementTypeOrSelf(old), layout));
    auto back = tileas::ConvertLayoutOp::create(builder, scan.getLoc(), old, result);
    result.replaceAllUsesExcept(back, back);
  }
}

class LegalizeScan : public tilewright::impl::TileasLegalizeScanBase<LegalizeScan> {
  void runOnOperation() override {
    SmallVector<tileaa::ScanOp> scans;
    getOperation().walk([&](tileaa::ScanOp scan) {
      if (!tileas::placesAlong(tileas::layoutOf(scan.getSources()[0]), scan.getDim()))
        scans.push_back(scan);
    });
    for (tileaa::ScanOp scan : scans) {
      auto warpBits = warpsOnTop(tileas::layoutOf(scan.getSources()[0]), scan.getDim());
      if (warpBits && worksOnTiles(scan.getBody().front()) && isCommutative(scan.getBody().front()))
        ScanByPieces(scan, *warpBits).run();
      else
        bringIntoWarps(scan);
    }
  }
};

} // namespace
