// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Ptx.h"

#include "target/nvidia/BackEndFaults.h"
#include "target/nvidia/Libdevice.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "support/LlvmErrors.h"
#include "target/llvm/LlvmAnalyses.h"
#include "target/llvm/PrintLlvmPasses.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace tilewright::nvidia {
namespace {

constexpr StringLiteral tripleText = "nvptx64-nvidia-cuda";

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const Architecture &architecture, PtxVersion ptx,
                                                             unsigned optLevel) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple(tripleText);
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError("cannot generate code for " + tripleText + ": " + error);
  TargetOptions options;
  // Operations that may be contracted say so; `Fast` would contract the others too.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, architecture.llvmCpu, "+ptx" + std::to_string(ptx.number()), options, Reloc::PIC_, std::nullopt,
      optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Aggressive));
}

Error lowerNvvm(mlir::ModuleOp module, const PtxOptions &options) {
  mlir::PassManager passes(module.getContext());
  if (options.debugInfo != DebugInfo::None) {
    mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    // LineTablesOnly would be DWARF sections, with which assemblers do not optimize.
    scopes.emissionKind = options.debugInfo == DebugInfo::Full ? mlir::LLVM::DIEmissionKind::Full
                                                               : mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
  // Operations that LLVM has no intrinsic for become inline PTX.
  passes.addPass(mlir::createConvertNVVMToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  if (options.configure)
    options.configure(passes);
  if (failed(passes.run(module)))
    return createStringError("an nvvm operation has no form in the llvm dialect");
  return Error::success();
}

// Some of what LLVM does takes time that grows with the square of a block's length, and the blocks of large tiles are
// long: for a thread that has 4096 elements of each tile, minutes. Such code does without; the assembler optimizes too.
constexpr size_t longBlock = 32768; // in instructions

bool hasLongBlock(const Function &function) {
  return any_of(function, [](const BasicBlock &block) { return block.size() > longBlock; });
}

bool isWorthItsTime(StringRef pass, const Any &unit) {
  const auto *function = any_cast<const Function *>(&unit);
  return pass != "VectorCombinePass" || !function || !hasLongBlock(**function);
}

void optimize(Module &module, TargetMachine &target, unsigned optLevel, raw_ostream *printBeforePasses) {
  static const OptimizationLevel levels[] = {OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
                                             OptimizationLevel::O3};
  OptimizationLevel level = levels[std::min(optLevel, 3u)];
  LlvmAnalyses analyses;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(isWorthItsTime);
  printBeforeLlvmPasses(callbacks, printBeforePasses);
  PassBuilder builder(&target, PipelineTuningOptions(), std::nullopt, &callbacks);
  analyses.registerIn(builder);
  ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, analyses.modules);
}

// Functions that every CUDA driver has (CUDA programming guide, "Formatted output", "Dynamic global memory
// allocation and operations", "Assertion").
bool isOfTheDriver(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail";
}

// Operations for which LLVM would want a library, or (exp2, and others with a rough instruction) would take that
// instruction unasked.
bool wantsLibrary(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::acos:
  case Intrinsic::asin:
  case Intrinsic::atan:
  case Intrinsic::atan2:
  case Intrinsic::cosh:
  case Intrinsic::exp:
  case Intrinsic::exp10:
  case Intrinsic::frexp:
  case Intrinsic::ldexp:
  case Intrinsic::log:
  case Intrinsic::log10:
  case Intrinsic::modf:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::sincos:
  case Intrinsic::sinh:
  case Intrinsic::tan:
    return true;
  case Intrinsic::cos:
  case Intrinsic::exp2:
  case Intrinsic::log2:
  case Intrinsic::sin:
  case Intrinsic::tanh:
    return !call.hasApproxFunc() || !call.getType()->getScalarType()->isFloatTy();
  default:
    return false;
  }
}

Error checkCalls(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isOfTheDriver(function.getName()))
      return createStringError("the module calls '" + function.getName() +
                               "', which it does not define; no library of the device is linked, expected its body");
  for (const Function &function : module)
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block)
        if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && wantsLibrary(*call))
          return createStringError("function '" + function.getName() + "' has a call of " +
                                   call->getCalledFunction()->getName() +
                                   ", for which a GPU has no exact instruction, expected arithmetic in its place");
  return Error::success();
}

