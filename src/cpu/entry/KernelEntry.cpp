// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/entry/AskForAmx.h"
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUKERNELENTRY
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct CpuKernelEntry : tilewright::impl::CpuKernelEntryBase<CpuKernelEntry> {
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (tileaa::isKernel(function))
        wrap(function);
  }

  // The block's function takes, after the kernel's parameters, context and scratch, its coordinates and the grid.
  void wrap(func::FuncOp kernel) {
    MLIRContext *context = &getContext();
    Location loc = kernel.getLoc();
    std::string name = kernel.getName().str();
    kernel.setName(name + ".block");
    kernel.setPrivate();
    kernel->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    Block &body = kernel.getBody().front();
    unsigned numParameters = body.getNumArguments();
    Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
    SmallVector<Value> coordinates;
    for (int i = 0; i < 6; ++i)
      coordinates.push_back(body.addArgument(i32, loc));
    kernel.setType(FunctionType::get(context, body.getArgumentTypes(), {}));
    kernel.walk([&](Operation *op) {
      if (isa<tileaa::BlockIdOp, tileaa::NumBlocksOp>(op)) {
        op->replaceAllUsesWith(ArrayRef<Value>(coordinates).slice(isa<tileaa::BlockIdOp>(op) ? 0 : 3, 3));
        op->erase();
      }
    });

    Type pointer = LLVM::LLVMPointerType::get(context);
    OpBuilder builder(kernel);
    auto type = FunctionType::get(context, {pointer, i64, i64, i64, i64, i64, pointer, pointer}, {});
    auto entry = func::FuncOp::create(builder, loc, name, type);
    entry.setArgAttr(6, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()); // scratch
    for (StringRef attribute : {cpu::scratchBytesAttr, cpu::planAttr})
      if (Attribute value = kernel->getAttr(attribute)) {
        entry->setAttr(attribute, value);
        kernel->removeAttr(attribute);
      }
    kernel->removeAttr(tileaa::kernelAttr);
    Block *block = entry.addEntryBlock();
    builder.setInsertionPointToStart(block);
    if (cpu::usesAmx(kernel))
      cpu::askForAmx(builder, loc, getOperation());
    Value args = block->getArgument(0);
    SmallVector<Value> operands;
    // The last two parameters are context and scratch.
    for (unsigned i = 0; i + 2 < numParameters; ++i) {
      Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, args, ArrayRef<LLVM::GEPArg>{(int32_t)i});
      Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
      operands.push_back(LLVM::LoadOp::create(builder, loc, body.getArgument(i).getType(), address));
    }
    operands.push_back(block->getArgument(7));
    operands.push_back(LLVM::PtrToIntOp::create(builder, loc, i64, block->getArgument(6)));
    Value gridX = block->getArgument(1), gridY = block->getArgument(2), gridZ = block->getArgument(3);
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
    auto loop = scf::ForOp::create(builder, loc, block->getArgument(4), block->getArgument(5), one);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(loop.getBody());
    Value linear = loop.getInductionVar();
    Value x = arith::RemUIOp::create(builder, loc, linear, gridX);
    Value rest = arith::DivUIOp::create(builder, loc, linear, gridX);
    Value y = arith::RemUIOp::create(builder, loc, rest, gridY);
    Value z = arith::DivUIOp::create(builder, loc, rest, gridY);
    for (Value value : {x, y, z, gridX, gridY, gridZ})
      operands.push_back(arith::TruncIOp::create(builder, loc, i32, value));
    func::CallOp::create(builder, loc, kernel, operands);
  }
};

} // namespace
