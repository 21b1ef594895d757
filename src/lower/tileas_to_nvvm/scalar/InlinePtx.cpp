// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

using namespace mlir;
using namespace tilewright;

static SmallVector<Value> fieldsOf(Value structure, ThreadBuilder &thread) {
  SmallVector<Value> fields;
  for (size_t index = 0; index != cast<LLVM::LLVMStructType>(structure.getType()).getBody().size(); ++index)
    fields.push_back(LLVM::ExtractValueOp::create(thread.builder, thread.loc, structure, index));
  return fields;
}

SmallVector<Value> tilewright::computeByPtx(const Twine &text, StringRef constraints, ArrayRef<Value> operands,
                                            ArrayRef<Type> types, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value all = LLVM::InlineAsmOp::create(
                  b, thread.loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), operands, text.str(),
                  constraints, /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                  LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                  .getResult(0);
  return fieldsOf(all, thread);
}

SmallVector<Value> tilewright::readByPtx(const Twine &text, StringRef constraints, ArrayRef<Value> operands,
                                         ArrayRef<Type> types, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  bool isOne = types.size() == 1;
  Type type = isOne ? types[0] : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value all = LLVM::InlineAsmOp::create(b, thread.loc, type, operands, text.str(), (constraints + ",~{memory}").str(),
                                        /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                        LLVM::AsmDialectAttr(), ArrayAttr())
                  .getResult(0);
  return isOne ? SmallVector<Value>{all} : fieldsOf(all, thread);
}

void tilewright::actByPtx(const Twine &text, StringRef constraints, ArrayRef<Value> operands, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  LLVM::InlineAsmOp::create(b, thread.loc, LLVM::LLVMVoidType::get(b.getContext()), operands, text.str(),
                            (constraints + ",~{memory}").str(), /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

Value tilewright::changeRegisters(StringRef text, StringRef kinds, ArrayRef<Value> operands, Value registers,
                                  ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  auto type = cast<LLVM::LLVMStructType>(registers.getType());
  std::string constraints;
  llvm::raw_string_ostream of(constraints);
  for (Type slot : type.getBody())
    of << (slot.isF32() ? "=f," : "=r,");
  SmallVector<Value> all(operands);
  for (char kind : kinds)
    of << kind << ",";
  llvm::append_range(all, fieldsOf(registers, thread));
  for (size_t index = 0; index != type.getBody().size(); ++index)
    of << index << ",";
  of << "~{memory}";
  return LLVM::InlineAsmOp::create(b, thread.loc, type, all, text, constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

SmallVector<Value> tilewright::passThrough(StringRef text, ArrayRef<Value> values, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(values.size(), values[0].getType()));
  Value all = LLVM::UndefOp::create(b, thread.loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    all = LLVM::InsertValueOp::create(b, thread.loc, all, value, index);
  return fieldsOf(changeRegisters(text, "", {}, all, thread), thread);
}
