// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Compilation.h"

#include "cpu/CpuPipeline.h"
#include "cpu/PlanText.h"
#include "cuda_tile/ir/CudaTile.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Transforms/Passes.h"
#include "support/Guard.h"
#include "tileaa/transforms/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

void buildCudaTileToTileaa(OpPassManager &passes, const Machine &) {
  // The contract is never rewritten in place; everything after works on tileaa.
  passes.addPass(createCudaTileToTileaaPass());
  passes.addPass(createVerifyTileaaPass());
  // Shapes and strides that are constants become visible to every decision below.
  passes.addPass(createCanonicalizerPass());
  // Index arithmetic repeated for each access becomes one value, which alias analysis can compare.
  passes.addPass(createCSEPass());
  // Views made inside a loop from values outside of it move out, and with them their address computation.
  passes.addPass(createLoopInvariantCodeMotionPass());
}

// One step of the path: brings a module to a level. The steps before the module's own level are skipped.
struct Step {
  Level reaches;
  StringLiteral name;
  void (*build)(OpPassManager &, const Machine &);
};
constexpr Step steps[] = {
    {Level::Tileaa, "cuda_tile to tileaa", buildCudaTileToTileaa},
    {Level::Linalg, "tileaa to linalg", buildTileaaToLinalg},
    {Level::Llvm, "linalg to llvm", buildLinalgToLLVM},
};

// The level a module is at, seen from its functions.
Level levelOf(ModuleOp module) {
  Level level = Level::Llvm;
  module.walk([&](Operation *op) {
    if (isa<cuda_tile::EntryOp, cuda_tile::ModuleOp>(op)) // a module may have no entries
      level = Level::CudaTile;
    else if (isa<func::FuncOp>(op))
      level = std::min(level, op->hasAttr("tileaa.kernel") && !op->hasAttr("plan") ? Level::Tileaa : Level::Linalg);
  });
  return level;
}

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  os << '\n';
  return text;
}

StringRef nameOf(Level level) {
  return llvm::find_if(levels(), [&](const LevelInfo &info) { return info.level == level; })->name;
}

class ProgressOfPasses : public PassInstrumentation {
public:
  ProgressOfPasses(Progress &progress, const PlantedFailure &planted) : progress(progress), planted(planted) {}
  void runBeforePass(Pass *pass, Operation *op) override {
    progress.running = nameOf(pass).str();
    if (auto symbol = dyn_cast<SymbolOpInterface>(op); symbol && symbol.getNameAttr())
      progress.running += (" on function '" + symbol.getName() + "'").str();
    planted.failIn(nameOf(pass));
  }
  void runAfterPass(Pass *, Operation *) override { progress.running.clear(); }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    progress.running.clear();
    progress.isInternal |= nameOf(pass).contains("-verify-");
  }

private:
  static StringRef nameOf(Pass *pass) { return pass->getArgument().empty() ? pass->getName() : pass->getArgument(); }

  Progress &progress;
  const PlantedFailure &planted;
};

// LLVM's time for a block grows with the square of its length: so many instructions are a quarter of a minute.
constexpr size_t longBlock = 20'000;

DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  return registry;
}

} // namespace

Compilation::Compilation(const TileIrFile &file, const Machine &machine, const PipelineOptions &options,
                         PipelineReport &report, Progress &progress)
    : progress(progress), note(progress), file(file), machine(machine), options(options), report(report),
      context(createRegistry(), MLIRContext::Threading::DISABLED), diagnostics(&context, {file.name, file.bytes}),
      dumps(report.dumps), timings(report.timing), planted(options.failIn) {
  timing.setEnabled(options.timing);
  timing.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, timings));
  root = timing.getRootScope();
}
Compilation::~Compilation() {
  root.stop();
  if (options.timing)
    timing.print();
  timing.setEnabled(false); // else it prints again when it goes
  report.remarks = diagnostics.remarks() + longBlocks;
}

llvm::Error Compilation::read() {
  TimingScope scope = begin("parse and verify");
  module = readTileIr(file, &context);
  return module ? llvm::Error::success() : failure("the module cannot be read");
}

llvm::Error Compilation::lower(Level level) {
  Level at = levelOf(*module);
  for (const Step &step : steps) {
    if (step.reaches <= at || step.reaches > level)
      continue;
    if (step.reaches == Level::Llvm)
      if (llvm::Error error = decide())
        return error;
    TimingScope scope = root.nest(step.name);
    PassManager passes(&context);
    step.build(passes, machine);
    configure(passes, scope);
    if (failed(passes.run(*module)))
      return failure(("lowering " + step.name + " failed").str());
  }
  return level == Level::Linalg ? decide() : llvm::Error::success();
}

llvm::Error Compilation::decide() {
  if (llvm::Error error = cpu::applyPlans(*module, options.plan, options.planName))
    return error;
  return succeeded(cpu::verifyPlans(*module, machine)) ? llvm::Error::success() : failure("the plan is wrong");
}

