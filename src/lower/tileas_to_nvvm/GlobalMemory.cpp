// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/GlobalMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

Value tilewright::packVector(ArrayRef<Value> values, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  auto inMemory = [&](Value value) -> Value {
    Type type = memoryType(value.getType());
    return type == value.getType() ? value : arith::ExtUIOp::create(b, loc, type, value).getResult();
  };
  if (values.size() == 1)
    return inMemory(values[0]);
  auto type = VectorType::get(values.size(), memoryType(values[0].getType()));
  Value packed = LLVM::PoisonOp::create(b, loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    packed = LLVM::InsertElementOp::create(b, loc, packed, inMemory(value), tiles.i32(index));
  return packed;
}

SmallVector<Value> tilewright::unpackVector(Value packed, Type element, int64_t width, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  SmallVector<Value> values;
  for (int64_t index = 0; index != width; ++index) {
    Value value = width == 1 ? packed : LLVM::ExtractElementOp::create(b, tiles.loc, packed, tiles.i32(index));
    if (value.getType() != element)
      value = arith::TruncIOp::create(b, tiles.loc, element, value);
    values.push_back(value);
  }
  return values;
}

SmallVector<Value> tilewright::loadGlobal(Value pointer, Type element, int64_t width, int64_t alignment,
                                          Value condition, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  if (condition) {
    Value zeros = LLVM::AddressOfOp::create(b, tiles.loc, pointer.getType(), zerosName);
    pointer = arith::SelectOp::create(b, tiles.loc, condition, pointer, zeros);
  }
  Type memory = memoryType(element);
  Type type = width == 1 ? memory : VectorType::get(width, memory);
  Value loaded = LLVM::LoadOp::create(b, tiles.loc, type, pointer, alignment);
  return unpackVector(loaded, element, width, tiles);
}

void tilewright::storeGlobal(ArrayRef<Value> values, Value pointer, int64_t alignment, Value condition,
                             TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value packed = packVector(values, tiles);
  OpBuilder::InsertionGuard guard(b);
  if (condition) {
    auto branch = scf::IfOp::create(b, tiles.loc, condition, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  LLVM::StoreOp::create(b, tiles.loc, packed, pointer, alignment);
}
