// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksAsked.h"
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
      auto more = function->getAttrOfType<IntegerAttr>(tileas::threadsAttr);
      if (more)
        threads = more.getInt();
      Builder builder(&getContext());
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({threads}));
      // Registers change hands only where the assembler knows how many there are.
      int64_t blocks = more ? 1 : tileas::blocksAsked(function, threads);
      if (blocks)
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(blocks));
      if (more)
        tileaa::declineHint(function, tileaa::hint::occupancy, "the agents of a block share all registers");
      else
        tileaa::followHint(function, tileaa::hint::occupancy,
                           "a thread has registers for " + Twine(blocks) + " blocks of an SM");
      for (unsigned argument = 0; argument != function.getNumArguments(); ++argument)
        if (function.removeArgAttr(argument, tileas::boxAttr))
          function.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
      for (StringRef name : {"tileaa.kernel", tileaa::hintsAttr.data(), tileaa::slicesAttr.data(),
                             tileas::warpsAttr.data(), tileas::threadsAttr.data()})
        function->removeAttr(name);
    }
  }
};

} // namespace
