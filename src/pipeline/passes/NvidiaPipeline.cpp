// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/passes/NvidiaPipeline.h"

#include "lower/tileaa_to_tileas/TileaaToTileas.h"
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "tileaa/transforms/Passes.h"
#include "tileas/async/Passes.h"
#include "tileas/legalize/Passes.h"
#include "tileas/memory/Passes.h"
#include "tileas/plan/Passes.h"
#include "tileas/schedule/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;

void tilewright::buildTileaaToTileas(OpPassManager &passes, const nvidia::Architecture &architecture,
                                     nvidia::LaunchAbi abi, const nvidia::Switches &switches) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  LegalizeCorePassOptions core;
  core.native = {"tf32"};
  if (architecture.has(nvidia::Feature::Fp8Convert))
    core.native = {"tf32", "f8E4M3FN", "f8E5M2"};
  // PTX ISA 9.7.14.3, kinds mxf8f6f4, mxf4 and mxf4nvf4. Exponents for each 16 of 4 bits need PTX 9.1.
  if (architecture.hasBlockScaledMma())
    core.nativeScaled = {"f8E4M3FN:f8E8M0FNU:32", "f8E5M2:f8E8M0FNU:32", "f4E2M1FN:f8E8M0FNU:32",
                         "f4E2M1FN:f8E4M3FN:16"};
  function(createLegalizeCorePass(core));
  // Behind the motion of what does not vary: a product that a loop adds again and again is computed once.
  passes.addPass(createLoopInvariantCodeMotionPass());
  function(createOptimizeDotAccumulationPass());
  SliceProductsPassOptions products;
  products.sharedBytes = architecture.sharedBytesPerBlock();
  function(createSliceProductsPass(products));
  function(createSliceAndFusePass());
  function(createTileasPlanCta());
  TileaaToTileasOptions layouts;
  layouts.arch = architecture.name.str();
  function(createTileaaToTileas(layouts));
  function(createTileasLegalizeScan());
  // Behind the changes of layouts, so that what is brought into another one is half as large.
  function(createWidenSumsPass({/*scansOnly=*/true}));
  function(createTileasUnrollRegisterLoops());
  function(createTileasLegalizeSlices());
  function(createTileasLegalizeReduce());
  bool portable = abi == nvidia::LaunchAbi::Portable;
  TileasDynamicPersistentOptions persistent;
  persistent.arch = architecture.name.str();
  persistent.wholeGrid = portable;
  function(createTileasDynamicPersistent(persistent));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  TileasStoreByTmaOptions stores;
  stores.arch = architecture.name.str();
  stores.preferTma = switches.preferTma;
  stores.delayWait = switches.delayTmaStoreWait;
  stores.ownDescs = portable;
  function(createTileasStoreByTma(stores));
  function(createTileasLegalizeTmemCopy());
  TileasMaterializeAsyncOptions async;
  async.arch = architecture.name.str();
  async.ownDescs = portable;
  function(createTileasMaterializeAsync(async));
  function(portable ? createTileasWriteTmaDescs() : createTileasAttachTmaDescArgs());
  TileasUnspecializedPipelineOptions pipelines;
  pipelines.arch = architecture.name.str();
  function(createTileasUnspecializedPipeline(pipelines));
  function(createTileasRecomputeForScheduling());
  TileasPrepareForSchedulingOptions costs;
  costs.arch = architecture.name.str();
  function(createTileasPrepareForScheduling(costs));
  function(createTileasGenerateSchedule());
}

void tilewright::buildTileasPlan(OpPassManager &passes, const nvidia::Architecture &architecture,
                                 const nvidia::Switches &switches, bool libdevice) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  function(createTileasMaterializeSchedule());
  TileasLegalizeElementwiseOptions elementwise;
  elementwise.arch = architecture.name.str();
  elementwise.libdevice = libdevice;
  function(createTileasLegalizeElementwise(elementwise));
  TileasMaterializeConvertLayoutOptions conversions;
  conversions.alwaysSwizzle = switches.alwaysSwizzle;
  conversions.arch = architecture.name.str();
  function(createTileasMaterializeConvertLayout(conversions));
  function(createTileasLegalizeAtomics());
  TileasAllocateSharedOptions shared;
  shared.arch = architecture.name.str();
  function(createTileasAllocateShared(shared));
  function(createTileasInsertBarriers());
}

void tilewright::buildTileasToLlvm(OpPassManager &passes, const nvidia::Architecture &architecture,
                                   nvidia::LaunchAbi abi, const nvidia::Switches &switches, llvm::StringRef libdevice) {
  buildTileasPlan(passes, architecture, switches, !libdevice.empty());
  TileasToNvvmOptions registers;
  registers.arch = architecture.name.str();
  registers.anyLauncher = abi == nvidia::LaunchAbi::Portable;
  passes.addPass(createTileasToNvvm(registers));
  if (!libdevice.empty()) {
    CallLibdevicePassOptions library;
    library.path = libdevice.str();
    passes.addPass(createCallLibdevicePass(library));
  }
  passes.addPass(createNvidiaScalarInstructions());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  NvidiaKernelEntryOptions entries;
  entries.arch = architecture.name.str();
  passes.addPass(createNvidiaKernelEntry(entries));
}
