// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/passes/CpuPipeline.h"
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/TileaaToLinalg.h"
#include "pipeline/passes/PipelineSteps.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;

void tilewright::registerCpuDialects(DialectRegistry &registry) {
  registry.insert<cpu::CpuDialect, tileaa::TileaaDialect, amx::AMXDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, ub::UBDialect,
                  vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cpu::registerBufferizationModels(registry);
}

void tilewright::buildTileaaToLinalg(OpPassManager &passes, const Machine &machine) {
  // First: accesses are merged only where their attributes are equal, hints among them.
  passes.addPass(createTileaaChooseHints());
  passes.addPass(createCpuDeclineHints());
  // Before loops are rewritten: an address that leaves an iteration is reported where the program has it.
  passes.addNestedPass<func::FuncOp>(createCpuCheckAllocas());
  // First of all that looks at accesses: those of boxes are accesses of views from here on.
  passes.addNestedPass<func::FuncOp>(createRecognizeBoxesPass());
  // Loads and stores take over what only changes coordinates, before elementwise work is grouped around it.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createLegalizeCorePass());
  // Before grouping, while a reduction is one operation with its body.
  passes.addNestedPass<func::FuncOp>(createWidenSumsPass());
  // Before grouping: a load whose tile is permuted afterwards would be copied.
  passes.addNestedPass<func::FuncOp>(createCpuFoldShapes());
  // Before grouping, which would hide loop-invariant values in loop bodies.
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(createTileaaToLinalg());
  // Last: the passes below read the plan, and decide nothing.
  CpuPlanOptions plan;
  plan.target = "cpu:" + machine.name;
  passes.addNestedPass<func::FuncOp>(createCpuPlan(plan));
}

void tilewright::buildLinalgToLLVM(OpPassManager &passes, const Machine &machine, llvm::StringRef libdevice) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  // First: the passes below see two functions, each with its plan.
  passes.addPass(createCpuJoinBlocks());
  // Before place-loads: an operand that is packed is read from its array no more.
  function(createCpuPackOperands());
  // Before place-loads, where tiles still have the views that they come from and go to.
  function(createCpuSkipPadding());
  // From here to bufferization no pass may move or merge tile work: loads are views of memory that stores change.
  function(createCpuPlaceLoads());
  function(createCpuVerifyLoads());
  function(createCpuCarryInPlace());
  function(createCpuVerifyCarried());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.allowUnknownOps = true;
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Copies of a buffer onto itself and casts go, and bounds that do not change are seen not to.
  addSimplification(passes);
  // After bufferization: these two look for the buffers into which operands are packed, and make them larger.
  function(createCpuMergeDepth());
  function(createCpuKeepTiles());
  // Their records are scratch too.
  passes.addPass(createCpuHostCalls());
  // After the last pass that allocates a buffer.
  function(createCpuAssignScratch());
  // Before loops over vectors are made, and after the last pass that distinguishes bits from bytes.
  passes.addPass(createCpuWidenBits());
  // Before the bodies of sums become vectors, where conversions take other forms.
  function(createCpuContractSums());
  function(createCpuMicroTiles());
  function(createCpuVerifyMicroTiles());
  // While loops are of scf, which may carry tiles of another type, and the function has its plan.
  function(createCpuLowerTiles());
  LegalizeElementwisePassOptions elementwise;
  elementwise.native = {"exp2"}; // its flushing costs nothing where it is expanded
  function(createLegalizeElementwisePass(elementwise));
  if (!libdevice.empty()) {
    CallLibdevicePassOptions library;
    library.path = libdevice.str();
    library.exactOnly = true;
    passes.addPass(createCallLibdevicePass(library));
  }
  function(createCpuExpandMath());
  passes.addPass(createCpuPlaceGlobals());
  // After host-calls and assign-scratch, which add arguments to kernels.
  passes.addPass(createCpuKernelEntry());
  addSimplification(passes);

  // The rest is upstream's.
  function(createCpuArraysToLLVM());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  // Functions with an LLVM intrinsic take it; the rest call the C library, element by element.
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.vectorTransposeLowering = vector::VectorTransposeLowering::Shuffle16x16;
  passes.addPass(createConvertVectorToLLVMPass(vectors));
  // Before arith: a `memref.dim` whose index is still seen to be constant needs no array of extents on the stack.
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  addScalarConversions(passes);
  // Last, on the llvm dialect alone: a conversion after it could create block arguments of bf16 again.
  passes.addPass(createCpuBfloatBits());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}
