// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer contiguous along one dimension and another along a second: transposing blocks in registers beats any order
// of single elements.
#include "cpu/loops/TransposeParts.h"
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

constexpr int64_t partBytes = 16, lineBytes = 64;

// The loop runs over blocks of lanes x depth elements, both cache lines where everything has elements of one size. A
// block is made in groups: [group][lanes] of it are in registers at a time.
//
// Example with f32: lanes = depth = 16, group = 4. A group reads 4 elements of each of 16 lines and writes 4 lines.
class SquareBlocks {
public:
  explicit SquareBlocks(const LoopNest &nest) : nest(nest) {}

  // Whether the loop is one for blocks; then its lanes and the dimension across them are chosen.
  bool choose() {
    if (nest.reductionDim != LoopNest::none || nest.laneDim == LoopNest::none || nest.op.getNumDpsInits() != 1 ||
        nest.hasEdges())
      return false;
    for (Operation &inner : *nest.body)
      if (isa<PtrLoadOp, PtrStoreOp, linalg::IndexOp>(inner))
        return false;
    nest.laneDim = LoopNest::none;
    for (int64_t dim = 0; dim < (int64_t)nest.sizes.size(); ++dim)
      if (nest.sizes[dim] > 1 && nest.outAccess(0).strideAlong(dim) == 1)
        nest.laneDim = dim;
    if (nest.laneDim == LoopNest::none || nest.sizes[nest.laneDim] % shortest != 0)
      return false;
    for (const LoopAccess &access : read()) {
      int64_t along = access.strideAlong(nest.laneDim);
      if (along == 0 || along == 1)
        continue;
      for (int64_t dim = 0; dim < (int64_t)nest.sizes.size(); ++dim)
        if (dim != nest.laneDim && nest.sizes[dim] % shortest == 0 && access.strideAlong(dim) == 1)
          crossDim = dim;
    }
    if (crossDim == LoopNest::none)
      return false;
    chooseExtents();
    return true;
  }

  void emit() {
    OpBuilder builder(nest.op);
    if (nest.op->hasAttr(streamAttr))
      findLines(builder);
    nest.indices.assign(nest.sizes.size(), Value());
    SmallVector<int64_t> outer;
    for (int64_t dim = 0; dim < (int64_t)nest.sizes.size(); ++dim)
      if (dim != nest.laneDim && dim != crossDim)
        outer.push_back(dim);
    nest.nest(builder, outer, [&](OpBuilder &inner) { hasLongLines() ? overShiftedBlocks(inner) : overBlocks(inner); });
    nest.op.erase();
  }

private:
  static constexpr int64_t shortest = 16;

  // A loop along a dimension, whose index is the current one inside.
  void loop(OpBuilder &builder, int64_t dim, Value first, Value end, int64_t step,
            llvm::function_ref<void(OpBuilder &)> inner) {
    auto loop = scf::ForOp::create(builder, nest.loc, first, end, nest.index(builder, step));
    OpBuilder nested(loop.getBody()->getTerminator());
    nest.indices[dim] = loop.getInductionVar();
    inner(nested);
  }

