// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that Clang has computed.
#include "cpp/evaluate/Evaluator.h"

using namespace clang;

namespace tilewright::cpp {

Leaves Evaluator::constantLeaves(const APValue &value, QualType type) {
  type = type.getCanonicalType().getNonReferenceType();
  switch (value.getKind()) {
  case APValue::Indeterminate:
  case APValue::None:
    return zeroLeaves(type);
  case APValue::Int: {
    cuda_tile::TileType result = layout.tileType(type);
    if (!result || !result.getElementType().isIntOrFloat())
      break;
    unsigned bits = result.getElementType().getIntOrFloatBitWidth();
    return {Leaf(
        emitter.constant(mlir::IntegerAttr::get(result.getElementType(), value.getInt().extOrTrunc(bits)), result))};
  }
  case APValue::Float: {
    cuda_tile::TileType result = layout.tileType(type);
    auto format = result ? mlir::dyn_cast<mlir::FloatType>(result.getElementType()) : mlir::FloatType();
    if (!format)
      break;
    llvm::APFloat number = value.getFloat();
    bool losesInfo;
    number.convert(format.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return {Leaf(emitter.constant(mlir::FloatAttr::get(format, number), result))};
  }
  case APValue::LValue:
    if (value.isNullPointer())
      return zeroLeaves(type);
    break;
  case APValue::Array: {
    const auto *array = cast<ConstantArrayType>(ast.getAsArrayType(type));
    Leaves result;
    for (unsigned i = 0; i < value.getArraySize(); ++i)
      result.append(
          constantLeaves(i < value.getArrayInitializedElts() ? value.getArrayInitializedElt(i) : value.getArrayFiller(),
                         array->getElementType()));
    return result;
  }
  case APValue::Struct: {
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    leafCount(type);
    if (layout.isLeaf(type))
      break;
    Leaves result;
    unsigned i = 0;
    for (const CXXBaseSpecifier &base : record->bases())
      result.append(constantLeaves(value.getStructBase(i++), base.getType()));
    for (const FieldDecl *field : record->fields())
      result.append(constantLeaves(value.getStructField(field->getFieldIndex()), field->getType()));
    return result;
  }
  default:
    break;
  }
  refuse("tile code cannot use this constant of type '" + type.getAsString() + "'");
}

} // namespace tilewright::cpp
