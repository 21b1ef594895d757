// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Example, a product of matrices: blocks that follow each other along the grid share the right operand's column of
// tiles, and each would pack it again. Of
//
//   scf.for %k { pack %b[%k, %n] into %panels; cpu.mma %a, %panels into %acc }
//
// the panels of every %k stay in scratch, with the %n they belong to; the next block of the thread that has the same
// %n packs nothing.
#include "abi/Abi.h"
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/place/TileSource.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUKEEPTILES
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The state of a cached tile, in 64-bit words that are zero when a thread begins a launch: how many iterations are
// there; whether no block has used them again so far; the keys.
enum StateWord { Filled, Fresh, FirstKey };
constexpr int64_t stateWords = 8;
constexpr size_t maxKeys = stateWords - FirstKey;
constexpr size_t maxCandidates = TILEWRIGHT_SCRATCH_STATE_BYTES / (stateWords * 8);

// A buffer that `writer` fills in every iteration of `loop` from arrays alone.
struct Candidate {
  DestinationStyleOpInterface writer;
  scf::ForOp loop;
  memref::AllocOp buffer;
  TileSource source;
  int64_t steps; // iterations that lie side by side in it

  int64_t bytes() {
    MemRefType type = buffer.getType();
    return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  }
};

// `writer` alone writes to the buffer, and only the loop reads it.
bool isOf(Value buffer, Operation *writer, scf::ForOp loop) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!loop->isProperAncestor(user))
      return false;
    if (isa<memref::SubViewOp>(user))
      return isOf(user->getResult(0), writer, loop);
    auto work = dyn_cast<DestinationStyleOpInterface>(user);
    return work && (user == writer || !work.isDpsInit(&use));
  });
}

bool overwritesAll(Operation *op) {
  if (isa<PackWordsOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInits() == 1 && generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.getIndexingMapsArray().back().isPermutation() &&
         !generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0));
}

std::optional<Candidate> match(DestinationStyleOpInterface writer) {
  auto loop = dyn_cast<scf::ForOp>(writer->getParentOp());
  if (!loop || !overwritesAll(writer) || writer.getNumDpsInputs() != 1)
    return std::nullopt;
  Value place = writer.getDpsInits()[0];
  if (auto part = place.getDefiningOp<memref::SubViewOp>())
    place = part.getSource();
  auto buffer = place.getDefiningOp<memref::AllocOp>();
  if (!buffer || !isOf(buffer, writer, loop))
    return std::nullopt;
  std::optional<TileSource> source = TileSource::of(writer.getDpsInputs()[0], loop);
  if (!source || source->isWritten())
    return std::nullopt;
  bool ok = true;
  for (Region &region : writer->getRegions())
    region.walk([&](Operation *op) {
      // The memory it reads through addresses is not written, and it has no other effects.
      if (std::optional<AddressAccess> access = accessThroughAddress(op))
        ok &= !access->writes && !source->isWritten(access->arrays);
      for (Value operand : op->getOperands())
        if (!writer->isAncestor(operand.getParentBlock()->getParentOp()))
          ok &= source->add(operand);
    });
  if (!ok || source->getKeys().size() > maxKeys)
    return std::nullopt;
  auto steps = buffer->getAttrOfType<IntegerAttr>(stepsAttr);
  return Candidate{writer, loop, buffer, *source, steps ? steps.getInt() : 1};
}

class Keeper {
public:
  Keeper(Candidate &candidate, int64_t passes)
      : candidate(candidate), loop(candidate.loop), loc(candidate.buffer.getLoc()), passes(passes),
        bytesPerStep(candidate.bytes() / candidate.steps), before(loop),
        inLoop(OpBuilder::atBlockBegin(loop.getBody())) {}

