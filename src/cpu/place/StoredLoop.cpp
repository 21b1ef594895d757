// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/StoredLoop.h"

#include "cpu/ir/Cpu.h"
#include "cpu/place/EdgeLoops.h"
#include "tileaa/ir/Numbers.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;

//===-- which loops -------------------------------------------------------===//

// Whether a loop over a box can read the input: a load that it alone reads is placed with it; a tile with an edge of
// its own is for loops over whole lines.
static bool hasNoEdge(OpOperand *input) {
  if (input->get().getDefiningOp<LoadViewOp>())
    return input->get().hasOneUse();
  auto placed = input->get().getDefiningOp<bufferization::ToTensorOp>();
  return !placed || !placed.getBuffer().getDefiningOp<EdgeOp>();
}

linalg::GenericOp StoredLoop::of(tileaa::StoreViewOp store) {
  auto loop = store.getTile().getDefiningOp<linalg::GenericOp>();
  if (!loop || !loop->hasOneUse() || loop.getNumResults() != 1 || loop->getBlock() != store->getBlock() ||
      loop.getNumReductionLoops() != 0 || loop.getNumLoops() == 0)
    return nullptr;
  FailureOr<ViewAccess> access = ViewAccess::of(store);
  std::optional<int64_t> lane = succeeded(access) ? access->contiguousDim() : std::nullopt;
  bool isPlain = llvm::all_of(loop.getBody()->without_terminator(),
                              [](Operation &inner) { return isMemoryEffectFree(&inner) && !isa<PtrLoadOp>(inner); });
  bool suits = lane && isPlain && llvm::all_of(loop.getDpsInputOperands(), hasNoEdge) && runsAlong(loop, *lane);
  return suits ? loop : nullptr;
}

//===-- loads -------------------------------------------------------------===//

Value cpu::bufferOf(LoadViewOp load, const ViewAccess &access, Value isInside, OpBuilder &builder, OpBuilder &atEntry) {
  Location loc = load.getLoc();
  if (!isInside)
    return access.whole(builder, loc);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(access.wholeType()), isInside, /*withElseRegion=*/true);
  OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  scf::YieldOp::create(then, loc, access.whole(then, loc));
  Value scratch = access.scratchLike(atEntry, otherwise, loc);
  Type type = load.getView().getType().getElementType();
  TypedAttr padding =
      tileaa::paddingOf(load.getPadding().value_or(tileaa::Padding::Zero), load.getFormat().value_or(type));
  CopyInOp::create(otherwise, loc, access.inside(otherwise, loc), scratch, access.elementsBefore(otherwise, loc),
                   arith::ConstantOp::create(otherwise, loc, padding));
  scf::YieldOp::create(otherwise, loc, scratch);
  return choice.getResult(0);
}

//===-- placing -----------------------------------------------------------===//

// The box says where the loop ends, too.
static void dropEnd(linalg::GenericOp loop) {
  if (!loop->removeAttr(endAttr))
    return;
  loop.setIndexingMapsAttr(Builder(loop).getAffineMapArrayAttr(ArrayRef(loop.getIndexingMapsArray()).drop_front()));
  loop.getInputsMutable().erase(0);
  loop.getBody()->eraseArgument(0);
}

LogicalResult StoredLoop::place(OpBuilder &atEntry) {
  dropEnd(loop);
  for (OpOperand *input : loop.getDpsInputOperands()) {
    auto load = input->get().getDefiningOp<LoadViewOp>();
    if (!load)
      continue;
    FailureOr<ViewAccess> access = ViewAccess::of(load);
    if (failed(access))
      return failure();
    reads.push_back({input->getOperandNumber(), load, *access});
  }
  OpBuilder builder(loop);
  if (Value whole = isWhole(builder)) {
    // Past the cache one loop is enough: with bounds, which cost little beside memory.
    if (Value large = isLarge(builder)) {
      Value truth = arith::ConstantIntOp::create(builder, loop.getLoc(), 1, 1);
      Value isSmall = arith::XOrIOp::create(builder, loop.getLoc(), large, truth);
      whole = arith::AndIOp::create(builder, loop.getLoc(), whole, isSmall);
    }
    auto choice = scf::IfOp::create(builder, loop.getLoc(), TypeRange(), whole, /*withElseRegion=*/true);
    OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
    placeInside(then, {});
    placeBox(otherwise, atEntry);
  } else {
    streamIfLarge(placeInside(builder, {}), out, Value(), streamBytes);
  }
  // The result has no readers: it is in the array.
  loop->replaceAllUsesWith(loop.getDpsInits());
  loop.erase();
  return success();
}

Value StoredLoop::isWhole(OpBuilder &builder) {
  Location loc = loop.getLoc();
  Value result = out.isWhole(builder, loc);
  for (const Read &read : reads)
    if (Value inside = read.access.isWhole(builder, loc))
      result = result ? builder.createOrFold<arith::AndIOp>(loc, result, inside) : inside;
  return result;
}

Value StoredLoop::isLarge(OpBuilder &builder) {
  return streamBytes ? out.isLarge(builder, loop.getLoc(), streamBytes) : Value();
}

// All that the loop reads lies inside: of one array, at distances that loops see.
linalg::GenericOp StoredLoop::placeInside(OpBuilder &builder, ValueRange bounds) {
  SmallVector<Value> addresses, buffers;
  for (const Read &read : reads) {
    addresses.push_back(addressOf(builder, read, addresses));
    buffers.push_back(read.access.wholeAt(builder, loop.getLoc(), addresses.back()));
  }
  return emit(builder, bounds, buffers);
}

