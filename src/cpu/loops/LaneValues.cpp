// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a loop's body for the lanes of a vector: loads, stores and operations.
#include "cpu/loops/LaneValues.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

//===-- the body ----------------------------------------------------------===//

// The value in the first lane; only of uniform and linear values.
Value LaneValues::firstLane(OpBuilder &builder, Value value) {
  if (auto mark = value.getDefiningOp<ElementOp>())
    return firstLane(builder, mark.getValue());
  if (value.getParentBlock() != nest.body)
    return value;
  if (Value known = scalars.lookup(value))
    return known;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = values.contains(value) ? values.lookup(value) : nest.load(builder, nest.accesses[argument.getArgNumber()]);
  } else if (auto position = value.getDefiningOp<linalg::IndexOp>()) {
    result = nest.indices[position.getDim()];
  } else {
    Operation *inner = value.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(firstLane(builder, operand));
    Operation *clone = builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands,
                                      inner->getResultTypes(), inner->getAttrs());
    result = clone->getResult(0);
  }
  scalars[value] = result;
  return result;
}

// The value as a scalar, if it is uniform, or a vector.
Value LaneValues::asLanes(OpBuilder &builder, Value value) {
  if (auto mark = value.getDefiningOp<ElementOp>())
    return asLanes(builder, mark.getValue());
  if (Value known = values.lookup(value))
    return known;
  std::optional<int64_t> step = slope(value);
  Value result;
  if (!hasLanes() || step == 0) {
    result = firstLane(builder, value);
    if (!hasLanes())
      return result;
    result = vector::BroadcastOp::create(builder, nest.loc, vectorOf(result.getType()), result);
  } else if (step) {
    result = ramp(builder, value, *step);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = nest.load(builder, nest.accesses[argument.getArgNumber()]);
  } else {
    result = varyingOp(builder, value.getDefiningOp());
  }
  values[value] = result;
  return result;
}

// A linear value: that of the first lane, and multiples of the step added to it.
Value LaneValues::ramp(OpBuilder &builder, Value value, int64_t step) {
  VectorType type = vectorOf(value.getType());
  int64_t half = nest.lanes / 2;
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < nest.lanes; ++lane) {
    int64_t element = order == LaneOrder::EvenFirst ? lane % half * 2 + lane / half : lane;
    offsets.push_back(builder.getIntegerAttr(value.getType(), element * step));
  }
  Value ramp = arith::ConstantOp::create(builder, nest.loc, DenseElementsAttr::get(type, offsets));
  Value first = vector::BroadcastOp::create(builder, nest.loc, type, firstLane(builder, value));
  return arith::AddIOp::create(builder, nest.loc, first, ramp);
}

Value LaneValues::varyingOp(OpBuilder &builder, Operation *inner) {
  if (auto access = dyn_cast<PtrLoadOp>(inner))
    return loadLanes(builder, access);
  if (isa<arith::ExtFOp>(inner) && order == LaneOrder::EvenFirst)
    if (auto argument = dyn_cast<BlockArgument>(inner->getOperand(0)))
      return loadEvenFirst(builder, nest.accesses[argument.getArgNumber()]);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(inner->getOperands())) {
    bool scalarCondition = isa<arith::SelectOp>(inner) && i == 0 && slope(operand) == 0;
    operands.push_back(scalarCondition ? firstLane(builder, operand) : asLanes(builder, operand));
  }
  auto type = vectorOf(inner->getResult(0).getType());
  return builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands, type, inner->getAttrs())
      ->getResult(0);
}

//===-- the order of lanes ------------------------------------------------===//

LaneOrder cpu::bestLaneOrder(LoopNest &nest) {
  bool saves = false;
  auto suits = [&](auto pair) {
    auto [argument, access] = pair;
    if (argument.use_empty() || !isa<MemRefType>(access.buffer.getType()) || !access.dependsOn(nest.laneDim))
      return true;
    saves = true;
    return argument.getType().isBF16() && access.strideAlong(nest.laneDim) == 1 &&
           llvm::all_of(argument.getUsers(), [](Operation *user) {
             return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
           });
  };
  bool isPossible =
      nest.lanes % 2 == 0 && llvm::all_of(llvm::zip(nest.body->getArguments(), nest.accesses), suits) && saves &&
      llvm::all_of(nest.body->without_terminator(), [](Operation &inner) { return isMemoryEffectFree(&inner); });
  return isPossible ? LaneOrder::EvenFirst : LaneOrder::Ascending;
}

