// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of tile code in memory of the device: `__tile__` ones, and `static` ones of functions.
#include "cpp/evaluate/Evaluator.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

bool hasAddresses(QualType type) {
  if (type->isPointerType() || type->isReferenceType())
    return true;
  if (const auto *array = type->getAsArrayTypeUnsafe())
    return hasAddresses(array->getElementType());
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return false;
  return llvm::any_of(record->fields(), [](const FieldDecl *field) { return hasAddresses(field->getType()); }) ||
         llvm::any_of(record->bases(), [](const CXXBaseSpecifier &base) { return hasAddresses(base.getType()); });
}

/// The bytes of a constant, little end first.
class Bytes {
public:
  Bytes(const ASTContext &ast, QualType type) : ast(ast), bytes(sizeOf(type)) {}

  /// False for a constant that is no number, or made of such.
  bool write(const APValue &value, QualType type, size_t at = 0) {
    switch (value.getKind()) {
    case APValue::None:
    case APValue::Indeterminate:
      return true;
    case APValue::Int:
      return writeBits(value.getInt(), sizeOf(type), at);
    case APValue::Float:
      return writeBits(value.getFloat().bitcastToAPInt(), sizeOf(type), at);
    case APValue::Array: {
      QualType element = ast.getAsArrayType(type)->getElementType();
      for (unsigned i = 0; i < value.getArraySize(); ++i)
        if (!write(i < value.getArrayInitializedElts() ? value.getArrayInitializedElt(i) : value.getArrayFiller(),
                   element, at + i * sizeOf(element)))
          return false;
      return true;
    }
    case APValue::Struct: {
      const CXXRecordDecl *record = type->getAsCXXRecordDecl();
      const ASTRecordLayout &layout = ast.getASTRecordLayout(record);
      unsigned i = 0;
      for (const CXXBaseSpecifier &base : record->bases())
        if (!write(value.getStructBase(i++), base.getType(),
                   at + layout.getBaseClassOffset(base.getType()->getAsCXXRecordDecl()).getQuantity()))
          return false;
      for (const FieldDecl *field : record->fields())
        if (!write(value.getStructField(field->getFieldIndex()), field->getType(),
                   at + layout.getFieldOffset(field->getFieldIndex()) / 8))
          return false;
      return true;
    }
    default:
      return false;
    }
  }
  llvm::ArrayRef<char> get() const { return bytes; }

private:
  size_t sizeOf(QualType type) const { return ast.getTypeSizeInChars(type).getQuantity(); }
  bool writeBits(const llvm::APInt &bits, size_t size, size_t at) {
    llvm::APInt wide = bits.zextOrTrunc(8 * size);
    for (size_t i = 0; i < size; ++i)
      bytes[at + i] = static_cast<char>(wide.extractBitsAsZExtValue(8, 8 * i));
    return true;
  }

  const ASTContext &ast;
  std::vector<char> bytes;
};

} // namespace

Place Evaluator::placeOfGlobal(const VarDecl *variable) {
  auto name = [&]() { return "'" + variable->getNameAsString() + "'"; };
  const VarDecl *definition = variable->isStaticLocal() ? variable : variable->getDefinition();
  if (!definition)
    refuse("the variable " + name() + " has no definition in this translation unit, which tile code needs");
  QualType type = definition->getType();
  if (hasAddresses(type))
    refuse("the variable " + name() + " of tile code cannot have pointers or references");
  Bytes bytes(ast, type);
  const APValue *value = definition->hasInit() ? definition->evaluateValue() : nullptr;
  if (definition->hasInit() && (!value || !bytes.write(*value, type)))
    refuse("the variable " + name() + " of tile code is initialized by something that is no constant");

  // Elements of one number, or bytes.
  mlir::MLIRContext *context = entry.getContext();
  mlir::Type element = layout.memoryType(ast.getBaseElementType(type));
  auto module = entry->getParentOfType<cuda_tile::ModuleOp>();
  std::string symbol = ASTNameGenerator(ast).getName(definition);
  if (symbol.empty())
    symbol = definition->getNameAsString();
  if (!module.lookupSymbol(symbol)) {
    int64_t count = bytes.get().size() * 8 / element.getIntOrFloatBitWidth();
    auto held = cuda_tile::TileType::get(count, element);
    auto builder = mlir::OpBuilder::atBlockBegin(&module.getBody().front());
    auto visibility =
        variable->isStaticLocal() ? cuda_tile::SymbolVisibility::Private : cuda_tile::SymbolVisibility::Public;
    cuda_tile::GlobalOp::create(builder, builder.getUnknownLoc(), symbol,
                                mlir::DenseElementsAttr::getFromRawBuffer(held, bytes.get()),
                                ast.getDeclAlign(definition).getQuantity(), visibility);
  }
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  emitter.builder.setInsertionPointToStart(&entry.getBody().front());
  Place result{type};
  result.address = cuda_tile::GetGlobalOp::create(emitter.builder, entry.getLoc(),
                                                  cuda_tile::TileType::get({}, cuda_tile::PtrType::get(element)),
                                                  mlir::FlatSymbolRefAttr::get(context, symbol));
  return result;
}

} // namespace tilewright::cpp
