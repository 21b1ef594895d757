// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Libdevice.h"

#include "target/llvm/LlvmAnalyses.h"
#include "target/nvidia/Toolkits.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

constexpr const char *variable = "TILEWRIGHT_MATH";
constexpr StringLiteral bits = "libdevice-bits", fileName = "libdevice.10.bc";

std::vector<std::string> places(ArrayRef<std::string> packages) {
  std::vector<std::string> folders;
  for (const std::string &toolkit : toolkits())
    folders.push_back(toolkit + "/nvvm/libdevice/");
  std::vector<std::string> everywhere(packages);
  append_range(everywhere, neighbours());
  for (const std::string &package : everywhere)
    for (const char *folder :
         {"/nvidia/cu13/nvvm/libdevice/", "/nvidia/cuda_nvcc/nvvm/libdevice/", "/triton/backends/nvidia/lib/"})
      folders.push_back(package + folder);
  return folders;
}

// Answers to the library's questions about its compiler: subnormal numbers count, division and roots round correctly.
uint64_t reflected(StringRef question) {
  return StringSwitch<uint64_t>(question).Cases({"__CUDA_PREC_DIV", "__CUDA_PREC_SQRT"}, 1).Default(0);
}

Error answerQuestions(Module &library) {
  Function *reflect = library.getFunction("__nvvm_reflect");
  if (!reflect)
    return Error::success();
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<CallInst>(user);
    auto *text = call ? dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts()) : nullptr;
    auto *data = text && text->hasInitializer() ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
    if (!data || !data->isCString())
      return createStringError("its __nvvm_reflect is not called with a text");
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), reflected(data->getAsCString())));
    call->eraseFromParent();
  }
  return Error::success();
}

// Branches for other answers go, and what only they call.
void leaveOutBranches(Module &library) {
  LlvmAnalyses analyses;
  PassBuilder builder;
  analyses.registerIn(builder);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, "function(sccp,simplifycfg,adce),globaldce"));
  passes.run(library, analyses.modules);
}

// An operation of equal results for one of a GPU's that rounds as IEEE 754 says; nothing where there is none. Those
// that are rough (ex2.approx, rcp.approx) have bits of their own.
Value *plainForm(CallInst &call, StringRef name) {
  IRBuilder<> b(&call);
  auto operand = [&](unsigned index) { return call.getArgOperand(index); };
  auto unary = [&](Intrinsic::ID id) -> Value * { return b.CreateUnaryIntrinsic(id, operand(0)); };
  auto toInteger = [&](Value *whole) -> Value * {
    return b.CreateIntrinsic(Intrinsic::fptosi_sat, {call.getType(), whole->getType()}, {whole});
  };
  if (name == "fma.rn.f")
    return b.CreateIntrinsic(Intrinsic::fma, {call.getType()}, {operand(0), operand(1), operand(2)});
  if (name == "mul.rn.f")
    return b.CreateFMul(operand(0), operand(1));
  if (name == "add.rn.f")
    return b.CreateFAdd(operand(0), operand(1));
  if (name == "div.rn.f")
    return b.CreateFDiv(operand(0), operand(1));
  if (name == "f2i.rn")
    return toInteger(unary(Intrinsic::roundeven));
  if (name == "f2i.rz")
    return toInteger(operand(0));
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(name)
                         .Cases({"fabs.f32", "fabs.f"}, Intrinsic::fabs)
                         .Case("floor.f", Intrinsic::floor)
                         .Case("trunc.f", Intrinsic::trunc)
                         .Case("sqrt.rn.f", Intrinsic::sqrt)
                         .Default(Intrinsic::not_intrinsic);
  return id == Intrinsic::not_intrinsic ? nullptr : unary(id);
}

