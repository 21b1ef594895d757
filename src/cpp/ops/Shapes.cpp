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

// The bits of the elements along a dimension, in the order of memory: bytes, of which elements are made again.
Value repack(OperationCall &call) {
  Emitter &emitter = call.emitter;
  OpBuilder &builder = emitter.builder;
  Value value = call.operands[0];
  // Pointers and bool as memory has them; numbers of 4 bits as they are.
  if (call.element(0)->isPointerType() || call.element(0)->isBooleanType())
    value = emitter.toHeld(value, call.element(0));
  cuda_tile::TileType from = tileTypeOf(value), to = call.resultType();
  bool toBool = call.resultElement()->isBooleanType();
  if (toBool)
    to = withElement(to, builder.getI8Type());
  auto finish = [&](Value tile) { return toBool ? emitter.fromHeld(tile, call.resultElement()) : tile; };
  Type element = to.getElementType();
  if (from.getElementType().getIntOrFloatBitWidth() == element.getIntOrFloatBitWidth())
    return finish(from.getElementType() == element ? value : emitter.create("bitcast", value, to));

  // The dimension changes places with the last one.
  int64_t dim = call.numbers[0], last = from.getRank() - 1;
  auto exchange = [&](Value tile) {
    SmallVector<int32_t> permutation(llvm::to_vector(llvm::seq<int32_t>(from.getRank())));
    std::swap(permutation[dim], permutation[last]);
    SmallVector<int64_t> shape(tileTypeOf(tile).getShape());
    std::swap(shape[dim], shape[last]);
    return emitter.create("permute", tile, cuda_tile::TileType::get(shape, tileTypeOf(tile).getElementType()),
                          emitter.named("permutation", builder.getDenseI32ArrayAttr(permutation)));
  };
  if (dim != last)
    value = exchange(value);
  value = emitter.reshape(value, from.getNumElements());
  Type byte = builder.getI8Type();
  int64_t numBytes = from.getNumElements() * from.getElementType().getIntOrFloatBitWidth() / 8;
  auto bytes = cuda_tile::TileType::get(numBytes, byte);
  auto isByte = [](Type type) { return type.getIntOrFloatBitWidth() == 8; };
  if (value.getType() != bytes)
    value = emitter.create(isByte(from.getElementType()) ? "bitcast" : "pack", value, bytes);
  if (element != byte)
    value = emitter.create(isByte(element) ? "bitcast" : "unpack", value,
                           cuda_tile::TileType::get(to.getNumElements(), element));
  SmallVector<int64_t> shape(to.getShape());
  std::swap(shape[dim], shape[last]);
  value = emitter.reshape(value, shape);
  return finish(dim == last ? value : exchange(value));
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
    {"repack", repack},
    {"block_id", gridNumber<cuda_tile::GetTileBlockIdOp>},
    {"num_blocks", gridNumber<cuda_tile::GetNumTileBlocksOp>},
};

} // namespace

ArrayRef<OperationRow> shapeOperations() {
  return rows;
}

} // namespace tilewright::cpp
