// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "cpu/CpuPipeline.h"
#include "cuda_tile/ir/CudaTile.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/EntryInterface.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"
#include "tileaa/transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr LevelInfo levelTable[] = {
    {Level::CudaTile, "cuda_tile", "the module as the front end wrote it"},
    {Level::Tileaa, "tileaa", "control flow as scf, views and pointers explicit"},
    {Level::Linalg, "linalg", "loops over tiles for the machine, with the plan"},
    {Level::Plan, "plan", "what the compiler decided for each kernel"},
    {Level::Llvm, "llvm", "LLVM IR after optimization"},
    {Level::Asm, "asm", "assembly"},
    {Level::Obj, "obj", "relocatable object"},
    {Level::So, "so", "shared library"},
};

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
    if (isa<cuda_tile::EntryOp>(op))
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

std::string printPlans(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk([&](FunctionOpInterface function) {
    auto plan = function->getAttrOfType<DictionaryAttr>("plan");
    if (!plan)
      return;
    os << '@' << function.getName() << '\n';
    for (NamedAttribute entry : plan)
      os << "  " << entry.getName().getValue() << " = " << entry.getValue() << '\n';
  });
  return text;
}

// Notes what runs, in memory that outlives a crash.
class Progress : public PassInstrumentation {
public:
  explicit Progress(std::string &running) : running(running) {}
  void runBeforePass(Pass *pass, Operation *) override {
    running = pass->getArgument().empty() ? pass->getName() : pass->getArgument();
  }
  void runAfterPass(Pass *, Operation *) override { running.clear(); }

private:
  std::string &running;
};

// One compilation, alive on the guarded thread.
class Compilation {
public:
  Compilation(const Machine &machine, const PipelineOptions &options, PipelineReport &report, std::string &running)
      : running(running), machine(machine), options(options), report(report),
        context(createRegistry(), MLIRContext::Threading::DISABLED), diagnostics(&context), dumps(report.dumps),
        timings(report.timing) {
    timing.setEnabled(options.timing);
    timing.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, timings));
    root = timing.getRootScope();
  }
  ~Compilation() {
    root.stop();
    if (options.timing)
      timing.print();
    timing.setEnabled(false); // else it prints again when it goes
    report.remarks = diagnostics.remarks();
  }

  llvm::Error parse(StringRef text, StringRef name) {
    TimingScope scope = root.nest("parse and verify");
    ParserConfig config(&context);
    llvm::SourceMgr sources;
    // A copy: the text ends with a zero then, and bytecode is aligned.
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), {});
    module = parseSourceFile<ModuleOp>(sources, config);
    return module ? llvm::Error::success() : failure("the module cannot be read");
  }

  // Runs the steps up to a level.
  llvm::Error lower(Level level) {
    Level at = levelOf(*module);
    for (const Step &step : steps) {
      if (step.reaches <= at || step.reaches > level)
        continue;
      TimingScope scope = root.nest(step.name);
      PassManager passes(&context);
      step.build(passes, machine);
      configure(passes, scope);
      if (failed(passes.run(*module)))
        return failure(("lowering " + step.name + " failed").str());
    }
    return llvm::Error::success();
  }

  llvm::Expected<std::unique_ptr<llvm::Module>> translate() {
    TimingScope scope = root.nest(running = "translate to LLVM IR");
    auto result = translateToLLVM(*module, llvmContext, machine, options.codeGen);
    if (!result)
      return failure(llvm::toString(result.takeError()));
    return result;
  }

  llvm::Error optimizeIr(llvm::Module &ir) {
    TimingScope scope = root.nest(running = "LLVM optimizer");
    return optimize(ir, machine, options.codeGen);
  }

  llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &ir, CodeKind kind) {
    TimingScope scope = root.nest(running = "code generation");
    return emitCode(ir, machine, kind, options.codeGen);
  }

  ModuleOp getModule() { return *module; }

