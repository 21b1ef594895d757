// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Target.h"

#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tileaa/transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright {

static constexpr LevelInfo levelTable[] = {
    {Level::CudaTile, "cuda_tile", "the module as the front end wrote it"},
    {Level::Tilebc, "tilebc", "the same as bytecode"},
    {Level::Tileaa, "tileaa", "control flow as scf, views and pointers explicit"},
    {Level::Linalg, "linalg", "loops over tiles for a CPU, with the plan"},
    {Level::Tileas, "tileas", "tiles with layouts for a GPU, with all decisions"},
    {Level::Plan, "plan", "what the compiler decided for each kernel"},
    {Level::Llvm, "llvm", "LLVM IR after optimization"},
    {Level::Asm, "asm", "assembly of a CPU"},
    {Level::Ptx, "ptx", "assembly of NVIDIA's virtual machine"},
    {Level::Obj, "obj", "relocatable object of a CPU"},
    {Level::Cubin, "cubin", "code of a GPU"},
    {Level::So, "so", "shared library of a CPU"},
};

llvm::ArrayRef<LevelInfo> levels() {
  return levelTable;
}

llvm::StringRef nameOf(Level level) {
  return levelTable[static_cast<size_t>(level)].name;
}

void buildCudaTileToTileaa(mlir::OpPassManager &passes) {
  // The contract is never rewritten in place; everything after works on tileaa.
  passes.addPass(createCudaTileToTileaaPass());
  passes.addPass(createVerifyTileaaPass());
  // Shapes and strides that are constants become visible to every decision below.
  passes.addPass(mlir::createCanonicalizerPass());
  // Index arithmetic repeated for each access becomes one value, which alias analysis can compare.
  passes.addPass(mlir::createCSEPass());
  // Views made inside a loop from values outside of it move out, and with them their address computation.
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
}

llvm::Expected<Level> Target::parseLevel(llvm::StringRef name) const {
  std::vector<llvm::StringRef> known;
  for (Level level : levels()) {
    if (nameOf(level) == name)
      return level;
    known.push_back(nameOf(level));
  }
  return llvm::createStringError("target " + this->name() + " has no level '" + name + "', expected one of " +
                                 llvm::join(known, ", "));
}

llvm::Expected<TargetRef> parseTarget(llvm::StringRef name) {
  if (nvidia::isNvidiaTarget(name)) {
    auto architecture = nvidia::parseArchitecture(name);
    return architecture ? llvm::Expected<TargetRef>(nvidiaTarget(**architecture)) : architecture.takeError();
  }
  auto machine = parseMachine(name);
  return machine ? llvm::Expected<TargetRef>(cpuTarget(*machine)) : machine.takeError();
}

} // namespace tilewright