// The one text of PTX that is exact: both halves of a * b + c, of 32 bits each.
Value *plainForm(CallInst &call, const InlineAsm &text) {
  StringRef ptx = text.getAsmString();
  if (!ptx.contains("mad.lo.cc.u32") || !ptx.contains("madc.hi.u32") || call.arg_size() != 3)
    return nullptr;
  IRBuilder<> b(&call);
  auto wide = [&](unsigned index) { return b.CreateZExt(call.getArgOperand(index), b.getInt64Ty()); };
  Value *sum = b.CreateAdd(b.CreateMul(wide(0), wide(1)), wide(2));
  Value *low = b.CreateTrunc(sum, b.getInt32Ty()), *high = b.CreateTrunc(b.CreateLShr(sum, 32), b.getInt32Ty());
  Value *both = b.CreateInsertValue(PoisonValue::get(call.getType()), low, 0);
  return b.CreateInsertValue(both, high, 1);
}

Error replaceGpuOperations(Function &function) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call)
        continue;
      Value *plain = nullptr;
      if (auto *text = dyn_cast<InlineAsm>(call->getCalledOperand())) {
        plain = plainForm(*call, *text);
      } else {
        StringRef name = call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
        if (!name.consume_front("llvm.nvvm."))
          continue;
        plain = plainForm(*call, name);
      }
      if (!plain)
        return createStringError("its " + function.getName() +
                                 " needs an instruction of a GPU: " + call->getCalledOperand()->getName());
      call->replaceAllUsesWith(plain);
      call->eraseFromParent();
    }
  return Error::success();
}

Error link(Module &module, StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError().message());
  auto library = getLazyBitcodeModule((*buffer)->getMemBufferRef(), module.getContext());
  if (!library)
    return library.takeError();

  // Only what is called is read.
  std::vector<std::string> wanted;
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      wanted.push_back(function.getName().str());
  auto needed = std::make_unique<Module>("libdevice", module.getContext());
  for (Module *each : {library->get(), needed.get()}) {
    each->setDataLayout(module.getDataLayout());
    each->setTargetTriple(module.getTargetTriple());
  }
  for (StringRef name : wanted) {
    Function *function = (*library)->getFunction(name);
    if (!function || (function->isDeclaration() && !function->isMaterializable()))
      return createStringError("it has no " + name);
    Function::Create(function->getFunctionType(), GlobalValue::ExternalLinkage, name, *needed);
  }
  if (Linker::linkModules(*needed, std::move(*library), Linker::LinkOnlyNeeded))
    return createStringError("it does not link");
  for (GlobalVariable &global : needed->globals())
    if (global.hasInitializer())
      global.setLinkage(GlobalValue::InternalLinkage);
  for (Function &function : *needed)
    if (!function.isDeclaration() && !is_contained(wanted, function.getName()))
      function.setLinkage(GlobalValue::InternalLinkage);
  if (Error error = answerQuestions(*needed))
    return error;
  leaveOutBranches(*needed);
  if (!module.getTargetTriple().isNVPTX())
    for (Function &function : *needed)
      if (Error error = replaceGpuOperations(function))
        return error;
  for (Function &function : *needed) {
    // Whether a function is small enough to stand at each call is for the optimizer.
    function.removeFnAttr(Attribute::AlwaysInline);
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  if (Linker::linkModules(module, std::move(needed)))
    return createStringError("it does not link");
  for (StringRef name : wanted)
    module.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

} // namespace

Expected<std::string> findLibdevice(StringRef math, ArrayRef<std::string> packages) {
  if (math != bits)
    return std::string();
  std::vector<std::string> folders = places(packages);
  for (const std::string &folder : folders)
    if (std::string path = folder + fileName.str(); sys::fs::exists(path))
      return path;
  return createStringError(Twine(variable) + "=" + bits + " wants " + fileName + ", which is not in " +
                           join(folders, ", ") +
                           "; install it with `pip install nvidia-nvvm`, or name a CUDA toolkit in " + "CUDA_HOME");
}

std::string identifyLibdevice(StringRef path) {
  sys::fs::file_status status;
  if (path.empty() || sys::fs::status(path, status))
    return path.str();
  return (path + " " + Twine(status.getSize()) + " " +
          Twine(status.getLastModificationTime().time_since_epoch().count()))
      .str();
}

Error linkLibdevice(Module &module, StringRef path) {
  if (Error error = link(module, path))
    return createStringError(path + ": " + toString(std::move(error)));
  return Error::success();
}

} // namespace tilewright::nvidia
