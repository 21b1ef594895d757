// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Compilation.h"

#include "cpu/ir/Cpu.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "support/Guard.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;

namespace tilewright {
namespace {

Level levelOf(func::FuncOp function) {
  if (tileas::ctaOf(function))
    return Level::Tileas;
  return tileaa::isKernel(function) && !cpu::planOf(function) ? Level::Tileaa : Level::Linalg;
}

// The level a module is at, seen from its functions.
Level levelOf(ModuleOp module) {
  Level level = Level::Llvm;
  module.walk([&](Operation *op) {
    if (isa<cuda_tile::EntryOp, cuda_tile::ModuleOp>(op)) // a module may have no entries
      level = Level::CudaTile;
    else if (auto function = dyn_cast<func::FuncOp>(op))
      level = std::min(level, levelOf(function));
  });
  return level;
}

OpPrintingFlags printingFlags(const PipelineOptions &options) {
  return OpPrintingFlags().enableDebugInfo(options.debugInfo != DebugInfo::None);
}

std::string print(Operation *op, const PipelineOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, printingFlags(options));
  os << '\n';
  return text;
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
    progress.isInternal |= nameOf(pass).contains("verify-");
  }

private:
  static StringRef nameOf(Pass *pass) { return pass->getArgument().empty() ? pass->getName() : pass->getArgument(); }

  Progress &progress;
  const PlantedFailure &planted;
};

DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  return registry;
}

} // namespace

Compilation::Compilation(const TileIrFile &file, const Target &target, const PipelineOptions &options,
                         PipelineReport &report, Progress &progress)
    : progress(progress), note(progress), file(file), target(target), options(options), report(report),
      context(createRegistry(), MLIRContext::Threading::DISABLED), diagnostics(&context, {file.name, file.bytes}),
      dumps(report.dumps), timings(report.timing), planted(options.failIn) {
  if (options.wantsRemarks || options.wantsExplanation)
    collectRemarks(context, report.optimizations);
  timing.setEnabled(options.timing);
  timing.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, timings));
  root = timing.getRootScope();
}
Compilation::~Compilation() {
  root.stop();
  if (options.timing)
    timing.print();
  timing.setEnabled(false); // else it prints again when it goes
  report.remarks = diagnostics.remarks() + remarks;
}

llvm::Error Compilation::read() {
  TimingScope scope = begin("parse and verify");
  module = readTileIr(file, &context);
  if (!module)
    return failure("the module cannot be read");
  began = levelOf(*module);
  if (target.has(began))
    return llvm::Error::success();
  return llvm::createStringError("the module is at the level " + nameOf(began) + ", which target " + target.name() +
                                 " does not have");
}

llvm::Error Compilation::lower(Level level) {
  hints.note(*module, target.hintTarget());
  if (options.askedLevel)
    answerLevel(*module, *options.askedLevel);
  if (llvm::Error error = target.arrive(began, *this))
    return error;
  for (const Step &step : target.steps(options)) {
    if (step.reaches <= began || step.reaches > level)
      continue;
    {
      TimingScope scope = root.nest(step.name.data());
      if (!options.dumpAfter.empty())
        dumps << "// -----// Lowering " << step.name << " //----- //\n";
      PassManager passes(&context);
      step.build(passes);
      configure(passes, scope);
      if (failed(passes.run(*module)))
        return failure(("lowering " + step.name + " failed").str());
    }
    if (llvm::Error error = target.arrive(step.reaches, *this))
      return error;
  }
  return llvm::Error::success();
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
                                        "--emit=" + nameOf(level).str(),
                                        "--target=" + target.name(),
                                        "--opt-level=" + std::to_string(options.codeGen.optLevel)};
  if (options.debugInfo != DebugInfo::None)
    arguments.push_back(options.debugInfo == DebugInfo::Full ? "-g" : "--lineinfo");
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
    return print(*module, options);
  if (level == Level::Tilebc)
    return writeBytecode();
  if (llvm::Error error = lower(level == Level::Plan ? target.planLevel() : std::min(level, Level::Llvm)))
    return error;
  auto made = level == Level::Plan  ? llvm::Expected<std::string>(target.printPlans(*module))
              : level < Level::Plan ? llvm::Expected<std::string>(print(*module, options))
                                    : target.emitCode(level, *this);
  hints.answerRest(*module, report.optimizations);
  return made;
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
                          /*printAfterOnlyOnFailure=*/false, dumps, printingFlags(options));
}

llvm::Error Compilation::failure(const std::string &what) {
  const std::string &errors = diagnostics.errors();
  progress.isInternal |= errors.empty();
  return llvm::createStringError(errors.empty() ? what : errors);
}

llvm::Error Compilation::refusal(llvm::Error error) {
  const std::string &errors = diagnostics.errors();
  progress.isInternal |= began < Level::Llvm;
  if (errors.empty())
    return error;
  llvm::consumeError(std::move(error));
  return llvm::createStringError(errors);
}

llvm::Error Compilation::ours(llvm::Error error) {
  progress.isInternal |= static_cast<bool>(error);
  return error;
}

} // namespace tilewright
