// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of memory, and elements as it has them.
#include "cpp/values/Emitter.h"

using namespace mlir;
using clang::QualType;

namespace tilewright::cpp {

using cuda_tile::TileType;

static bool isNibble(Type element) {
  return isa<Float4E2M1FNType>(element);
}

// Of each byte the number in the low bits.
static Value unpackNibbles(Emitter &emitter, Value bytes, Type element) {
  TileType type = tileTypeOf(bytes);
  int64_t count = type.getNumElements();
  Value flat = emitter.reshape(bytes, count);
  Value pairs = emitter.reshape(emitter.create("unpack", flat, TileType::get(2 * count, element)), {count, 2});
  Value zero = emitter.integer(0, TileType::get({}, emitter.builder.getI32Type()));
  Value low = emitter.create("extract", {pairs, zero, zero}, TileType::get({count, 1}, element));
  return emitter.reshape(low, type.getShape());
}

static Value packNibbles(Emitter &emitter, Value numbers) {
  TileType type = tileTypeOf(numbers);
  int64_t count = type.getNumElements();
  TileType column = TileType::get({count, 1}, type.getElementType());
  Value pairs = emitter.create("cat", {emitter.reshape(numbers, {count, 1}), emitter.zero(column)},
                               TileType::get({count, 2}, type.getElementType()),
                               emitter.named("dim", emitter.builder.getI64IntegerAttr(1)));
  Value bytes =
      emitter.create("pack", emitter.reshape(pairs, 2 * count), TileType::get(count, emitter.builder.getI8Type()));
  return emitter.reshape(bytes, type.getShape());
}

Type Emitter::heldElement(QualType element) {
  return element->isPointerType() ? builder.getI64Type() : layout.memoryType(element);
}

Value Emitter::pointersToHeld(Value pointers, QualType element) {
  if (!element->isPointerType())
    return pointers;
  TileType type = tileTypeOf(pointers);
  return create("ptr_to_ptr", pointers, withElement(type, cuda_tile::PtrType::get(heldElement(element))));
}

Value Emitter::toHeld(Value values, QualType element) {
  if (element->isPointerType())
    return convertPointers(values, element, layout.ast.UnsignedLongTy);
  if (element->isBooleanType())
    return create("exti", values, withElement(tileTypeOf(values), builder.getI8Type()), signedness(false));
  return isNibble(tileTypeOf(values).getElementType()) ? packNibbles(*this, values) : values;
}

Value Emitter::fromHeld(Value held, QualType element) {
  if (element->isBooleanType())
    return compare(cuda_tile::ComparisonPredicate::NotEqual, held, zero(tileTypeOf(held)), false);
  if (element->isPointerType())
    return convertPointers(held, layout.ast.UnsignedLongTy, element);
  Type wanted = layout.elementType(element);
  return isNibble(wanted) ? unpackNibbles(*this, held, wanted) : held;
}

Value Emitter::load(Value pointers, QualType element, Value mask, Value padding, const AccessMode &mode) {
  pointers = pointersToHeld(pointers, element);
  TileType held = withElement(tileTypeOf(pointers), heldElement(element));
  if (padding)
    padding = toHeld(padding, element);
  auto load = build<cuda_tile::LoadPtrTkoOp>(held, cuda_tile::TokenType::get(builder.getContext()), pointers, mask,
                                             padding, Value(), mode.order, mode.scope, mode.hints);
  return fromHeld(load.getResult(), element);
}

void Emitter::store(Value pointers, Value values, QualType element, Value mask, const AccessMode &mode) {
  pointers = pointersToHeld(pointers, element);
  build<cuda_tile::StorePtrTkoOp>(cuda_tile::TokenType::get(builder.getContext()), pointers, toHeld(values, element),
                                  mask, Value(), mode.order, mode.scope, mode.hints);
}

} // namespace tilewright::cpp
