// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/ir/Decisions.h"
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

// As many blocks as are asked for and shared memory allows: registers for more would lie idle.
int64_t blocksThatFit(LLVM::LLVMFuncOp kernel, int64_t threads, const nvidia::Architecture &architecture) {
  int64_t asked = tileas::blocksAsked(kernel, threads, architecture);
  int64_t bytes = tileas::sharedBytesOf(kernel) + nvidia::Architecture::reservedSharedBytes;
  return std::min<int64_t>(asked, architecture.sharedBytesPerSm / bytes);
}

// Refuses what a plan file asks for where shared memory has no room. Registers are an assembler's matter.
LogicalResult checkOccupancy(LLVM::LLVMFuncOp kernel, const nvidia::Architecture &architecture) {
  int64_t bytes = tileas::sharedBytesOf(kernel) + nvidia::Architecture::reservedSharedBytes;
  int64_t fit = architecture.sharedBytesPerSm / bytes;
  for (tileas::DecisionAttr decision : tileas::decisionsOf(kernel))
    if (decision.getKind() == tileas::DecisionKind::Occupancy && decision.getAsked().value_or(1) > fit)
      return emitError(kernel.getLoc()) << decision.getAskedBy() << ": occupancy = " << *decision.getAsked()
                                        << " of kernel is impossible, it is " << fit << ": a CTA has " << bytes
                                        << " of the " << architecture.sharedBytesPerSm
                                        << " bytes of shared memory of a multiprocessor";
  return success();
}

// The CTAs of agents that a multiprocessor has at a time, where that is known: of persistent ones one; where registers
// change hands as many as these are planned for, which the assembler has to know.
std::optional<int64_t> blocksOfAgents(LLVM::LLVMFuncOp kernel, tileas::CtaAttr cta) {
  auto stop = [](NVVM::SetMaxRegisterOp) { return WalkResult::interrupt(); };
  if (cta.getBlocksPerSm() || cta.getFirstBlocks())
    return 1;
  return kernel.walk(stop).wasInterrupted() ? std::optional(cta.getResident()) : std::nullopt;
}

// The first copy by a tensor map would wait for the map itself. A thread that initializes no barriers asks for it.
void prefetchMaps(LLVM::LLVMFuncOp kernel, unsigned first, int32_t threads) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Type i32 = b.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(b, loc, i32);
  Value asking = LLVM::ConstantOp::create(b, loc, i32, threads - nvidia::Architecture::warpThreads);
  Value isAsking = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, thread, asking);
  for (Value map : kernel.getArguments().drop_front(first))
    NVVM::PrefetchOp::create(b, loc, /*cacheLevel=*/nullptr, /*evictPriority=*/nullptr, map, isAsking,
                             /*tensormap=*/true, /*uniform=*/false, /*in_param_space=*/false);
}

class KernelEntry : public tilewright::impl::NvidiaKernelEntryBase<KernelEntry> {
  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!tileaa::isKernel(function))
        continue;
      tileas::CtaAttr cta = tileas::expectCta(function);
      if (!cta)
        return signalPassFailure();
      std::optional<int64_t> more = cta.getThreads();
      int32_t threads = more.value_or(cta.getWarps() * 32);
      if (failed(checkOccupancy(function, *architecture)))
        return signalPassFailure();
      Builder builder(&getContext());
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr({threads}));
      if (int32_t cluster = tileas::clusterOf(function); cluster > 1)
        function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), builder.getDenseI32ArrayAttr({cluster, 1, 1}));
      std::optional<int64_t> known = more ? blocksOfAgents(function, cta) : std::nullopt;
      int64_t blocks = known ? *known : blocksThatFit(function, threads, *architecture);
      if (more)
        blocks = std::max<int64_t>(blocks, 1);
      if (blocks > 0)
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(blocks));
      if (known == 1 && tileaa::numberHinted(function, tileaa::hint::occupancy) != 1)
        tileaa::declineHint(function, tileaa::hint::occupancy, "the agents of a block share all registers");
      unsigned parameters = function.getNumArguments(), maps = tileas::tmaDescsOf(function).size();
      for (unsigned argument = parameters - maps; argument != parameters; ++argument)
        function.setArgAttr(argument, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
      if (maps)
        prefetchMaps(function, parameters - maps, threads);
      function->removeAttr(tileaa::kernelAttr);
      function->removeAttr(tileaa::slicesAttr);
    }
  }
};

} // namespace
