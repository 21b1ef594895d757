// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/KernelContext.h"
#include "target/nvidia/Passes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_NVIDIASTATICSHAREDMEMORY
#include "target/nvidia/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct StaticSharedMemory : tilewright::impl::NvidiaStaticSharedMemoryBase<StaticSharedMemory> {
  void runOnOperation() override {
    int64_t bytes = 0;
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (tileas::CtaAttr cta = tileas::ctaOf(kernel)) {
        bytes = std::max(bytes, cta.getSharedBytes().value_or(0));
        tileas::setCta(kernel, cta.withSharedBytes(std::nullopt));
      }
    auto memory = getOperation().lookupSymbol<LLVM::GlobalOp>(sharedMemoryName);
    if (!memory || !bytes)
      return;
    memory.setGlobalType(LLVM::LLVMArrayType::get(IntegerType::get(&getContext(), 8), bytes));
    memory.setLinkage(LLVM::Linkage::Internal);
  }
};

} // namespace
