// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/InlinePtx.h"

using namespace mlir;
using namespace tilewright;

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
  for (size_t index = 0; index != type.getBody().size(); ++index) {
    of << index << ",";
    all.push_back(LLVM::ExtractValueOp::create(b, tiles.loc, registers, index));
  }
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
  all = changeRegisters(text, "", {}, all, tiles);
  SmallVector<Value> behind;
  for (size_t index = 0; index != values.size(); ++index)
    behind.push_back(LLVM::ExtractValueOp::create(b, tiles.loc, all, index));
  return behind;
}
