// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/values/Layout.h"
#include "cpp/values/Annotations.h"

using namespace clang;

namespace tilewright::cpp {

bool Layout::isLeaf(QualType type) const {
  type = type.getCanonicalType();
  return type->isScalarType() || type->isReferenceType() || type->isNullPtrType() || !valueKind(type).empty();
}

std::optional<unsigned> Layout::numLeaves(QualType type) {
  type = type.getCanonicalType();
  if (type->isVoidType())
    return 0;
  if (isLeaf(type))
    return 1;
  const clang::Type *key = type.getTypePtr();
  if (auto known = counts.find(key); known != counts.end())
    return known->second;
  unsigned count = 0;
  auto add = [&](QualType part) {
    std::optional<unsigned> leaves = numLeaves(part);
    count += leaves.value_or(0);
    return leaves.has_value();
  };
  if (const auto *array = dyn_cast_or_null<ConstantArrayType>(ast.getAsArrayType(type))) {
    if (!add(array->getElementType()))
      return std::nullopt;
    count *= array->getZExtSize();
  } else if (const CXXRecordDecl *record = type->getAsCXXRecordDecl(); record && record->hasDefinition()) {
    if (record->isUnion() || record->isDynamicClass())
      return std::nullopt;
    for (const CXXBaseSpecifier &base : record->bases())
      if (!add(base.getType()))
        return std::nullopt;
    for (const FieldDecl *field : record->fields())
      if (!add(field->getType()))
        return std::nullopt;
  } else {
    return std::nullopt;
  }
  counts[key] = count;
  return count;
}

void Layout::appendLeafTypes(QualType type, SmallVectorImpl<mlir::Type> &types) {
  type = type.getCanonicalType();
  if (type->isVoidType())
    return;
  if (isLeaf(type)) {
    types.push_back(type->isReferenceType() ? mlir::Type() : tileType(type));
  } else if (const auto *array = dyn_cast_or_null<ConstantArrayType>(ast.getAsArrayType(type))) {
    for (uint64_t i = 0; i < array->getZExtSize(); ++i)
      appendLeafTypes(array->getElementType(), types);
  } else if (const CXXRecordDecl *record = type->getAsCXXRecordDecl()) {
    for (const CXXBaseSpecifier &base : record->bases())
      appendLeafTypes(base.getType(), types);
    for (const FieldDecl *field : record->fields())
      appendLeafTypes(field->getType(), types);
  }
}

unsigned Layout::fieldOffset(const FieldDecl *field) {
  const auto *record = cast<CXXRecordDecl>(field->getParent());
  unsigned offset = 0;
  for (const CXXBaseSpecifier &base : record->bases())
    offset += numLeaves(base.getType()).value_or(0);
  for (const FieldDecl *before : record->fields()) {
    if (before == field)
      break;
    offset += numLeaves(before->getType()).value_or(0);
  }
  return offset;
}

unsigned Layout::baseOffset(const CXXRecordDecl *derived, const CXXRecordDecl *base) {
  unsigned offset = 0;
  for (const CXXBaseSpecifier &specifier : derived->bases()) {
    if (declaresSameEntity(specifier.getType()->getAsCXXRecordDecl(), base))
      return offset;
    offset += numLeaves(specifier.getType()).value_or(0);
  }
  return 0;
}

cuda_tile::TileType Layout::tileType(QualType type) const {
  mlir::Type elementOf = elementType(element(type));
  return elementOf ? cuda_tile::TileType::get(shape(type), elementOf) : cuda_tile::TileType();
}

mlir::Type Layout::elementType(QualType scalar) const {
  mlir::Builder builder(context);
  scalar = scalar.getCanonicalType();
  if (scalar->isBooleanType())
    return builder.getI1Type();
  if (scalar->isIntegralOrEnumerationType()) {
    unsigned bits = ast.getIntWidth(scalar);
    return bits <= 64 ? builder.getIntegerType(bits) : mlir::Type();
  }
  if (scalar->isPointerType())
    return cuda_tile::PtrType::get(memoryType(scalar->getPointeeType()));
  if (scalar->isNullPtrType())
    return cuda_tile::PtrType::get(builder.getI8Type());
  if (scalar->isHalfType() || scalar->isFloat16Type())
    return builder.getF16Type();
  if (scalar->isBFloat16Type())
    return builder.getBF16Type();
  if (scalar->isSpecificBuiltinType(BuiltinType::Float))
    return builder.getF32Type();
  if (scalar->isSpecificBuiltinType(BuiltinType::Double) || scalar->isSpecificBuiltinType(BuiltinType::LongDouble))
    return builder.getF64Type();
  return llvm::StringSwitch<llvm::function_ref<mlir::Type()>>(valueKind(scalar))
      .Case("f16", [&]() -> mlir::Type { return builder.getF16Type(); })
      .Case("bf16", [&]() -> mlir::Type { return builder.getBF16Type(); })
      .Case("tf32", [&]() -> mlir::Type { return builder.getTF32Type(); })
      .Case("f8E4M3FN", [&]() -> mlir::Type { return mlir::Float8E4M3FNType::get(context); })
      .Case("f8E5M2", [&]() -> mlir::Type { return mlir::Float8E5M2Type::get(context); })
      .Case("f8E8M0FNU", [&]() -> mlir::Type { return mlir::Float8E8M0FNUType::get(context); })
      .Case("f8E5M3FNU", [&]() -> mlir::Type { return cuda_tile::F8E5M3FNUType::get(context); })
      .Case("f4E2M1FN", [&]() -> mlir::Type { return mlir::Float4E2M1FNType::get(context); })
      .Default([]() { return mlir::Type(); })();
}

mlir::Type Layout::memoryType(QualType type) const {
  mlir::Type byte = mlir::IntegerType::get(context, 8);
  if (type->isBooleanType() || type->isPointerType() || type->isNullPtrType())
    return byte;
  mlir::Type held = elementType(type);
  return held && held.getIntOrFloatBitWidth() >= 8 ? held : byte;
}

QualType Layout::element(QualType type) const {
  if (valueKind(type) == "tile")
    return cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())->getTemplateArgs()[0].getAsType();
  return type.getUnqualifiedType();
}

SmallVector<int64_t> Layout::shape(QualType type) const {
  SmallVector<int64_t> result;
  if (valueKind(type) != "tile")
    return result;
  const TemplateArgumentList &tile =
      cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())->getTemplateArgs();
  const TemplateArgumentList &extents =
      cast<ClassTemplateSpecializationDecl>(tile[1].getAsType()->getAsCXXRecordDecl())->getTemplateArgs();
  for (const TemplateArgument &extent : extents[1].pack_elements())
    result.push_back(extent.getAsIntegral().getZExtValue());
  return result;
}

} // namespace tilewright::cpp
