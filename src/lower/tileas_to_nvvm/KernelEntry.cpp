// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_NVIDIAKERNELENTRY
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class KernelEntry : public tilewright::impl::NvidiaKernelEntryBase<KernelEntry> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr("tileaa.kernel"))
        continue;
      int32_t threads = tileas::warpsOf(function) * 32;
      Builder builder(&getContext());
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({threads}));
      for (StringRef name : {"tileaa.kernel", "tileaa.hints", tileas::warpsAttr.data()})
        function->removeAttr(name);
    }
  }
};

} // namespace
