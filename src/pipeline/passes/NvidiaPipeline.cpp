// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/passes/NvidiaPipeline.h"

#include "lower/tileaa_to_tileas/TileaaToTileas.h"
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "pipeline/passes/PipelineSteps.h"
#include "target/nvidia/Passes.h"
#include "tileaa/transforms/Passes.h"
#include "tileas/async/Passes.h"
#include "tileas/legalize/Passes.h"
#include "tileas/memory/Passes.h"
#include "tileas/plan/Passes.h"
#include "tileas/schedule/Passes.h"
#include "tileas/verify/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;

// Passes look at the architecture and the ABI of the module.
static void attachTarget(OpPassManager &passes, const nvidia::Architecture &architecture, nvidia::LaunchAbi abi) {
  TileasAttachTargetOptions target;
  target.arch = architecture.name.str();
  target.abi = abi == nvidia::LaunchAbi::Portable ? tileas::LaunchAbi::Portable : tileas::LaunchAbi::Tilewright;
  passes.addPass(createTileasAttachTarget(target));
}

void tilewright::buildTileaaToTileas(OpPassManager &passes, const nvidia::Architecture &architecture,
                                     nvidia::LaunchAbi abi, const nvidia::Switches &switches) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  attachTarget(passes, architecture, abi);
  // Before canonicalize: accesses are merged only where their attributes are equal, hints among them.
  TileaaChooseHintsOptions hints;
  hints.target = "sm_" + std::to_string(architecture.number);
  passes.addPass(createTileaaChooseHints(hints));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Before atoms: one is chosen for the formats that are left.
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
  // Before parts have numbers: the second loop has parts of its own. Only products by wgmma overlap with
  // others.
  if (architecture.hasWgmma())
    function(createSplitMaskedLoopsPass());
  // Before all slicing: a part that is loaded can be sliced along any dimension.
  BubbleUpExtractsPassOptions extracts;
  extracts.sharedBytes = architecture.sharedBytesPerBlock();
  function(createBubbleUpExtractsPass(extracts));
  // Before slice-products and slice-and-fuse, which slice what a part of a loop's tile is made of.
  function(createSliceLoopsPass());
  SliceProductsPassOptions products;
  products.sharedBytes = architecture.sharedBytesPerBlock();
  function(createSliceProductsPass(products));
  // After slice-products: its record of sliced products is extended here.
  function(createSliceAndFusePass());
  // After slicing, which makes and merges loops and products: from here on they keep their numbers.
  function(createTileasNumberParts());
  // After slicing: the largest tile decides how many warps a CTA has. Before layouts, which are for that many.
  function(createTileasPlanCta());
  // Behind what numbers parts, and before layouts, which addresses of tiles are seen through.
  function(createTileasOrderBlocks());
  function(createTileaaToTileas());
  // From here on every tile has a layout; a pass that makes a tile gives it one.
  function(createTileasLegalizeScan());
  // Behind the changes of layouts, so that converted tiles are half as large.
  function(createWidenSumsPass({/*scansOnly=*/true}));
  // Before legalize-slices: slices in an unrolled loop have constant offsets, and need no buffer.
  function(createTileasUnrollRegisterLoops());
  function(createTileasLegalizeSlices());
  function(createTileasLegalizeReduce());
  bool portable = abi == nvidia::LaunchAbi::Portable;
  // Before materialize-async: nothing runs after agents, so the loop over tiles of the grid encloses their work.
  function(createTileasDynamicPersistent());
  // Views leave the persistent loop: a tensor map is made of parameters only.
  addSimplification(passes);
  // Before materialize-async, which gives its stages the shared memory that other buffers leave.
  TileasStoreByTmaOptions stores;
  stores.preferTma = switches.preferTma;
  stores.delayWait = switches.delayTmaStoreWait;
  function(createTileasStoreByTma(stores));
  // Before materialize-async: it leaves a product in tensor memory running if its buffers are stages.
  function(createTileasLegalizeTmemCopy());
  function(createTileasMaterializeAsync());
  // After both passes that make tensor maps.
  function(portable ? createTileasWriteTmaDescs() : createTileasAttachTmaDescArgs());
  // After materialize-async: takes the loads that no producer makes.
  function(createTileasUnspecializedPipeline());
  // Before costs: operations that it moves behind a loop no longer count for the loop.
  function(createTileasRecomputeForScheduling());
  // Behind all passes that choose the ways of loads and stores: threads make those that are left.
  function(createTileasChooseCaches());
  // Behind all passes that decide.
  function(createTileasCheckDecisions());
  // Last: costs are of all operations that a step has.
  function(createTileasPrepareForScheduling());
  function(createTileasGenerateSchedule());
}

void tilewright::buildTileasFinalization(OpPassManager &passes, const nvidia::Architecture &architecture,
                                         nvidia::LaunchAbi abi, const nvidia::Switches &switches, bool libdevice,
                                         bool records) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  // Again, for tileas that people wrote.
  attachTarget(passes, architecture, abi);
  // Before all others, for the same reason.
  function(createTileasMaterializeSchedule());
  function(createTileasHoistLoads());
  TileasLegalizeElementwiseOptions elementwise;
  elementwise.libdevice = libdevice;
  function(createTileasLegalizeElementwise(elementwise));
  // Before allocate-shared: this pass and the next make buffers.
  TileasMaterializeConvertLayoutOptions conversions;
  conversions.alwaysSwizzle = switches.alwaysSwizzle;
  function(createTileasMaterializeConvertLayout(conversions));
  function(createTileasLegalizeAtomics());
  // After the last pass that makes a buffer, and before barriers, which depend on which buffers overlap.
  function(createTileasAllocateShared());
  // Behind all places: no access to memory may be added or moved after it.
  function(createTileasInsertBarriers());
  // Behind all passes that move operations of pipelines.
  function(createTileasCarryPipelineState());
  // Behind all passes that move operations: a record stands before what it is about.
  if (records)
    function(createTileasInsertRecords());
  // Last: the lowering takes for granted what is checked here, and a pass behind it could break that.
  function(createVerifyTileas());
}

void tilewright::buildTileasToLlvm(OpPassManager &passes, const nvidia::Architecture &architecture,
                                   nvidia::LaunchAbi abi, const nvidia::Switches &switches, llvm::StringRef libdevice,
                                   bool records) {
  buildTileasFinalization(passes, architecture, abi, switches, !libdevice.empty(), records);
  passes.addPass(createTileasToNvvm());
  // On scalars: the library has no functions of tiles.
  if (!libdevice.empty()) {
    CallLibdevicePassOptions library;
    library.path = libdevice.str();
    passes.addPass(createCallLibdevicePass(library));
  }
  passes.addPass(createNvidiaPackBytes());
  // After calls to the library: this pass expands the functions that are left.
  passes.addPass(createNvidiaScalarInstructions());
  addSimplification(passes);
  // After loop-invariant code motion, which needs structured loops.
  passes.addPass(createSCFToControlFlowPass());
  // Before arith: math expands to arith.
  passes.addPass(createConvertMathToLLVMPass());
  addScalarConversions(passes);
  // After functions are of the llvm dialect, where kernels are marked.
  passes.addPass(createNvidiaKernelEntry());
  // After it: the blocks that fit on a multiprocessor are counted by `shared_bytes` of `tileas.cta`.
  if (abi == nvidia::LaunchAbi::Portable)
    passes.addPass(createNvidiaStaticSharedMemory());
}