private:
  static DialectRegistry createRegistry() {
    DialectRegistry registry;
    registerPipelineDialects(registry);
    return registry;
  }

  llvm::Error failure(const std::string &what) {
    const std::string &errors = diagnostics.errors();
    return llvm::createStringError(errors.empty() ? what : errors);
  }

  void configure(PassManager &passes, TimingScope &scope) {
    passes.enableVerifier(options.verifyEach);
    passes.addInstrumentation(std::make_unique<Progress>(running));
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

  std::string &running;
  const Machine &machine;
  const PipelineOptions &options;
  PipelineReport &report;
  MLIRContext context;
  llvm::LLVMContext llvmContext;
  DiagnosticCollector diagnostics;
  llvm::raw_string_ostream dumps, timings;
  DefaultTimingManager timing;
  TimingScope root;
  OwningOpRef<ModuleOp> module;
};

llvm::Expected<std::string> emitLevel(Compilation &compilation, Level level) {
  if (level == Level::CudaTile)
    return print(compilation.getModule());
  if (llvm::Error error = compilation.lower(level == Level::Plan ? Level::Linalg : std::min(level, Level::Llvm)))
    return error;
  if (level == Level::Tileaa || level == Level::Linalg)
    return print(compilation.getModule());
  if (level == Level::Plan)
    return printPlans(compilation.getModule());

  auto ir = compilation.translate();
  if (!ir)
    return ir.takeError();
  if (llvm::Error error = compilation.optimizeIr(**ir))
    return error;
  if (level == Level::Llvm) {
    std::string text;
    llvm::raw_string_ostream os(text);
    (*ir)->print(os, nullptr);
    return text;
  }
  auto code = compilation.emit(**ir, level == Level::Asm ? CodeKind::Assembly : CodeKind::Object);
  if (!code)
    return code.takeError();
  return std::string(code->data(), code->size());
}

// The entries of a module in the llvm dialect, with the scratch that the passes measured.
void readScratch(ModuleOp module, std::vector<EntryInfo> &entries) {
  module.walk([&](LLVM::LLVMFuncOp function) {
    auto scratch = function->getAttrOfType<IntegerAttr>("tilewright.scratch_bytes");
    if (!scratch)
      return;
    auto known = llvm::find_if(entries, [&](const EntryInfo &entry) { return entry.name == function.getName(); });
    EntryInfo &entry = known == entries.end() ? entries.emplace_back() : *known;
    entry.name = function.getName().str();
    entry.scratchBytes = scratch.getInt();
  });
}

// Parses and compiles on a guarded thread; a crash is reported with the pass it happened in.
llvm::Error compileGuarded(StringRef module, StringRef name, const Machine &machine, const PipelineOptions &options,
                           PipelineReport &report, llvm::function_ref<llvm::Error(Compilation &)> body) {
  std::string running;
  bool finished = false;
  llvm::Error error = runGuarded([&]() -> llvm::Error {
    Compilation compilation(machine, options, report, running);
    llvm::Error result = compilation.parse(module, name);
    if (!result)
      result = body(compilation);
    finished = true;
    return result;
  });
  if (error && !finished && !running.empty())
    return llvm::createStringError(llvm::toString(std::move(error)) + " (in " + running + ")");
  return error;
}

} // namespace

llvm::ArrayRef<LevelInfo> levels() {
  return levelTable;
}

std::optional<Level> levelByName(StringRef name) {
  for (const LevelInfo &info : levelTable)
    if (info.name == name)
      return info.level;
  return std::nullopt;
}

llvm::Expected<std::string> compileTo(Level level, StringRef module, StringRef name, const Machine &machine,
                                      const PipelineOptions &options, PipelineReport &report) {
  std::string output;
  llvm::Error error =
      compileGuarded(module, name, machine, options, report, [&](Compilation &compilation) -> llvm::Error {
        auto result = emitLevel(compilation, level);
        if (!result)
          return result.takeError();
        output = std::move(*result);
        return llvm::Error::success();
      });
  if (error)
    return error;
  return output;
}

llvm::Expected<Image> compileToImage(StringRef module, StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report) {
  Image image;
  llvm::Error error =
      compileGuarded(module, name, machine, options, report, [&](Compilation &compilation) -> llvm::Error {
        image.entries = describeEntries(compilation.getModule());
        if (llvm::Error error = compilation.lower(Level::Llvm))
          return error;
        readScratch(compilation.getModule(), image.entries);
        auto object = emitLevel(compilation, Level::Obj);
        if (!object)
          return object.takeError();
        image.object = std::move(*object);
        return llvm::Error::success();
      });
  if (error)
    return error;
  image.remarks = report.remarks;
  return image;
}

} // namespace tilewright
