// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/entry/AskForAmx.h"
#include "cpu/entry/RunBlocks.h"
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
      if (tileaa::isKernel(function) && cpu::countJoined(function) == 1)
        wrap(function);
  }

  void wrap(func::FuncOp kernel) {
    MLIRContext *context = &getContext();
    Location loc = kernel.getLoc();
    std::string name = kernel.getName().str();
    auto joined = getOperation().lookupSymbol<func::FuncOp>(name + cpu::joinedSuffix.str());
    int64_t blocks = joined ? cpu::countJoined(joined) : 1;
    // The last two parameters are context and scratch.
    SmallVector<Type> types(kernel.getArgumentTypes().drop_back(2));
    kernel.setName(name + ".block");

    Type pointer = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
    OpBuilder builder(kernel);
    auto type = FunctionType::get(context, {pointer, i64, i64, i64, i64, i64, pointer, pointer}, {});
    auto entry = func::FuncOp::create(builder, loc, name, type);
    entry.setArgAttr(6, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr()); // scratch
    makeCallable(kernel, entry);
    if (joined)
      makeCallable(joined, entry);
    Block *block = entry.addEntryBlock();
    builder.setInsertionPointToStart(block);
    if (cpu::usesAmx(kernel))
      cpu::askForAmx(builder, loc, getOperation());
    auto argument = [&](unsigned number) -> Value { return block->getArgument(number); };
    cpu::RunBlocks run{argument(4), argument(5), {argument(1), argument(2), argument(3)}, {}};
    for (auto [i, type] : llvm::enumerate(types)) {
      Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, argument(0), ArrayRef<LLVM::GEPArg>{(int32_t)i});
      Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
      run.arguments.push_back(LLVM::LoadOp::create(builder, loc, type, address));
    }
    run.arguments.push_back(argument(7));
    run.arguments.push_back(LLVM::PtrToIntOp::create(builder, loc, i64, argument(6)));
    if (joined)
      run.build(builder, loc, kernel, joined, blocks, ask(builder, loc, name, run.arguments));
    else
      run.build(builder, loc, kernel);
    func::ReturnOp::create(builder, loc);
  }

  // Whether this launch joins blocks.
  Value ask(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
    auto question = getOperation().lookupSymbol<func::FuncOp>((name + cpu::joinsSuffix).str());
    if (!question)
      return arith::ConstantIntOp::create(builder, loc, 1, 1);
    return func::CallOp::create(builder, loc, question, arguments.take_front(question.getNumArguments())).getResult(0);
  }

  // A function that runs blocks takes, after the kernel's parameters, context and scratch, their place. Its facts are
  // those of the entry that calls it.
  void makeCallable(func::FuncOp blocks, func::FuncOp entry) {
    MLIRContext *context = &getContext();
    blocks.setPrivate();
    blocks->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    Block &body = blocks.getBody().front();
    SmallVector<Value> place;
    for (int i = 0; i < 6; ++i)
      place.push_back(body.addArgument(IntegerType::get(context, 32), blocks.getLoc()));
    blocks.setType(FunctionType::get(context, body.getArgumentTypes(), {}));
    blocks.walk([&](Operation *op) {
      if (isa<tileaa::BlockIdOp, tileaa::NumBlocksOp>(op)) {
        op->replaceAllUsesWith(ArrayRef<Value>(place).slice(isa<tileaa::BlockIdOp>(op) ? 0 : 3, 3));
        op->erase();
      }
    });
    if (Attribute plan = cpu::planOf(blocks))
      entry->setAttr(cpu::planAttr, plan);
    if (auto scratch = blocks->getAttrOfType<IntegerAttr>(cpu::scratchBytesAttr))
      if (auto known = entry->getAttrOfType<IntegerAttr>(cpu::scratchBytesAttr);
          !known || known.getInt() < scratch.getInt())
        entry->setAttr(cpu::scratchBytesAttr, scratch);
    for (StringRef attribute : {cpu::scratchBytesAttr, cpu::planAttr, cpu::joinedAttr, tileaa::kernelAttr})
      blocks->removeAttr(attribute);
  }
};

} // namespace