// Instructions that a whole warp executes together must not move into a branch that some of its lanes take: LLVM does
// not know that of matrix instructions, nor of PTX that is written out.
bool isOfWholeWarp(const CallInst &call) {
  if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return text->getAsmString().contains(".sync");
  const Function *callee = call.getCalledFunction();
  return callee && llvm::any_of(ArrayRef<StringRef>{"mma", "ldmatrix", "stmatrix"}, [&](StringRef name) {
           return callee->getName().starts_with(("llvm.nvvm." + name).str());
         });
}

void markConvergent(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *call = dyn_cast<CallInst>(&instruction); call && isOfWholeWarp(*call))
          call->setConvergent();
}

Expected<PtxVersion> choosePtx(const Architecture &architecture, const PtxOptions &options) {
  PtxVersion ptx = options.ptx.value_or(architecture.ptx);
  if (ptx < architecture.ptx || newestPtx < ptx)
    return createStringError("found PTX version " + ptx.text() + " for " + architecture.name + ", expected " +
                             architecture.ptx.text() + " to " + newestPtx.text());
  return ptx;
}

} // namespace

void registerNvidiaTranslation(mlir::DialectRegistry &registry) {
  registry.insert<mlir::NVVM::NVVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
}

Expected<std::string> emitPtx(mlir::ModuleOp source, const Architecture &architecture, const PtxOptions &options,
                              std::string &remarks) {
  auto ptx = choosePtx(architecture, options);
  if (!ptx)
    return ptx.takeError();
  unsigned optLevel = options.debugInfo == DebugInfo::Full ? 0 : options.optLevel;
  auto target = createTargetMachine(architecture, *ptx, optLevel);
  if (!target)
    return target.takeError();
  if (!architecture.isKnownToLlvm())
    remarks += ("remark: this compiler's LLVM does not know " + architecture.name +
                ", its PTX is that of the family, " + architecture.llvmCpu + "\n")
                   .str();

  auto begin = [&](const char *stage) {
    if (options.begin)
      options.begin(stage);
  };
  begin("nvvm to llvm");
  if (Error error = lowerNvvm(source, options))
    return error;
  begin("translate to LLVM IR");
  LLVMContext context;
  LlvmErrors errors(context);
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(source, context, "tilewright");
  if (!module)
    return createStringError("the module is not in the llvm dialect, or an operation has no LLVM IR form");
  if (options.debugInfo == DebugInfo::None)
    StripDebugInfo(*module);
  module->setDataLayout((*target)->createDataLayout());
  module->setTargetTriple((*target)->getTargetTriple());
  if (auto library = source->getAttrOfType<mlir::StringAttr>(tileaa::libdeviceAttr))
    if (Error error = linkLibdevice(*module, library.getValue()))
      return error;

  begin("LLVM optimizer");
  markConvergent(*module);
  optimize(*module, **target, optLevel, options.printBeforePasses);
  avoidBackEndFaults(*module);
  if (options.llvmIr) {
    raw_string_ostream os(*options.llvmIr);
    module->print(os, nullptr);
  }
  if (Error error = checkCalls(*module))
    return error;

  begin("code generation");
  if (any_of(*module, hasLongBlock))
    (*target)->setOptLevel(CodeGenOptLevel::None);
  SmallVector<char, 0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  if ((*target)->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot write PTX");
  passes.run(*module);
  if (Error error = errors.take())
    return error;
  return std::string(text.data(), text.size());
}

std::optional<std::string> explainFatalError(StringRef message, const Architecture &architecture) {
  size_t at = message.find("Cannot select: ");
  size_t intrinsic = message.find("intrinsic %", at);
  if (at == StringRef::npos || intrinsic == StringRef::npos)
    return std::nullopt;
  StringRef name = message.substr(intrinsic + strlen("intrinsic %")).take_until([](char c) { return isspace(c); });
  return (architecture.name + " has no instruction for " + name + ", expected an architecture that has").str();
}

} // namespace tilewright::nvidia