  // Of lines of the result that all begin equally far from a cache line, the strides are multiples of one.
  void findLines(OpBuilder &builder) {
    Location loc = nest.loc;
    const LoopAccess &out = nest.outAccess(0);
    auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, out.buffer);
    Value zero = nest.index(builder, 0), size = nest.index(builder, bytesOf(out)), strides = zero;
    Value inLine = nest.index(builder, lineBytes - 1);
    for (auto [dim, stride] : llvm::enumerate(parts.getStrides()))
      if (staticStride(out.type(), dim) != 1)
        strides = arith::OrIOp::create(builder, loc, strides, stride);
    Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, out.buffer);
    Value bytes = arith::AndIOp::create(builder, loc, arith::SubIOp::create(builder, loc, zero, start), inLine);
    before = arith::DivUIOp::create(builder, loc, bytes, size);
    Value bits = arith::AndIOp::create(builder, loc, arith::MulIOp::create(builder, loc, strides, size), inLine);
    isRegular = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits, zero);
  }

  Value isRegularAnd(OpBuilder &builder, Value number, Value expected) {
    Value holds = arith::CmpIOp::create(builder, nest.loc, arith::CmpIPredicate::eq, number, expected);
    return arith::AndIOp::create(builder, nest.loc, holds, isRegular);
  }

  // Past the cache only by whole lines.
  void overBlocks(OpBuilder &builder) {
    Value zero = nest.index(builder, 0);
    if (canStream())
      pastCache = isRegularAnd(builder, before, zero);
    loop(builder, crossDim, zero, nest.index(builder, nest.sizes[crossDim]), depth, [&](OpBuilder &cross) {
      loop(cross, nest.laneDim, zero, nest.index(cross, nest.sizes[nest.laneDim]), nest.lanes,
           [&](OpBuilder &lane) { emitBlock(lane); });
    });
  }

  void emitBlock(OpBuilder &builder) {
    fetch(builder);
    Value cross = nest.indices[crossDim];
    for (int64_t row = 0; row < depth; row += group) {
      nest.indices[crossDim] = shifted(builder, cross, row);
      emitGroup(builder);
    }
    nest.indices[crossDim] = cross;
  }

  // Blocks begin at lines of the result, and follow each other along the lines of what they read. Parts of lines before
  // the first one and behind the last are stored in the cache; all is where not even such parts begin at a multiple of
  // their length.
  void overShiftedBlocks(OpBuilder &builder) {
    int64_t part = partOf(nest.outAccess(0));
    auto constant = [&](int64_t value) { return nest.index(builder, value); };
    Value zero = constant(0), all = constant(nest.sizes[nest.laneDim]), allCross = constant(nest.sizes[crossDim]);
    Value rest = arith::AndIOp::create(builder, nest.loc, before, constant(part - 1));
    pastCache = isRegularAnd(builder, rest, zero);
    Value first = arith::SelectOp::create(builder, nest.loc, pastCache, before, zero);
    Value length = arith::SubIOp::create(builder, nest.loc, all, first);
    length = arith::AndIOp::create(builder, nest.loc, length, constant(-nest.lanes));
    Value end = arith::AddIOp::create(builder, nest.loc, first, length);
    loop(builder, nest.laneDim, first, end, nest.lanes, [&](OpBuilder &lane) {
      loop(lane, crossDim, zero, allCross, depth, [&](OpBuilder &cross) { emitBlock(cross); });
    });
    // The body is long: one for both ends.
    llvm::SaveAndRestore<int64_t> narrow(nest.lanes, part);
    auto ends = scf::ForOp::create(builder, nest.loc, zero, constant(2), constant(1));
    OpBuilder side(ends.getBody()->getTerminator());
    Value isFirst = arith::CmpIOp::create(side, nest.loc, arith::CmpIPredicate::eq, ends.getInductionVar(), zero);
    Value from = arith::SelectOp::create(side, nest.loc, isFirst, zero, end);
    Value to = arith::SelectOp::create(side, nest.loc, isFirst, first, all);
    Value any = arith::CmpIOp::create(side, nest.loc, arith::CmpIPredicate::ne, from, to);
    OpBuilder then = scf::IfOp::create(side, nest.loc, TypeRange(), any, /*withElse=*/false).getThenBodyBuilder();
    loop(then, crossDim, zero, allCross, depth, [&](OpBuilder &cross) {
      fetchLines(cross, from);
      loop(cross, nest.laneDim, from, to, part, [&](OpBuilder &lane) { emitBlock(lane); });
    });
  }

  // Lines of the result that are stored in part are read first: as long ahead as memory takes.
  void fetchLines(OpBuilder &builder, Value lane) {
    constexpr int64_t rowsAhead = 64;
    const LoopAccess &out = nest.outAccess(0);
    nest.indices[nest.laneDim] = lane;
    for (int64_t row = 0; row < depth; ++row)
      memref::PrefetchOp::create(builder, nest.loc, out.buffer, at(builder, out, rowsAhead + row, 0), /*isWrite=*/true,
                                 /*localityHint=*/3, /*isDataCache=*/true);
  }

  // Whether blocks of the current lanes go past the cache.
  bool canStream() { return nest.op->hasAttr(streamAttr) && nest.lanes * bytesOf(nest.outAccess(0)) % lineBytes == 0; }

  // Where most lines of the result are whole wherever the first one begins. Of few, some at the ends are read for each
  // one that is written past the cache, and blocks go through the cache better.
  bool hasLongLines() {
    constexpr int64_t few = 16;
    return canStream() && nest.sizes[nest.laneDim] * bytesOf(nest.outAccess(0)) >= few * lineBytes;
  }

  // The buffers that the body reads.
  SmallVector<LoopAccess> read() {
    SmallVector<LoopAccess> result;
    for (int64_t i = 0; i < nest.op.getNumDpsInputs() - countFetched(nest.op); ++i)
      if (isa<MemRefType>(nest.accesses[i].buffer.getType()))
        result.push_back(nest.accesses[i]);
    return result;
  }

  static int64_t bytesOf(const LoopAccess &access) {
    return std::max<int64_t>(1, access.type().getElementTypeBitWidth() / 8);
  }

  bool isTransposed(const LoopAccess &access) const {
    int64_t along = access.strideAlong(nest.laneDim);
    return along != 0 && along != 1 && access.strideAlong(crossDim) == 1;
  }

  void chooseExtents() {
    int64_t bytes = bytesOf(nest.outAccess(0));
    bool oneSize = llvm::all_of(read(), [&](const LoopAccess &access) { return bytesOf(access) == bytes; });
    auto fit = [&](int64_t dim) {
      int64_t line = lineBytes / bytes;
      return oneSize && nest.sizes[dim] % line == 0 ? line : shortest;
    };
    nest.lanes = fit(nest.laneDim);
    depth = fit(crossDim);
    group = 1;
    for (const LoopAccess &access : read())
      if (isTransposed(access))
        group = std::max(group, partOf(access));
  }

  // Elements of a buffer that are loaded together.
  static int64_t partOf(const LoopAccess &access) { return std::max<int64_t>(2, partBytes / bytesOf(access)); }

  Value shifted(OpBuilder &builder, Value position, int64_t by) {
    return by == 0 ? position : arith::AddIOp::create(builder, nest.loc, position, nest.index(builder, by)).getResult();
  }

  SmallVector<Value> at(OpBuilder &builder, const LoopAccess &access, int64_t cross, int64_t lane) {
    SmallVector<Value> place(nest.indices);
    place[crossDim] = shifted(builder, nest.indices[crossDim], cross);
    place[nest.laneDim] = shifted(builder, nest.indices[nest.laneDim], lane);
    return access.indices(builder, nest.loc, place);
  }

  // Prefetches the part of the next tile block's operands that corresponds to this block.
  void fetch(OpBuilder &builder) {
    for (int64_t i = nest.op.getNumDpsInputs() - countFetched(nest.op); i < nest.op.getNumDpsInputs(); ++i) {
      const LoopAccess &access = nest.accesses[i];
      bool alongLane = access.strideAlong(nest.laneDim) == 1;
      if (!alongLane && access.strideAlong(crossDim) != 1)
        continue;
      int64_t perLine = lineBytes / bytesOf(access);
      int64_t crossStep = alongLane ? 1 : perLine, laneStep = alongLane ? perLine : 1;
      for (int64_t cross = 0; cross < depth; cross += crossStep)
        for (int64_t lane = 0; lane < nest.lanes; lane += laneStep)
          memref::PrefetchOp::create(builder, nest.loc, access.buffer, at(builder, access, cross, lane),
                                     /*isWrite=*/false,
                                     /*localityHint=*/2, /*isDataCache=*/true);
    }
  }

  void emitGroup(OpBuilder &builder) {
    IRMapping mapping;
    for (unsigned i = 0; i < nest.op.getNumDpsInputs() - countFetched(nest.op); ++i)
      mapping.map(nest.body->getArgument(i), loadGroup(builder, nest.accesses[i]));
    for (Operation &inner : nest.body->without_terminator())
      nest.cloneOp(builder, &inner, mapping, VectorType::get({group, nest.lanes}, builder.getI1Type()));
    Value yielded = nest.body->getTerminator()->getOperand(0);
    Value value = mapping.lookupOrNull(yielded);
    value = toGroup(builder, value ? value : yielded);
    const LoopAccess &out = nest.outAccess(0);
    auto storeLines = [&](OpBuilder &nested, bool pastCache) {
      for (int64_t row = 0; row < group; ++row) {
        Value line = vector::ExtractOp::create(nested, nest.loc, value, ArrayRef<int64_t>{row});
        auto store = vector::StoreOp::create(nested, nest.loc, line, out.buffer, at(nested, out, row, 0));
        if (pastCache) {
          store.setNontemporal(true);
          store.setAlignment(lineBytes);
        }
      }
    };
    if (!canStream())
      return storeLines(builder, false);
    auto choice = scf::IfOp::create(builder, nest.loc, TypeRange(), pastCache, /*withElseRegion=*/true);
    OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
    storeLines(then, true);
    storeLines(otherwise, false);
  }

  Value toGroup(OpBuilder &builder, Value value) {
    auto type = VectorType::get({group, nest.lanes}, getElementTypeOrSelf(value.getType()));
    return value.getType() == type ? value : vector::BroadcastOp::create(builder, nest.loc, type, value).getResult();
  }

  Value loadGroup(OpBuilder &builder, const LoopAccess &access) {
    if (!isa<MemRefType>(access.buffer.getType()))
      return toGroup(builder, access.buffer);
    bool alongLane = access.dependsOn(nest.laneDim), alongCross = access.dependsOn(crossDim);
    if (!alongLane && !alongCross)
      return toGroup(builder, loadElement(builder, access, 0, 0));
    if (!alongCross)
      return toGroup(builder, loadLine(builder, access, 0));
    if (isTransposed(access))
      return loadTransposed(builder, access);
    auto line = VectorType::get({nest.lanes}, access.type().getElementType());
    Value result =
        ub::PoisonOp::create(builder, nest.loc, VectorType::get({group, nest.lanes}, access.type().getElementType()));
    for (int64_t row = 0; row < group; ++row) {
      Value values = alongLane
                         ? loadLine(builder, access, row)
                         : vector::BroadcastOp::create(builder, nest.loc, line, loadElement(builder, access, row, 0));
      result = vector::InsertOp::create(builder, nest.loc, values, result, ArrayRef<int64_t>{row});
    }
    return result;
  }

  Value loadElement(OpBuilder &builder, const LoopAccess &access, int64_t cross, int64_t lane) {
    return memref::LoadOp::create(builder, nest.loc, access.buffer, at(builder, access, cross, lane));
  }

  Value loadLine(OpBuilder &builder, const LoopAccess &access, int64_t cross) {
    auto line = VectorType::get({nest.lanes}, access.type().getElementType());
    if (access.strideAlong(nest.laneDim) == 1)
      return vector::LoadOp::create(builder, nest.loc, line, access.buffer, at(builder, access, cross, 0));
    SmallVector<Value> scalars;
    for (int64_t lane = 0; lane < nest.lanes; ++lane)
      scalars.push_back(loadElement(builder, access, cross, lane));
    return vector::FromElementsOp::create(builder, nest.loc, line, scalars);
  }

  Value loadTransposed(OpBuilder &builder, const LoopAccess &access) {
    int64_t n = partOf(access);
    Type element = access.type().getElementType();
    auto part = VectorType::get({n}, element);
    Value result = ub::PoisonOp::create(builder, nest.loc, VectorType::get({group, nest.lanes}, element));
    for (int64_t first = 0; first < group; first += n) {
      SmallVector<Value> lines;
      for (int64_t line = 0; line < nest.lanes; ++line)
        lines.push_back(
            vector::LoadOp::create(builder, nest.loc, part, access.buffer, at(builder, access, first, line)));
      for (auto [row, line] : llvm::enumerate(transposeParts(builder, nest.loc, lines)))
        result = vector::InsertOp::create(builder, nest.loc, line, result, ArrayRef<int64_t>{first + (int64_t)row});
    }
    return result;
  }

  LoopNest nest; // a copy, whose lanes are those of blocks
  int64_t crossDim = LoopNest::none;
  int64_t depth = 0; // of a block, along the dimension across lanes
  int64_t group = 0;
  Value before;    // elements of the result before its first cache line
  Value isRegular; // whether that holds for all lines of the tile
  Value pastCache; // whether blocks begin at lines of the result, which are written past the cache
};

} // namespace

bool cpu::emitSquareBlocks(const LoopNest &nest) {
  SquareBlocks blocks(nest);
  if (!blocks.choose())
    return false;
  blocks.emit();
  return true;
}