// An f32 whose upper half is a bf16 and whose lower half is zero is the same number.
Value LaneValues::loadEvenFirst(OpBuilder &builder, const LoopAccess &access) {
  Value loaded = nest.load(builder, access);
  auto pairs = VectorType::get({nest.lanes / 2}, builder.getI32Type()), halves = pairs.clone(builder.getF32Type());
  loaded = vector::BitCastOp::create(builder, nest.loc, pairs, loaded);
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(
        builder, nest.loc, DenseElementsAttr::get(pairs, builder.getIntegerAttr(pairs.getElementType(), value)));
  };
  Value even = arith::ShLIOp::create(builder, nest.loc, loaded, constant(16));
  Value odd = arith::AndIOp::create(builder, nest.loc, loaded, constant(0xffff0000));
  even = arith::BitcastOp::create(builder, nest.loc, halves, even);
  odd = arith::BitcastOp::create(builder, nest.loc, halves, odd);
  return vector::ShuffleOp::create(builder, nest.loc, even, odd, llvm::to_vector(llvm::seq<int64_t>(nest.lanes)));
}

//===-- addresses ---------------------------------------------------------===//

void LaneValues::runEffects(OpBuilder &builder) {
  for (Operation &inner : *nest.body)
    if (auto access = dyn_cast<PtrStoreOp>(inner))
      storeLanes(builder, access);
    else if (isa<AtomicRmwOp, AtomicCasOp>(inner) || (isa<PtrLoadOp>(inner) && hasEffect<MemoryEffects::Write>(&inner)))
      firstLane(builder, inner.getResult(0)); // remembered for the loop's result, if it has one
}

static int64_t bytesOf(Type type) {
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

Value LaneValues::pointer(OpBuilder &builder, Value address) {
  Type type = LLVM::LLVMPointerType::get(builder.getContext());
  if (auto vector = dyn_cast<VectorType>(address.getType()))
    type = VectorType::get(vector.getShape(), type);
  return LLVM::IntToPtrOp::create(builder, nest.loc, type, address);
}

static bool isTrue(Value mask) {
  return matchPattern(mask, m_One());
}

// A position that grows from lane to lane, in the first one and in the last. Null for others.
std::pair<Value, Value> LaneValues::firstAndLast(OpBuilder &builder, Value position) {
  std::optional<int64_t> step = slope(position);
  unsigned width = ConstantIntRanges::getStorageBitwidth(position.getType());
  if (!step || *step <= 0 || *step * nest.lanes > llvm::maxIntN(width))
    return {};
  Value first = firstLane(builder, position);
  Value length =
      arith::ConstantOp::create(builder, nest.loc, builder.getIntegerAttr(first.getType(), *step * (nest.lanes - 1)));
  return {first, arith::AddIOp::create(builder, nest.loc, first, length)};
}

// Whether a mask of comparisons with bounds is true in every lane, as a scalar: where a position that grows from lane
// to lane is on one side of a bound in the first lane and in the last one, and does not wrap, it is in between. Null
// for other masks.
Value LaneValues::holdsInAllLanes(OpBuilder &builder, Value mask) {
  if (slope(mask) == 0)
    return firstLane(builder, mask);
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    Value left = holdsInAllLanes(builder, both.getLhs());
    Value right = left ? holdsInAllLanes(builder, both.getRhs()) : Value();
    return right ? arith::AndIOp::create(builder, nest.loc, left, right).getResult() : Value();
  }
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  using Predicate = arith::CmpIPredicate;
  if (!comparison || llvm::is_contained({Predicate::eq, Predicate::ne}, comparison.getPredicate()) ||
      slope(comparison.getRhs()) != 0)
    return {};
  Value position = comparison.getLhs(), holds;
  auto require = [&](Predicate predicate, Value a, Value b) {
    Value each = arith::CmpIOp::create(builder, nest.loc, predicate, a, b);
    holds = holds ? arith::AndIOp::create(builder, nest.loc, holds, each).getResult() : each;
  };
  auto [first, last] = firstAndLast(builder, position);
  // One that may wrap before it is extended does not if its last lane is no less than the first. Where all lanes are
  // one step, its mask is the same for all rows, and costs less.
  if (Operation *extension = position.getDefiningOp();
      !first && nest.lanes < nest.sizes[nest.laneDim] && isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(extension)) {
    std::tie(first, last) = firstAndLast(builder, extension->getOperand(0));
    if (!first)
      return {};
    require(isa<arith::ExtSIOp>(extension) ? Predicate::sle : Predicate::ule, first, last);
    for (Value *lane : {&first, &last})
      *lane = builder.create(nest.loc, extension->getName().getIdentifier(), *lane, position.getType())->getResult(0);
  }
  if (!first)
    return {};
  bool isSigned =
      llvm::is_contained({Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge}, comparison.getPredicate());
  require(isSigned ? Predicate::sle : Predicate::ule, first, last);
  Value bound = firstLane(builder, comparison.getRhs());
  require(comparison.getPredicate(), first, bound);
  require(comparison.getPredicate(), last, bound);
  return holds;
}