// That of an earlier box of the same array, and a constant, if there is one.
Value StoredLoop::addressOf(OpBuilder &builder, const Read &read, ArrayRef<Value> earlier) {
  Location loc = loop.getLoc();
  for (auto [other, address] : llvm::zip(reads, earlier))
    if (std::optional<int64_t> bytes = read.access.bytesBehind(other.access))
      return builder.createOrFold<arith::AddIOp>(loc, address,
                                                 arith::ConstantIntOp::create(builder, loc, *bytes, 64).getResult());
  return read.access.address(builder, loc);
}

bool StoredLoop::readsNeighbours() const {
  return llvm::any_of(llvm::enumerate(reads), [&](auto numbered) {
    return llvm::any_of(ArrayRef(reads).take_front(numbered.index()), [&](const Read &earlier) {
      return numbered.value().access.bytesBehind(earlier.access).has_value();
    });
  });
}

void StoredLoop::placeBox(OpBuilder &builder, OpBuilder &atEntry) {
  Location loc = loop.getLoc();
  SmallVector<Value> bounds = boundsOfBox(builder), areInside;
  for (const Read &read : reads)
    areInside.push_back(hasBox(builder, read, bounds));
  if (!readsNeighbours())
    return streamIfLarge(placePart(builder, bounds, areInside, atEntry), out, Value(), streamBytes);
  Value all = arith::ConstantIntOp::create(builder, loc, 1, 1);
  for (Value inside : areInside)
    if (inside)
      all = builder.createOrFold<arith::AndIOp>(loc, all, inside);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), all, /*withElseRegion=*/true);
  OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  streamIfLarge(placeInside(then, bounds), out, Value(), streamBytes);
  placePart(otherwise, bounds, areInside, atEntry);
}

// Tiles that do not have the box are copied.
linalg::GenericOp StoredLoop::placePart(OpBuilder &builder, ValueRange bounds, ArrayRef<Value> areInside,
                                        OpBuilder &atEntry) {
  SmallVector<Value> buffers;
  for (auto [read, isInside] : llvm::zip_equal(reads, areInside))
    buffers.push_back(bufferOf(read.load, read.access, isInside, builder, atEntry));
  return emit(builder, bounds, buffers);
}

// Where what is stored begins and ends, along each dimension.
SmallVector<Value> StoredLoop::boundsOfBox(OpBuilder &builder) {
  Location loc = loop.getLoc();
  SmallVector<Value> bounds, before = out.elementsBefore(builder, loc);
  for (unsigned dim = 0; dim < loop.getNumLoops(); ++dim) {
    Value begin = before.empty() ? Value(arith::ConstantIndexOp::create(builder, loc, 0)) : before[dim];
    Value end = out.extentInside(builder, loc, dim);
    if (!matchPattern(begin, m_Zero()))
      end = arith::MaxSIOp::create(builder, loc, begin, end);
    bounds.append({begin, end});
  }
  return bounds;
}

// Whether what the loop reads of a tile within the bounds lies inside its array; null where it always does.
Value StoredLoop::hasBox(OpBuilder &builder, const Read &read, ValueRange bounds) {
  SmallVector<std::pair<Value, Value>> parts;
  for (AffineExpr index : loop.getMatchingIndexingMap(&loop->getOpOperand(read.operand)).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    parts.push_back(dim ? std::pair(bounds[2 * dim.getPosition()], bounds[2 * dim.getPosition() + 1])
                        : std::pair<Value, Value>());
  }
  return read.access.hasPart(builder, loop.getLoc(), parts);
}

linalg::GenericOp StoredLoop::emit(OpBuilder &builder, ValueRange bounds, ArrayRef<Value> buffers) {
  Location loc = loop.getLoc();
  MLIRContext *context = loop.getContext();
  SmallVector<Value> inputs(loop.getInputs());
  for (auto [read, buffer] : llvm::zip_equal(reads, buffers))
    inputs[read.operand] =
        bufferization::ToTensorOp::create(builder, loc, inputs[read.operand].getType(), buffer, /*restrict=*/true);
  inputs.insert(inputs.begin(), bounds.begin(), bounds.end());
  SmallVector<AffineMap> maps(bounds.size(), AffineMap::get(loop.getNumLoops(), 0, context));
  llvm::append_range(maps, loop.getIndexingMapsArray());
  Value result = bufferization::ToTensorOp::create(builder, loc, loop.getResult(0).getType(), out.whole(builder, loc),
                                                   /*restrict=*/true, /*writable=*/true);
  auto placed = linalg::GenericOp::create(builder, loc, loop->getResultTypes(), inputs, result, maps,
                                          loop.getIteratorTypesArray());
  placed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  IRMapping mapping;
  loop.getRegion().cloneInto(&placed.getRegion(), mapping);
  if (!bounds.empty()) {
    placed->setAttr(boundsAttr, builder.getUnitAttr());
    for (unsigned i = 0; i < bounds.size(); ++i)
      placed.getBody()->insertArgument(i, builder.getIndexType(), loc);
  }
  return placed;
}

void cpu::streamIfLarge(linalg::GenericOp loop, const ViewAccess &access, Value also, int64_t streamBytes) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value large = streamBytes ? access.isLarge(builder, loc, streamBytes) : Value();
  if (!large)
    return;
  if (also)
    large = arith::AndIOp::create(builder, loc, large, also);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(), large, /*withElseRegion=*/true);
  OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  then.clone(*loop)->setAttr(streamAttr, builder.getUnitAttr());
  otherwise.clone(*loop);
  // The result has no readers: it is in the array.
  for (Value result : loop.getResults())
    result.replaceAllUsesWith(loop.getDpsInits().front());
  loop.erase();
}
