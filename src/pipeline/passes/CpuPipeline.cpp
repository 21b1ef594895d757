// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/passes/CpuPipeline.h"
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/TileaaToLinalg.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
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
  registry.insert<cpu::CpuDialect, tileaa::TileaaDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cpu::registerBufferizationModels(registry);
}

void tilewright::buildTileaaToLinalg(OpPassManager &passes, const Machine &machine) {
  passes.addNestedPass<func::FuncOp>(createCpuCheckAllocas());
  // Loads and stores take over what only changes coordinates, before elementwise work is grouped around it.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createLegalizeCorePass());
  passes.addNestedPass<func::FuncOp>(createWidenSumsPass());
  passes.addNestedPass<func::FuncOp>(createCpuFoldShapes());
  // Before grouping, which would hide loop-invariant values in loop bodies.
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(createTileaaToLinalg());
  CpuPlanOptions plan;
  plan.target = "cpu:" + machine.name;
  passes.addNestedPass<func::FuncOp>(createCpuPlan(plan));
}

void tilewright::buildLinalgToLLVM(OpPassManager &passes, const Machine &machine, llvm::StringRef libdevice) {
  auto function = [&](std::unique_ptr<Pass> pass) { passes.addNestedPass<func::FuncOp>(std::move(pass)); };
  function(createCpuPackOperands());
  // From here to bufferization no pass may move or merge tile work: loads are views of memory that stores change.
  function(createCpuPlaceLoads());
  function(createCpuVerifyLoads());
  function(createCpuCarryInPlace());
  function(createCpuVerifyCarried());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.allowUnknownOps = true;
  passes.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Copies of a buffer onto itself, casts.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Bounds that do not change are seen not to.
  passes.addPass(createLoopInvariantCodeMotionPass());
  function(createCpuMergeDepth());
  function(createCpuKeepTiles());
  // Their records are scratch too.
  passes.addPass(createCpuHostCalls());
  function(createCpuAssignScratch());
  function(createCpuMicroTiles());
  function(createCpuVerifyMicroTiles());
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
  passes.addPass(createCpuKernelEntry());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());

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
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCpuBfloatBits());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}
