// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is not inlined: LLVM configures the unit after calls, which is a fault before the request.
#include "cpu/entry/AskForAmx.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

static constexpr StringLiteral functionName = "tilewright.ask_for_amx", flagName = "tilewright.has_asked_for_amx";

bool cpu::usesAmx(func::FuncOp function) {
  return function
      .walk([](LLVM::CallIntrinsicOp call) {
        return call.getIntrin().starts_with("llvm.x86.tile") ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static LLVM::LLVMFuncOp makeRequest(Location loc, ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  MLIRContext *context = module.getContext();
  Type i8 = builder.getI8Type(), i64 = builder.getI64Type();
  auto flag = LLVM::GlobalOp::create(builder, loc, i8, /*isConstant=*/false, LLVM::Linkage::Internal, flagName,
                                     builder.getI8IntegerAttr(0));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {});
  auto request = LLVM::LLVMFuncOp::create(builder, loc, functionName, type, LLVM::Linkage::Internal);
  request.setNoInline(true);
  Block *entry = request.addEntryBlock(builder);
  Block *ask = builder.createBlock(&request.getBody()), *done = builder.createBlock(&request.getBody());
  auto number = [&](int64_t value) -> Value { return LLVM::ConstantOp::create(builder, loc, i64, value); };

  builder.setInsertionPointToStart(entry);
  Value address = LLVM::AddressOfOp::create(builder, loc, flag);
  Value old = LLVM::LoadOp::create(builder, loc, i8, address);
  Value zero = LLVM::ConstantOp::create(builder, loc, i8, 0);
  Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, old, zero);
  LLVM::CondBrOp::create(builder, loc, isFirst, ask, done);

  builder.setInsertionPointToStart(ask);
  // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
  SmallVector<Value> arguments = {number(158), number(0x1023), number(18)};
  LLVM::InlineAsmOp::create(builder, loc, i64, arguments, "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}",
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  LLVM::StoreOp::create(builder, loc, LLVM::ConstantOp::create(builder, loc, i8, 1), address);
  LLVM::BrOp::create(builder, loc, done);

  builder.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return request;
}

void cpu::askForAmx(OpBuilder &builder, Location loc, ModuleOp module) {
  auto request = module.lookupSymbol<LLVM::LLVMFuncOp>(functionName);
  LLVM::CallOp::create(builder, loc, request ? request : makeRequest(loc, module), ValueRange());
}