  void run() {
    OpBuilder atEntry = OpBuilder::atBlockBegin(&loop->getParentOfType<func::FuncOp>().getBody().front());
    state = alloc(atEntry, {stateWords}, atEntry.getI64Type());
    MemRefType type = candidate.buffer.getType();
    SmallVector<int64_t> shape{passes + 1}; // the last is for what finds no room
    llvm::append_range(shape, type.getShape());
    room = alloc(atEntry, shape, type.getElementType());
    state.getDefiningOp()->setAttr(stateAttr, atEntry.getUnitAttr());
    room.getDefiningOp()->setAttr(keptAttr, atEntry.getUnitAttr());

    compareKeys();
    choosePlace();
    guardWriter();
    fetchKept();
  }

private:
  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value word(OpBuilder &builder, int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  Value load(int64_t at) { return memref::LoadOp::create(before, loc, state, ValueRange{index(before, at)}); }
  void store(OpBuilder &builder, Value value, int64_t at) {
    memref::StoreOp::create(builder, loc, value, state, ValueRange{index(builder, at)});
  }
  Value alloc(OpBuilder &builder, ArrayRef<int64_t> shape, Type element) {
    return memref::AllocOp::create(builder, loc, MemRefType::get(shape, element), builder.getI64IntegerAttr(64));
  }
  Value toWord(Value value) {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(before, loc, before.getI64Type(), value);
    if (value.getType().isInteger(64))
      return value;
    return arith::ExtUIOp::create(before, loc, before.getI64Type(), value);
  }

  // Keeping costs a place in the cache. So a thread stops when what it kept last was never used again, and begins
  // again when two blocks in turn have the same keys.
  void compareKeys() {
    Value same = arith::ConstantIntOp::create(before, loc, 1, 1);
    for (auto [i, key] : llvm::enumerate(candidate.source.getKeys())) {
      Value now = toWord(key);
      Value equal = arith::CmpIOp::create(before, loc, arith::CmpIPredicate::eq, load(FirstKey + i), now);
      same = arith::AndIOp::create(before, loc, same, equal);
      store(before, now, FirstKey + i);
    }
    Value zero = word(before, 0);
    Value wasted = arith::SelectOp::create(before, loc, same, zero, load(Fresh));
    Value filled = arith::SelectOp::create(before, loc, same, load(Filled), zero);
    store(before, filled, Filled);
    store(before, arith::SelectOp::create(before, loc, same, zero, word(before, 1)), Fresh);
    Value keeps = arith::CmpIOp::create(before, loc, arith::CmpIPredicate::eq, wasted, zero);
    limit = arith::SelectOp::create(before, loc, keeps, index(before, passes * candidate.steps), index(before, 0));
    known = arith::IndexCastOp::create(before, loc, before.getIndexType(), filled);
  }

  void choosePlace() {
    Value passed = arith::SubIOp::create(inLoop, loc, loop.getInductionVar(), loop.getLowerBound());
    iteration = arith::DivUIOp::create(inLoop, loc, passed, loop.getStep());
    if (!iteration.getType().isIndex())
      iteration = arith::IndexCastOp::create(inLoop, loc, inLoop.getIndexType(), iteration);
    hasRoom = arith::CmpIOp::create(inLoop, loc, arith::CmpIPredicate::ult, iteration, limit);
    Value pass = arith::DivUIOp::create(inLoop, loc, iteration, index(inLoop, candidate.steps));
    pass = arith::SelectOp::create(inLoop, loc, hasRoom, pass, index(inLoop, passes));
    auto type = cast<MemRefType>(room.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), inLoop.getIndexAttr(0)),
        strides(type.getRank(), inLoop.getIndexAttr(1)), sizes{inLoop.getIndexAttr(1)};
    for (int64_t extent : type.getShape().drop_front())
      sizes.push_back(inLoop.getIndexAttr(extent));
    offsets[0] = pass;
    memref::AllocOp buffer = candidate.buffer;
    auto part =
        memref::SubViewOp::inferRankReducedResultType(buffer.getType().getShape(), type, offsets, sizes, strides);
    Value place = memref::SubViewOp::create(inLoop, loc, cast<MemRefType>(part), room, offsets, sizes, strides);
    replace(buffer, place);
    buffer.erase();
  }