llvm::Expected<std::unique_ptr<llvm::Module>> Compilation::translate() {
  TimingScope scope = begin("translate to LLVM IR");
  auto result = translateToLLVM(*module, llvmContext, machine, options.codeGen);
  if (!result)
    return failure(llvm::toString(result.takeError()));
  return result;
}

llvm::Error Compilation::optimizeIr(llvm::Module &ir) {
  TimingScope scope = begin("LLVM optimizer");
  return ours(optimize(ir, machine, options.codeGen));
}

llvm::Expected<std::string> Compilation::emitCodeOf(llvm::Module &ir, CodeKind kind) {
  TimingScope scope = begin("code generation");
  CodeGenOptions codeGen = options.codeGen;
  for (const llvm::Function &function : ir)
    if (llvm::any_of(function, [](const llvm::BasicBlock &block) { return block.size() > longBlock; })) {
      codeGen.optLevel = 0;
      longBlocks += ("remark: " + function.getName() + " has more than " + Twine(longBlock) +
                     " instructions without a branch, its registers are assigned in the quick way\n")
                        .str();
    }
  auto code = emitCode(ir, machine, kind, codeGen, [&] { planted.failIn("code generation of a function"); });
  if (!code)
    return ours(code.takeError());
  return std::string(code->data(), code->size());
}

llvm::Expected<std::optional<std::string>> Compilation::emitInChild(Level level) {
  if (!wantsChild(*module, options.isolation))
    return std::nullopt;
  TimingScope scope = begin("code generation in a child process");
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module, os)))
    return failure("the module has no bytecode form");
  std::vector<std::string> arguments = {"compile",
                                        "-",
                                        "--as-child",
                                        "--time-limit=0",
                                        "--emit=" + nameOf(level == Level::So ? Level::Obj : level).str(),
                                        "--target=cpu:" + machine.name,
                                        "--opt-level=" + std::to_string(options.codeGen.optLevel)};
  if (!options.failIn.empty())
    arguments.push_back("--fail-in=" + options.failIn);
  auto child = runChild(arguments, bytes);
  if (!child)
    return ours(child.takeError());
  if (!*child)
    return std::nullopt;
  ChildResult &result = **child;
  if (result.end == ChildResult::End::Done)
    return std::move(result.output);
  if (!result.place.empty())
    progress.running = result.place;
  if (result.end == ChildResult::End::Stopped)
    noteWhereStopped();
  return ours(llvm::createStringError(result.message));
}

llvm::Expected<std::string> Compilation::writeBytecode() {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  for (cuda_tile::ModuleOp tiles : module->getOps<cuda_tile::ModuleOp>())
    return succeeded(writeTileIr(tiles, {}, os)) ? llvm::Expected<std::string>(std::move(bytes))
                                                 : failure("the module cannot be written");
  return failure("found no Tile IR in the module, which bytecode is made of");
}

llvm::Expected<std::string> Compilation::emit(Level level) {
  if (level == Level::CudaTile)
    return print(*module);
  if (level == Level::Tilebc)
    return writeBytecode();
  if (llvm::Error error = lower(level == Level::Plan ? Level::Linalg : std::min(level, Level::Llvm)))
    return error;
  if (level == Level::Tileaa || level == Level::Linalg)
    return print(*module);
  if (level == Level::Plan)
    return cpu::printPlans(*module);

  if (auto code = emitInChild(level); !code || *code)
    return code ? llvm::Expected<std::string>(std::move(**code)) : code.takeError();
  auto ir = translate();
  if (!ir)
    return ir.takeError();
  if (llvm::Error error = optimizeIr(**ir))
    return error;
  if (level == Level::Llvm) {
    std::string text;
    llvm::raw_string_ostream os(text);
    (*ir)->print(os, nullptr);
    return text;
  }
  return emitCodeOf(**ir, level == Level::Asm ? CodeKind::Assembly : CodeKind::Object);
}

TimingScope Compilation::begin(const char *stage) {
  progress.running = stage;
  planted.failIn(stage);
  return root.nest(stage);
}

void Compilation::configure(PassManager &passes, TimingScope &scope) {
  passes.enableVerifier(options.verifyEach);
  passes.addInstrumentation(std::make_unique<ProgressOfPasses>(progress, planted));
  if (options.timing)
    passes.enableTiming(scope);
  if (options.dumpAfter.empty() && !options.printBeforeAll)
    return;
  auto before = [this](Pass *, Operation *) { return options.printBeforeAll; };
  auto after = [this](Pass *pass, Operation *) {
    return llvm::any_of(options.dumpAfter,
                        [&](const std::string &name) { return name == "all" || name == pass->getArgument(); });
  };
  passes.enableIRPrinting(before, after, /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false,
                          /*printAfterOnlyOnFailure=*/false, dumps);
}

llvm::Error Compilation::failure(const std::string &what) {
  const std::string &errors = diagnostics.errors();
  progress.isInternal |= errors.empty();
  return llvm::createStringError(errors.empty() ? what : errors);
}

llvm::Error Compilation::ours(llvm::Error error) {
  progress.isInternal |= static_cast<bool>(error);
  return error;
}

} // namespace tilewright
