// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/values/Emitter.h"
#include "cpp/values/Fold.h"

using namespace mlir;
using clang::QualType;

namespace tilewright::cpp {

using cuda_tile::TileType;

Value Emitter::constant(Attribute element, TileType type) {
  return constantTile(DenseElementsAttr::get(type, element));
}

Value Emitter::constantTile(DenseElementsAttr elements) {
  Value &known = constants[elements];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = cuda_tile::ConstantOp::create(builder, entry->getParentOp()->getLoc(), elements);
  }
  return known;
}

Value Emitter::integer(int64_t number, TileType type) {
  return constant(builder.getIntegerAttr(type.getElementType(), number), type);
}

Value Emitter::boolean(bool value) {
  return integer(value, TileType::get({}, builder.getI1Type()));
}

Value Emitter::zero(TileType type) {
  if (isa<cuda_tile::PtrType>(type.getElementType()))
    return create("int_to_ptr", integer(0, withElement(type, builder.getI64Type())), type);
  // A format without a zero has what the bits of 0 are.
  if (isa<Float8E8M0FNUType>(type.getElementType()))
    return constant(FloatAttr::get(type.getElementType(), APFloat(APFloat::Float8E8M0FNU(), APInt(8, 0))), type);
  return constant(builder.getZeroAttr(type.getElementType()), type);
}

Value Emitter::create(StringRef name, ValueRange operands, Type result, Attributes attributes) {
  NamedAttrList list(attributes);
  if (auto type = dyn_cast<TileType>(result)) {
    auto elements = llvm::map_to_vector(operands, constantElement);
    if (Attribute element = operands.empty() ? Attribute() : fold(name, elements, list, type.getElementType()))
      return constant(element, type);
    if (Value operand = foldToOperand(name, operands))
      return operand;
  }
  OperationState state(location, ("cuda_tile." + name).str());
  state.addOperands(operands);
  state.addTypes(result);
  state.addAttributes(list.getAttrs());
  return builder.create(state)->getResult(0);
}

NamedAttribute Emitter::signedness(bool isSigned, StringRef name) {
  return named(name, cuda_tile::SignednessAttr::get(builder.getContext(), isSigned ? cuda_tile::Signedness::Signed
                                                                                   : cuda_tile::Signedness::Unsigned));
}

Value Emitter::compare(cuda_tile::ComparisonPredicate predicate, Value a, Value b, bool isSigned) {
  TileType type = tileTypeOf(a), result = withElement(type, builder.getI1Type());
  MLIRContext *context = builder.getContext();
  NamedAttribute relation = named("comparison_predicate", cuda_tile::ComparisonPredicateAttr::get(context, predicate));
  if (isa<IntegerType>(type.getElementType()))
    return create("cmpi", {a, b}, result, {relation, signedness(isSigned)});
  // A comparison with NaN is false, but that it is not equal.
  auto ordering = predicate == cuda_tile::ComparisonPredicate::NotEqual ? cuda_tile::ComparisonOrdering::Unordered
                                                                        : cuda_tile::ComparisonOrdering::Ordered;
  return create("cmpf", {a, b}, result,
                {relation, named("comparison_ordering", cuda_tile::ComparisonOrderingAttr::get(context, ordering))});
}

Value Emitter::convertPointers(Value value, QualType from, QualType to) {
  TileType type = tileTypeOf(value);
  Type i64 = builder.getI64Type();
  bool fromPointer = isa<cuda_tile::PtrType>(type.getElementType());
  Type element = layout.elementType(to);
  if (fromPointer && isa<cuda_tile::PtrType>(element)) {
    TileType result = withElement(type, element);
    return result == type ? value : create("ptr_to_ptr", value, result);
  }
  if (fromPointer) {
    Value address = create("ptr_to_int", value, withElement(type, i64));
    return convertElements(address, layout.ast.UnsignedLongTy, to);
  }
  Value address = convertElements(value, from, layout.ast.UnsignedLongTy);
  return create("int_to_ptr", address, withElement(type, element));
}

Value Emitter::convertElements(Value value, QualType from, QualType to, Attributes attributes) {
  TileType type = tileTypeOf(value);
  Type source = type.getElementType(), target = layout.elementType(to);
  TileType result = withElement(type, target);
  if (isa<cuda_tile::PtrType>(source) || isa<cuda_tile::PtrType>(target))
    return convertPointers(value, from, to);
  if (source == target)
    return value;
  bool isInteger = isa<IntegerType>(source);
  if (to->isBooleanType()) {
    // Formats that have no comparisons are compared as float.
    if (!isInteger && !cuda_tile::isFloatTile(type))
      value = create("ftof", value, withElement(type, builder.getF32Type()));
    return compare(cuda_tile::ComparisonPredicate::NotEqual, value, zero(tileTypeOf(value)), false);
  }
  auto withSign = [&](QualType integer) {
    SmallVector<NamedAttribute> all(attributes);
    all.push_back(signedness(layout.isSigned(integer)));
    return all;
  };
  if (isInteger && isa<IntegerType>(target))
    return source.getIntOrFloatBitWidth() < target.getIntOrFloatBitWidth()
               ? create("exti", value, result, signedness(layout.isSigned(from)))
               : create("trunci", value, result);
  if (isInteger)
    return create("itof", value, result, withSign(from));
  if (isa<IntegerType>(target))
    return create("ftoi", value, result, withSign(to));
  return create("ftof", value, result, attributes);
}

Value Emitter::sameOfShape(Value value, ArrayRef<int64_t> shape) {
  TileType type = tileTypeOf(value);
  if (type.getShape() == shape)
    return value;
  if (Attribute element = constantElement(value))
    return constant(element, TileType::get(shape, type.getElementType()));
  return {};
}

Value Emitter::reshape(Value value, ArrayRef<int64_t> shape) {
  if (Value same = sameOfShape(value, shape))
    return same;
  return create("reshape", value, TileType::get(shape, tileTypeOf(value).getElementType()));
}

Value Emitter::broadcast(Value value, ArrayRef<int64_t> shape) {
  if (Value same = sameOfShape(value, shape))
    return same;
  TileType type = tileTypeOf(value), result = TileType::get(shape, type.getElementType());
  SmallVector<int64_t> padded(shape.size() - type.getShape().size(), 1);
  llvm::append_range(padded, type.getShape());
  value = reshape(value, padded);
  return padded == shape ? value : create("broadcast", value, result);
}

} // namespace tilewright::cpp
