// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPLACEGLOBALS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct CpuPlaceGlobals : tilewright::impl::CpuPlaceGlobalsBase<CpuPlaceGlobals> {
  void runOnOperation() override {
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    getOperation().walk([&](tileaa::GetGlobalOp get) {
      OpBuilder builder(get);
      Value address = LLVM::AddressOfOp::create(builder, get.getLoc(), pointer, get.getName());
      get.replaceAllUsesWith(LLVM::PtrToIntOp::create(builder, get.getLoc(), get.getType(), address).getResult());
      get.erase();
    });
    for (tileaa::GlobalOp global : llvm::make_early_inc_range(getOperation().getOps<tileaa::GlobalOp>())) {
      OpBuilder builder(global);
      StringRef content = global.getContent();
      auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), content.size());
      // Constant ones too can be written: a program that does so is wrong, but gets no signal.
      auto placed = LLVM::GlobalOp::create(builder, global.getLoc(), type, /*isConstant=*/false,
                                           global.isPrivate() ? LLVM::Linkage::Internal : LLVM::Linkage::External,
                                           global.getSymName(), global.getContentAttr(), global.getAlignment());
      placed.setDsoLocal(global.isPrivate());
      global.erase();
    }
  }
};

} // namespace
