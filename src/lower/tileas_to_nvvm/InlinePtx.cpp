// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/InlinePtx.h"

using namespace mlir;
using namespace tilewright;

static SmallVector<Value> fieldsOf(Value structure, TileRegisters &tiles) {
  SmallVector<Value> fields;
  for (size_t index = 0; index != cast<LLVM::LLVMStructType>(structure.getType()).getBody().size(); ++index)
    fields.push_back(LLVM::ExtractValueOp::create(tiles.builder, tiles.loc, structure, index));
  return fields;
}

SmallVector<Value> tilewright::computeByPtx(const Twine &text, StringRef constraints, ArrayRef<Value> operands,
                                            ArrayRef<Type> types, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value all = LLVM::InlineAsmOp::create(
                  b, tiles.loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), operands, text.str(),
                  constraints, /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                  LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                  .getResult(0);
  return fieldsOf(all, tiles);
}

void tilewright::actByPtx(const Twine &text, StringRef constraints, ArrayRef<Value> operands, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  LLVM::InlineAsmOp::create(b, tiles.loc, LLVM::LLVMVoidType::get(b.getContext()), operands, text.str(),
                            (constraints + ",~{memory}").str(), /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

Value tilewright::changeRegisters(StringRef text, StringRef kinds, ArrayRef<Value> operands, Value registers,
                                  TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  auto type = cast<LLVM::LLVMStructType>(registers.getType());
  std::string constraints;
  llvm::raw_string_ostream of(constraints);
  for (Type slot : type.getBody())
    of << (slot.isF32() ? "=f," : "=r,");
  SmallVector<Value> all(operands);
  for (char kind : kinds)
    of << kind << ",";
  llvm::append_range(all, fieldsOf(registers, tiles));
  for (size_t index = 0; index != type.getBody().size(); ++index)
    of << index << ",";
  of << "~{memory}";
  return LLVM::InlineAsmOp::create(b, tiles.loc, type, all, text, constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

SmallVector<Value> tilewright::passThrough(StringRef text, ArrayRef<Value> values, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(values.size(), values[0].getType()));
  Value all = LLVM::UndefOp::create(b, tiles.loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    all = LLVM::InsertValueOp::create(b, tiles.loc, all, value, index);
  return fieldsOf(changeRegisters(text, "", {}, all, tiles), tiles);
}
