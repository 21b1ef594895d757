// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/plan/PlanText.h"
#include "cpu/work/DescribeWork.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "pipeline/Compilation.h"
#include "pipeline/entry/CHeader.h"
#include "pipeline/passes/CpuPipeline.h"
#include "target/cpu/CodeGen.h"
#include "target/nvidia/Libdevice.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace tilewright {
namespace {

// LLVM's time for a block grows with the square of its length: so many instructions are a quarter of a minute.
constexpr size_t longBlock = 20'000;

// The entries of a module in the llvm dialect, with the scratch that the passes measured.
void readScratch(ModuleOp module, std::vector<EntryInfo> &entries) {
  module.walk([&](LLVM::LLVMFuncOp function) {
    auto scratch = function->getAttrOfType<IntegerAttr>(cpu::scratchBytesAttr);
    if (!scratch)
      return;
    auto known = llvm::find_if(entries, [&](const EntryInfo &entry) { return entry.name == function.getName(); });
    EntryInfo &entry = known == entries.end() ? entries.emplace_back() : *known;
    entry.name = function.getName().str();
    entry.scratchBytes = scratch.getInt();
  });
}

llvm::Expected<std::string> emitObjectOrAssembly(llvm::Module &ir, const Machine &machine, CodeKind kind,
                                                 Compilation &compilation) {
  TimingScope scope = compilation.begin("code generation");
  CodeGenOptions codeGen = compilation.getOptions().codeGen;
  for (const llvm::Function &function : ir)
    if (llvm::any_of(function, [](const llvm::BasicBlock &block) { return block.size() > longBlock; })) {
      codeGen.optLevel = 0;
      compilation.remark(("remark: " + function.getName() + " has more than " + Twine(longBlock) +
                          " instructions without a branch, its registers are assigned by the fast allocator\n")
                             .str());
    }
  auto code = emitCode(ir, machine, kind, codeGen, [&] { compilation.failIn("code generation of a function"); });
  if (!code)
    return compilation.ours(code.takeError());
  return std::string(code->data(), code->size());
}

class CpuTarget : public Target {
public:
  explicit CpuTarget(const Machine &machine) : machine(machine) {}

  std::string name() const override { return "cpu:" + machine.name; }
  llvm::ArrayRef<Level> levels() const override {
    static constexpr Level known[] = {Level::CudaTile, Level::Tilebc, Level::Tileaa, Level::Linalg, Level::Plan,
                                      Level::Llvm,     Level::Asm,    Level::Obj,    Level::So};
    return known;
  }
  Level codeLevel() const override { return Level::Obj; }
  std::string key(const PipelineOptions &options) const override {
    return machine.key() + ' ' + std::to_string(options.codeGen.optLevel) + ' ' +
           (options.debugInfo == DebugInfo::None ? "" : "lines ") + nvidia::identifyLibdevice(options.libdevice);
  }

  std::vector<Step> steps(const PipelineOptions &options) const override {
    return {
        {Level::Tileaa, "cuda_tile to tileaa", buildCudaTileToTileaa},
        {Level::Linalg, "tileaa to linalg", [this](OpPassManager &passes) { buildTileaaToLinalg(passes, machine); }},
        {Level::Llvm, "linalg to llvm",
         [this, libdevice = options.libdevice, debugInfo = options.debugInfo](OpPassManager &passes) {
           buildLinalgToLLVM(passes, machine, libdevice);
           if (debugInfo != DebugInfo::None)
             passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::LineTablesOnly}));
         }}};
  }
  Level planLevel() const override { return Level::Linalg; }
  llvm::Error arrive(Level level, Compilation &compilation) const override {
    const PipelineOptions &options = compilation.getOptions();
    if (options.wantsExplanation && level == Level::Tileaa)
      compilation.getReport().kernels = explainWork(compilation.getModule());
    if (level != Level::Linalg)
      return llvm::Error::success();
    if (llvm::Error error = cpu::applyPlans(compilation.getModule(), options.plan, options.planName))
      return error;
    if (failed(cpu::verifyPlans(compilation.getModule(), machine)))
      return compilation.failure("the plan is wrong");
    if (!options.wantsExplanation)
      return llvm::Error::success();
    explainCpuDecisions(compilation.getModule(), machine, compilation.getReport().kernels);
    return describeWork(compilation);
  }
  std::string printPlans(ModuleOp module) const override { return cpu::printPlans(module, machine); }

  llvm::Expected<std::string> emitCode(Level level, Compilation &compilation) const override {
    if (auto code = compilation.emitInChild(level == Level::So ? Level::Obj : level); !code || *code)
      return code ? llvm::Expected<std::string>(std::move(**code)) : code.takeError();
    llvm::LLVMContext context;
    auto ir = translate(context, compilation);
    if (!ir)
      return ir.takeError();
    {
      TimingScope scope = compilation.begin("LLVM optimizer");
      CodeGenOptions codeGen = compilation.getOptions().codeGen;
      codeGen.printBeforePasses = compilation.getLlvmDumps();
      if (llvm::Error error = optimize(**ir, machine, codeGen))
        return compilation.ours(std::move(error));
    }
    if (level != Level::Llvm)
      return emitObjectOrAssembly(**ir, machine, level == Level::Asm ? CodeKind::Assembly : CodeKind::Object,
                                  compilation);
    std::string text;
    llvm::raw_string_ostream os(text);
    (*ir)->print(os, nullptr);
    return text;
  }
  void describe(Compilation &compilation, std::vector<EntryInfo> &entries) const override {
    readScratch(compilation.getModule(), entries);
    compilation.getReport().header = writeCHeader(entries, machine);
  }

private:
  // Of a copy with bodies for several blocks, and in which operands of products are packed; the module itself goes on
  // as without.
  static llvm::Error describeWork(Compilation &compilation) {
    OwningOpRef<ModuleOp> copy = compilation.getModule().clone();
    PassManager passes(copy->getContext());
    passes.addPass(createCpuJoinBlocks());
    passes.addNestedPass<func::FuncOp>(createCpuPackOperands());
    if (failed(passes.run(*copy)))
      return compilation.failure("blocks cannot be joined, or operands of products cannot be packed");
    for (auto kernel : copy->getOps<func::FuncOp>()) {
      auto joined = copy->lookupSymbol<func::FuncOp>((kernel.getName() + cpu::joinedSuffix).str());
      if (tileaa::isKernel(kernel) && !kernel->hasAttr(cpu::joinedAttr))
        compilation.getReport().work.push_back(cpu::describeWork(kernel, joined));
    }
    return llvm::Error::success();
  }

  llvm::Expected<std::unique_ptr<llvm::Module>> translate(llvm::LLVMContext &context, Compilation &compilation) const {
    TimingScope scope = compilation.begin("translate to LLVM IR");
    auto result = translateToLLVM(compilation.getModule(), context, machine, compilation.getOptions().codeGen);
    if (!result)
      return compilation.failure(llvm::toString(result.takeError()));
    return result;
  }

  const Machine machine;
};

} // namespace

TargetRef cpuTarget(const Machine &machine) {
  return std::make_shared<CpuTarget>(machine);
}

} // namespace tilewright
