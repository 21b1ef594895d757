// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions, shapes, and the place in the grid.
#include "cpp/ops/Operations.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

Value convert(OperationCall &call) {
  SmallVector<NamedAttribute> attributes = conversionAttributes(call.emitter, call.modifiers);
  Value value = call.emitter.convertElements(call.operands[0], call.element(0), call.resultElement(), attributes);
  return tileTypeOf(value).getNumElements() == call.resultType().getNumElements()
             ? call.emitter.reshape(value, call.resultType().getShape())
             : call.emitter.broadcast(value, call.resultType().getShape());
}

Value iota(OperationCall &call) {
  cuda_tile::TileType type = call.resultType();
  if (call.resultElement()->isBooleanType())
    call.evaluator.refuse("iota has no elements of bool");
  auto flat = cuda_tile::TileType::get(type.getNumElements(), type.getElementType());
  return call.emitter.reshape(call.emitter.create("iota", {}, flat), type.getShape());
}

Value reshape(OperationCall &call) {
  return call.emitter.reshape(call.operands[0], call.resultType().getShape());
}

Value permute(OperationCall &call) {
  SmallVector<int32_t> permutation(call.numbers.begin(), call.numbers.end());
  return call.emitter.create("permute", call.operands, call.resultType(),
                             call.emitter.named("permutation", call.emitter.builder.getDenseI32ArrayAttr(permutation)));
}

Value cat(OperationCall &call) {
  return call.emitter.create("cat", call.operands, call.resultType(),
                             call.emitter.named("dim", call.emitter.builder.getI64IntegerAttr(call.numbers[0])));
}

Value extractOrInsert(OperationCall &call) {
  return call.emitter.create(call.name, call.operands, call.resultType());
}

// A bool takes a byte.
Value bitcast(OperationCall &call) {
  Value value = call.operands[0];
  cuda_tile::TileType type = tileTypeOf(value);
  Type byte = call.emitter.builder.getI8Type(), bit = call.emitter.builder.getI1Type();
  if (type.getElementType() == bit)
    value = call.emitter.create("exti", value, withElement(type, byte), call.emitter.signedness(false));
  bool toBool = call.resultType().getElementType() == bit;
  cuda_tile::TileType result = toBool ? withElement(type, byte) : call.resultType();
  if (isa<cuda_tile::PtrType>(type.getElementType()) || isa<cuda_tile::PtrType>(result.getElementType()))
    return call.emitter.convertElements(value, call.element(0), call.resultElement());
  if (value.getType() != result)
    value = call.emitter.create("bitcast", value, result);
  return toBool ? call.emitter.compare(cuda_tile::ComparisonPredicate::NotEqual, value,
                                       call.emitter.zero(tileTypeOf(value)), false)
                : value;
}

template <typename Op> Value gridNumber(OperationCall &call) {
  Type type = call.resultType();
  return call.emitter.build<Op>(type, type, type)->getResult(call.numbers[0]);
}

const OperationRow rows[] = {
    {"convert", convert},
    {"iota", iota},
    {"reshape", reshape},
    {"permute", permute},
    {"cat", cat},
    {"extract", extractOrInsert},
    {"insert", extractOrInsert},
    {"bitcast", bitcast},
    {"block_id", gridNumber<cuda_tile::GetTileBlockIdOp>},
    {"num_blocks", gridNumber<cuda_tile::GetNumTileBlocksOp>},
};

} // namespace

ArrayRef<OperationRow> shapeOperations() {
  return rows;
}

} // namespace tilewright::cpp
