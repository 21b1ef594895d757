// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a loop's body for the lanes of a vector: loads, stores and operations.
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

//===-- the body ----------------------------------------------------------===//

void LaneValues::startBody() {
  values.clear();
  scalars.clear();
  slopes.clear();
  addressSlopes.clear();
}

// The value in the first lane; only of uniform and linear values.
Value LaneValues::firstLane(OpBuilder &builder, Value value) {
  if (auto mark = value.getDefiningOp<ElementOp>())
    return firstLane(builder, mark.getValue());
  if (value.getParentBlock() != body)
    return value;
  if (Value known = scalars.lookup(value))
    return known;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = values.contains(value) ? values.lookup(value) : load(builder, accesses[argument.getArgNumber()]);
  } else if (auto position = value.getDefiningOp<linalg::IndexOp>()) {
    result = indices[position.getDim()];
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
  if (laneDim == none || step == 0) {
    result = firstLane(builder, value);
    if (laneDim == none)
      return result;
    result = vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, result.getType()), result);
  } else if (step) {
    auto type = VectorType::get({lanes}, value.getType());
    SmallVector<Attribute> offsets;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = evenFirst ? lane % (lanes / 2) * 2 + lane / (lanes / 2) : lane;
      offsets.push_back(builder.getIntegerAttr(value.getType(), element * *step));
    }
    Value ramp = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, offsets));
    Value first = vector::BroadcastOp::create(builder, loc, type, firstLane(builder, value));
    result = arith::AddIOp::create(builder, loc, first, ramp);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = load(builder, accesses[argument.getArgNumber()]);
  } else {
    result = varyingOp(builder, value.getDefiningOp());
  }
  values[value] = result;
  return result;
}

Value LaneValues::varyingOp(OpBuilder &builder, Operation *inner) {
  if (auto access = dyn_cast<PtrLoadOp>(inner))
    return loadLanes(builder, access);
  if (isa<arith::ExtFOp>(inner) && evenFirst)
    if (auto argument = dyn_cast<BlockArgument>(inner->getOperand(0)))
      return loadEvenFirst(builder, accesses[argument.getArgNumber()]);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(inner->getOperands())) {
    bool scalarCondition = isa<arith::SelectOp>(inner) && i == 0 && slope(operand) == 0;
    operands.push_back(scalarCondition ? firstLane(builder, operand) : asLanes(builder, operand));
  }
  auto type = VectorType::get({lanes}, inner->getResult(0).getType());
  return builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands, type, inner->getAttrs())
      ->getResult(0);
}

//===-- buffers -----------------------------------------------------------===//

Value LaneValues::load(OpBuilder &builder, const LoopAccess &access) {
  if (!isa<MemRefType>(access.buffer.getType()))
    return access.buffer;
  SmallVector<Value> at = access.indices(builder, loc, indices);
  if (laneDim == none || !access.dependsOn(laneDim))
    return memref::LoadOp::create(builder, loc, access.buffer, at);
  auto type = VectorType::get({lanes}, access.type().getElementType());
  if (access.strideAlong(laneDim) == 1 && !type.getElementType().isInteger(1)) // a bit takes a byte in memory
    return vector::LoadOp::create(builder, loc, type, access.buffer, at);
  SmallVector<Value> scalars;
  for (int64_t lane = 0; lane < lanes; ++lane)
    scalars.push_back(memref::LoadOp::create(builder, loc, access.buffer, laneIndices(builder, access, lane)));
  return vector::FromElementsOp::create(builder, loc, type, scalars);
}

bool LaneValues::canPutEvenFirst() {
  bool saves = false;
  auto suits = [&](auto pair) {
    auto [argument, access] = pair;
    if (argument.use_empty() || !isa<MemRefType>(access.buffer.getType()) || !access.dependsOn(laneDim))
      return true;
    saves = true;
    return argument.getType().isBF16() && access.strideAlong(laneDim) == 1 &&
           llvm::all_of(argument.getUsers(), [](Operation *user) {
             return isa<arith::ExtFOp>(user) && user->getResult(0).getType().isF32();
           });
  };
  return lanes % 2 == 0 && llvm::all_of(llvm::zip(body->getArguments(), accesses), suits) && saves &&
         llvm::all_of(body->without_terminator(), [](Operation &inner) { return isMemoryEffectFree(&inner); });
}

// An f32 whose upper half is a bf16 and whose lower half is zero is the same number.
Value LaneValues::loadEvenFirst(OpBuilder &builder, const LoopAccess &access) {
  Value loaded = load(builder, access);
  auto pairs = VectorType::get({lanes / 2}, builder.getI32Type()), halves = pairs.clone(builder.getF32Type());
  loaded = vector::BitCastOp::create(builder, loc, pairs, loaded);
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(pairs, builder.getIntegerAttr(pairs.getElementType(), value)));
  };
  Value even = arith::ShLIOp::create(builder, loc, loaded, constant(16));
  Value odd = arith::AndIOp::create(builder, loc, loaded, constant(0xffff0000));
  even = arith::BitcastOp::create(builder, loc, halves, even);
  odd = arith::BitcastOp::create(builder, loc, halves, odd);
  return vector::ShuffleOp::create(builder, loc, even, odd, llvm::to_vector(llvm::seq<int64_t>(lanes)));
}