// A contiguous access, without its mask where that is true in all lanes.
Value LaneValues::accessLanes(OpBuilder &builder, Value mask, TypeRange result,
                              llvm::function_ref<Value(OpBuilder &)> whole,
                              llvm::function_ref<Value(OpBuilder &)> masked) {
  if (isTrue(mask))
    return whole(builder);
  Value holds = holdsInAllLanes(builder, mask);
  if (!holds)
    return masked(builder);
  auto known = std::pair(values, scalars); // without those of one branch
  auto choice = scf::IfOp::create(builder, nest.loc, result, holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto yield = [&](Block *block, llvm::function_ref<Value(OpBuilder &)> access) {
    OpBuilder branch = OpBuilder::atBlockEnd(block);
    Value value = access(branch);
    scf::YieldOp::create(branch, nest.loc, value ? ValueRange(value) : ValueRange());
  };
  yield(choice.thenBlock(), whole);
  yield(choice.elseBlock(), masked);
  std::tie(values, scalars) = known;
  return result.empty() ? Value() : choice.getResult(0);
}

Value LaneValues::loadLanes(OpBuilder &builder, PtrLoadOp access) {
  Type element = access.getResult().getType();
  auto type = vectorOf(element);
  auto carrier = cast<VectorType>(carrierOf(type));
  int64_t bytes = bytesOf(element);
  auto other = [&](OpBuilder &at) { return toCarrier(at, nest.loc, asLanes(at, access.getOther())); };
  Value loaded;
  if (addressSlope(access.getAddress()) == bytes) {
    Value first = pointer(builder, firstLane(builder, access.getAddress()));
    auto whole = [&](OpBuilder &at) -> Value { return LLVM::LoadOp::create(at, nest.loc, carrier, first, bytes); };
    auto masked = [&](OpBuilder &at) -> Value {
      return LLVM::MaskedLoadOp::create(at, nest.loc, carrier, first, asLanes(at, access.getMask()), other(at), bytes);
    };
    loaded = accessLanes(builder, access.getMask(), carrier, whole, masked);
    fetchLaterRow(builder, access, bytes);
  } else {
    Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
    loaded = LLVM::masked_gather::create(builder, nest.loc, carrier, pointers, asLanes(builder, access.getMask()),
                                         other(builder), bytes);
  }
  return fromCarrier(builder, nest.loc, loaded, type);
}

void LaneValues::storeLanes(OpBuilder &builder, PtrStoreOp access) {
  if (!hasLanes()) {
    PtrStoreOp::create(builder, nest.loc, firstLane(builder, access.getValue()),
                       firstLane(builder, access.getAddress()), firstLane(builder, access.getMask()),
                       access.getOrderingAttr());
    return;
  }
  Type element = access.getValue().getType();
  Value value = toCarrier(builder, nest.loc, asLanes(builder, access.getValue()));
  if (addressSlope(access.getAddress()) == bytesOf(element)) {
    Value first = pointer(builder, firstLane(builder, access.getAddress()));
    auto whole = [&](OpBuilder &at) {
      LLVM::StoreOp::create(at, nest.loc, value, first, bytesOf(element));
      return Value();
    };
    auto masked = [&](OpBuilder &at) {
      LLVM::MaskedStoreOp::create(at, nest.loc, value, first, asLanes(at, access.getMask()), bytesOf(element));
      return Value();
    };
    accessLanes(builder, access.getMask(), TypeRange(), whole, masked);
    return;
  }
  Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
  LLVM::masked_scatter::create(builder, nest.loc, value, pointers, asLanes(builder, access.getMask()),
                               bytesOf(element));
}
