// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/cpu/CodeGen.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "support/LlvmErrors.h"
#include "target/cpu/Backends.h"
#include "target/llvm/LlvmAnalyses.h"
#include "target/llvm/PrintLlvmPasses.h"
#include "target/nvidia/Libdevice.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace tilewright {
namespace {

// The LLVM passes that are needed after the tile passes: the tile block's function is inlined into the loop over
// blocks, address arithmetic is folded and hoisted. A third of the time of clang's -O1, and the code is as fast.
constexpr StringLiteral leanPipeline =
    "cgscc(inline),function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

Expected<ModulePassManager> buildPasses(PassBuilder &builder, unsigned level) {
  ModulePassManager passes;
  switch (level) {
  case 0:
    return builder.buildO0DefaultPipeline(OptimizationLevel::O0);
  case 1:
    if (Error error = builder.parsePassPipeline(passes, leanPipeline))
      return error;
    return passes;
  case 2:
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1);
  default:
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  }
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const Machine &machine, const CodeGenOptions &options) {
  initializeBackends();
  Triple triple(machine.triple);
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("cannot generate code for " + machine.triple + ": " + error);

  TargetOptions targetOptions;
  // The IR says where a multiply and an add are one operation; nothing is contracted later.
  targetOptions.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, machine.cpu, machine.features, targetOptions, Reloc::PIC_, std::nullopt,
                                  options.optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Default));
}

class CallBeforeFunction : public FunctionPass {
public:
  inline static char ID;
  explicit CallBeforeFunction(function_ref<void()> call) : FunctionPass(ID), call(call) {}
  bool runOnFunction(Function &) override {
    call();
    return false;
  }
  StringRef getPassName() const override { return "Call before function"; }

private:
  function_ref<void()> call;
};

} // namespace

void registerCpuTranslation(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

Expected<std::unique_ptr<Module>> translateToLLVM(mlir::ModuleOp source, LLVMContext &context, const Machine &machine,
                                                  const CodeGenOptions &options) {
  auto target = createTargetMachine(machine, options);
  if (!target)
    return target.takeError();
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(source, context, "tilewright");
  if (!module)
    return createStringError("the module is not in the llvm dialect, or an operation has no LLVM IR form");

  // Without a data layout, LLVM assumes pessimistic alignments: a tile fill would become a loop over bytes.
  module->setDataLayout((*target)->createDataLayout());
  module->setTargetTriple((*target)->getTargetTriple());
  if (auto library = source->getAttrOfType<mlir::StringAttr>(tileaa::libdeviceAttr))
    if (Error error = nvidia::linkLibdevice(*module, library.getValue()))
      return error;
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("target-features", machine.features);
  }
  return module;
}

Error optimize(Module &module, const Machine &machine, const CodeGenOptions &options) {
  auto target = createTargetMachine(machine, options);
  if (!target)
    return target.takeError();

  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = tuning.LoopUnrolling =
      options.loopTransforms;

  LlvmAnalyses analyses;
  PassInstrumentationCallbacks callbacks;
  printBeforeLlvmPasses(callbacks, options.printBeforePasses);
  PassBuilder builder(target->get(), tuning, std::nullopt, &callbacks);
  analyses.registerIn(builder);

  LlvmErrors errors(module.getContext());
  auto passes = buildPasses(builder, options.optLevel);
  if (!passes)
    return passes.takeError();
  passes->run(module, analyses.modules);
  moveHalvesAsIntegers(module);
  if (machine.isa == Isa::Aarch64)
    keepChoices(module);
  return errors.take();
}

Expected<SmallVector<char, 0>> emitCode(Module &module, const Machine &machine, CodeKind kind,
                                        const CodeGenOptions &options, function_ref<void()> beforeFunction) {
  auto target = createTargetMachine(machine, options);
  if (!target)
    return target.takeError();

  LlvmErrors errors(module.getContext());
  SmallVector<char, 0> code;
  raw_svector_ostream os(code);
  legacy::PassManager passes;
  if (beforeFunction)
    passes.add(new CallBeforeFunction(beforeFunction));
  CodeGenFileType type = kind == CodeKind::Object ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
  if ((*target)->addPassesToEmitFile(passes, os, nullptr, type))
    return createStringError("LLVM cannot write this kind of file for " + machine.triple);
  passes.run(module);
  if (Error error = errors.take())
    return error;
  return code;
}

} // namespace tilewright