void LaneValues::fetch(OpBuilder &builder) {
  auto count = op->getAttrOfType<IntegerAttr>("cpu.fetch");
  if (!count || laneDim == none)
    return;
  // Of a loop that fetches half of the tile, every line takes twice the steps.
  auto half = op->getAttrOfType<IntegerAttr>("cpu.fetch_half");
  Value at = indices[laneDim];
  int64_t span = lanes;
  if (half) {
    span = lanes / 2;
    Value halved = arith::ShRUIOp::create(builder, loc, at, index(builder, 1));
    indices[laneDim] =
        arith::AddIOp::create(builder, loc, halved, index(builder, half.getInt() * (sizes[laneDim] / 2)));
  }
  for (int64_t i = op.getNumDpsInputs() - count.getInt(); i < op.getNumDpsInputs(); ++i) {
    const LoopAccess &access = accesses[i];
    if (access.strideAlong(laneDim) != 1)
      continue;
    int64_t perLine = std::max<int64_t>(1, 512 / std::max<int64_t>(8, access.type().getElementTypeBitWidth()));
    for (int64_t lane = 0; lane < span; lane += perLine)
      memref::PrefetchOp::create(builder, loc, access.buffer, laneIndices(builder, access, lane), /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
  }
  indices[laneDim] = at;
}

SmallVector<Value> LaneValues::laneIndices(OpBuilder &builder, const LoopAccess &access, int64_t lane) {
  SmallVector<Value> shifted(indices);
  shifted[laneDim] = arith::AddIOp::create(builder, loc, indices[laneDim], index(builder, lane));
  return access.indices(builder, loc, shifted);
}

void LaneValues::store(OpBuilder &builder, const LoopAccess &access, Value value) {
  SmallVector<Value> at = access.indices(builder, loc, indices);
  if (!isa<VectorType>(value.getType())) {
    memref::StoreOp::create(builder, loc, value, access.buffer, at);
    return;
  }
  if (access.strideAlong(laneDim) == 1 && !access.type().getElementType().isInteger(1)) {
    auto store = vector::StoreOp::create(builder, loc, value, access.buffer, at);
    if (streaming) {
      store.setNontemporal(true);
      store.setAlignment(64);
    }
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value scalar = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane});
    memref::StoreOp::create(builder, loc, scalar, access.buffer, laneIndices(builder, access, lane));
  }
}

//===-- addresses ---------------------------------------------------------===//

void LaneValues::runEffects(OpBuilder &builder) {
  for (Operation &inner : *body)
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
  return LLVM::IntToPtrOp::create(builder, loc, type, address);
}

static bool isTrue(Value mask) {
  return matchPattern(mask, m_One());
}

Value LaneValues::loadLanes(OpBuilder &builder, PtrLoadOp access) {
  Type element = access.getResult().getType();
  auto type = VectorType::get({lanes}, element);
  auto carrier = cast<VectorType>(carrierOf(type));
  int64_t bytes = bytesOf(element);
  auto other = [&] { return toCarrier(builder, loc, asLanes(builder, access.getOther())); };
  Value loaded;
  if (addressSlope(access.getAddress()) == bytes) {
    Value first = pointer(builder, firstLane(builder, access.getAddress()));
    if (isTrue(access.getMask()))
      loaded = LLVM::LoadOp::create(builder, loc, carrier, first, bytes);
    else
      loaded =
          LLVM::MaskedLoadOp::create(builder, loc, carrier, first, asLanes(builder, access.getMask()), other(), bytes);
  } else {
    Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
    loaded = LLVM::masked_gather::create(builder, loc, carrier, pointers, asLanes(builder, access.getMask()), other(),
                                         bytes);
  }
  return fromCarrier(builder, loc, loaded, type);
}

void LaneValues::storeLanes(OpBuilder &builder, PtrStoreOp access) {
  if (laneDim == none) {
    PtrStoreOp::create(builder, loc, firstLane(builder, access.getValue()), firstLane(builder, access.getAddress()),
                       firstLane(builder, access.getMask()), access.getOrderingAttr());
    return;
  }
  Type element = access.getValue().getType();
  Value value = toCarrier(builder, loc, asLanes(builder, access.getValue()));
  if (addressSlope(access.getAddress()) == bytesOf(element)) {
    Value first = pointer(builder, firstLane(builder, access.getAddress()));
    if (isTrue(access.getMask()))
      LLVM::StoreOp::create(builder, loc, value, first, bytesOf(element));
    else
      LLVM::MaskedStoreOp::create(builder, loc, value, first, asLanes(builder, access.getMask()), bytesOf(element));
    return;
  }
  Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
  LLVM::masked_scatter::create(builder, loc, value, pointers, asLanes(builder, access.getMask()), bytesOf(element));
}
