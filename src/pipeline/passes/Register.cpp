// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "cpu/Passes.h"
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/transforms/Passes.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "lower/tileaa_to_linalg/TileaaToLinalg.h"
#include "lower/tileaa_to_tileas/TileaaToTileas.h"
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/passes/CpuPipeline.h"
#include "target/nvidia/Passes.h"
#include "target/nvidia/Ptx.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"
#include "tileas/async/Passes.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"
#include "tileas/memory/Passes.h"
#include "tileas/plan/Passes.h"
#include "tileas/schedule/Passes.h"
#include "tileas/verify/Passes.h"

using namespace mlir;

namespace tilewright {

void registerPipelineDialects(DialectRegistry &registry) {
  registry
      .insert<cuda_tile::CudaTileDialect, tileaa::TileaaDialect, arith::ArithDialect, func::FuncDialect,
              LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect, tileas::TileasDialect>();
  registerCpuDialects(registry);
  registerCpuTranslation(registry);
  nvidia::registerNvidiaTranslation(registry);
}

void registerPipelinePasses() {
  registerCudaTileTransformsPasses();
  registerCudaTileToTileaaPasses();
  registerTileaaTransformsPasses();
  registerTileaaToLinalgPasses();
  registerCpuPasses();
  registerTileaaToTileasPasses();
  registerTileasPlanPasses();
  registerTileasLegalizePasses();
  registerTileasAsyncPasses();
  registerTileasSchedulePasses();
  registerTileasMemoryPasses();
  registerTileasVerifyPasses();
  registerTileasToNvvmPasses();
  registerTargetNvidiaPasses();

  registerTransformsPasses();
  registerConversionPasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  registerLinalgPasses();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  registerSCFPasses();
  vector::registerVectorPasses();
}

} // namespace tilewright