  // The views of the buffer, made again with the new layout.
  void replace(Value old, Value place) {
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
      auto view = dyn_cast<memref::SubViewOp>(use.getOwner());
      if (!view) {
        use.set(place);
        continue;
      }
      OpBuilder builder(view);
      Value part = memref::SubViewOp::create(builder, loc, place, view.getMixedOffsets(), view.getMixedSizes(),
                                             view.getMixedStrides());
      replace(view, part);
      view.erase();
    }
  }

  void guardWriter() {
    Operation *writer = candidate.writer;
    OpBuilder builder(writer);
    Value isMissing = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, iteration, known);
    auto missing = scf::IfOp::create(builder, loc, TypeRange(), isMissing, /*withElseRegion=*/false);
    Operation *end = missing.getThenRegion().front().getTerminator();
    // The copy of an edge tile is made for the writer alone.
    Operation *source = candidate.writer.getDpsInputs()[0].getDefiningOp();
    if (source && source->getBlock() == loop.getBody() && source->hasOneUse())
      source->moveBefore(end);
    writer->moveBefore(end);
    OpBuilder then(end);
    Value next = arith::AddIOp::create(then, loc, iteration, index(then, 1));
    Value filled = arith::SelectOp::create(then, loc, hasRoom, next, index(then, 0));
    store(then, arith::IndexCastOp::create(then, loc, then.getI64Type(), filled), Filled);
  }

  // Where a product fetches what the writer will read, it fetches what is kept instead if that is there.
  void fetchKept() {
    loop.walk([&](MmaOp mma) {
      int64_t later = 0;
      for (OpOperand &ahead : mma.getAheadMutable())
        if (auto array = ahead.get().getDefiningOp<ArrayOp>();
            array && ArraySet::ofAddress(array).mayOverlap(candidate.source.getArrays()))
          ahead.set(keptOr(array, ++later));
    });
  }

  // Iterations of one pass lie side by side: together they fetch all of it.
  Value keptOr(ArrayOp array, int64_t later) {
    auto type = cast<MemRefType>(array.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) || array.getStrides().size() != 1 ||
        llvm::count(strides, 1) != 1 || !type.hasStaticShape())
      return array;
    int64_t line = type.getDimSize(llvm::find(strides, 1) - strides.begin());
    OpBuilder builder(array);
    Value then = arith::AddIOp::create(builder, loc, iteration, index(builder, later));
    Value isKept = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, then, known);
    Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, room);
    Value bytes = arith::MulIOp::create(builder, loc, then, index(builder, bytesPerStep));
    Value address = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                               arith::AddIOp::create(builder, loc, start, bytes));
    address = arith::SelectOp::create(builder, loc, isKept, address, array.getAddress());
    Value stride = arith::SelectOp::create(builder, loc, isKept, index(builder, line), array.getStrides()[0]);
    return ArrayOp::create(builder, loc, type, address, array.getSizes(), stride);
  }

  Candidate &candidate;
  scf::ForOp loop;
  Location loc;
  int64_t passes, bytesPerStep;
  OpBuilder before, inLoop;
  Value state, room, limit, known, iteration, hasRoom;
};

struct CpuKeepTiles : tilewright::impl::CpuKeepTilesBase<CpuKeepTiles> {
  void runOnOperation() override {
    Plan plan = Plan::of(getOperation());
    std::vector<Candidate> candidates;
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (std::optional<Candidate> candidate = match(op); candidate && candidates.size() < maxCandidates)
        candidates.push_back(*candidate);
    });
    for (Candidate &candidate : candidates) {
      int64_t passes = plan.keptBytes / static_cast<int64_t>(candidates.size()) / candidate.bytes();
      if (passes >= 2)
        Keeper(candidate, passes).run();
    }
  }
};

} // namespace
