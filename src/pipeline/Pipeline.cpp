// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "cpu/CpuPipeline.h"
#include "cpu/PlanText.h"
#include "cuda_tile/ir/CudaTile.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/CHeader.h"
#include "pipeline/EntryInterface.h"
#include "pipeline/TileIrFile.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"
#include "tileaa/transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr LevelInfo levelTable[] = {
    {Level::CudaTile, "cuda_tile", "the module as the front end wrote it"},
    {Level::Tilebc, "tilebc", "the same as bytecode"},
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

// What a compilation is at, in memory that outlives a crash.
struct Progress {
  std::string running;
  bool isInternal = false; // it failed for a reason that no module may have
  bool isCodeGen = false;  // the passes are done
};

class ProgressOfPasses : public PassInstrumentation {
public:
  ProgressOfPasses(Progress &progress, StringRef crashIn) : progress(progress), crashIn(crashIn) {}
  void runBeforePass(Pass *pass, Operation *) override {
    progress.running = nameOf(pass);
    if (progress.running == crashIn)
      LLVM_BUILTIN_TRAP;
  }
  void runAfterPass(Pass *, Operation *) override { progress.running.clear(); }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    progress.running.clear();
    progress.isInternal |= nameOf(pass).contains("-verify-");
  }

private:
  static StringRef nameOf(Pass *pass) { return pass->getArgument().empty() ? pass->getName() : pass->getArgument(); }

  Progress &progress;
  StringRef crashIn;
};

// One compilation, alive on the guarded thread.
class Compilation {
public:
  Compilation(const TileIrFile &file, const Machine &machine, const PipelineOptions &options, PipelineReport &report,
              Progress &progress)
      : progress(progress), file(file), machine(machine), options(options), report(report),
        context(createRegistry(), MLIRContext::Threading::DISABLED), diagnostics(&context, {file.name, file.bytes}),
        dumps(report.dumps), timings(report.timing) {
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

  llvm::Error read() {
    TimingScope scope = root.nest("parse and verify");
    module = readTileIr(file, &context);
    return module ? llvm::Error::success() : failure("the module cannot be read");
  }

  // Runs the steps up to a level.
  llvm::Error lower(Level level) {
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

  llvm::Expected<std::unique_ptr<llvm::Module>> translate() {
    progress.isCodeGen = true;
    TimingScope scope = root.nest(progress.running = "translate to LLVM IR");
    auto result = translateToLLVM(*module, llvmContext, machine, options.codeGen);
    if (!result)
      return failure(llvm::toString(result.takeError()));
    return result;
  }

  llvm::Error optimizeIr(llvm::Module &ir) {
    TimingScope scope = root.nest(progress.running = "LLVM optimizer");
    return ours(optimize(ir, machine, options.codeGen));
  }

  llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &ir, CodeKind kind) {
    TimingScope scope = root.nest(progress.running = "code generation");
    auto code = emitCode(ir, machine, kind, options.codeGen);
    if (!code)
      return ours(code.takeError());
    return code;
  }

  llvm::Expected<std::string> writeBytecode() {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    for (cuda_tile::ModuleOp tiles : module->getOps<cuda_tile::ModuleOp>())
      return succeeded(writeTileIr(tiles, {}, os)) ? llvm::Expected<std::string>(std::move(bytes))
                                                   : failure("the module cannot be written");
    return failure("found no Tile IR in the module, which bytecode is made of");
  }

  ModuleOp getModule() { return *module; }

  // Writes the module with the passes up to the llvm dialect, for `tilewright-opt --run-reproducer`.
  void writeReproducer(StringRef path) {
    Level at = levelOf(*module);
    PassManager passes(&context);
    for (const Step &step : steps)
      if (step.reaches > at)
        step.build(passes, machine);
    makeReproducer("builtin.module", passes.getPasses(), *module, path, /*disableThreads=*/true, options.verifyEach);
  }

private:
  // The plans are the linalg level's; from here they are as asked for, and can be followed.
  llvm::Error decide() {
    if (llvm::Error error = cpu::applyPlans(*module, options.plan, options.planName))
      return error;
    return succeeded(cpu::verifyPlans(*module, machine)) ? llvm::Error::success() : failure("the plan is wrong");
  }

  static DialectRegistry createRegistry() {
    DialectRegistry registry;
    registerPipelineDialects(registry);
    return registry;
  }

  llvm::Error failure(const std::string &what) {
    const std::string &errors = diagnostics.errors();
    progress.isInternal |= errors.empty();
    return llvm::createStringError(errors.empty() ? what : errors);
  }

  llvm::Error ours(llvm::Error error) {
    progress.isInternal |= static_cast<bool>(error);
    return error;
  }

  void configure(PassManager &passes, TimingScope &scope) {
    passes.enableVerifier(options.verifyEach);
    passes.addInstrumentation(std::make_unique<ProgressOfPasses>(progress, options.crashIn));
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

  Progress &progress;
  const TileIrFile &file;
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
  if (level == Level::Tilebc)
    return compilation.writeBytecode();
  if (llvm::Error error = compilation.lower(level == Level::Plan ? Level::Linalg : std::min(level, Level::Llvm)))
    return error;
  if (level == Level::Tileaa || level == Level::Linalg)
    return print(compilation.getModule());
  if (level == Level::Plan)
    return cpu::printPlans(compilation.getModule());

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

// Keeps the module of an internal failure, and says how to see it again; where it cannot be kept, says nothing.
std::string keepForReport(const TileIrFile &file, const Machine &machine, const PipelineOptions &options,
                          bool inPasses) {
  SmallString<128> folder, path;
  if (const char *wanted = std::getenv("TILEWRIGHT_REPRODUCER_DIR"))
    folder = wanted;
  else
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  int descriptor;
  if (llvm::sys::fs::createUniqueFile(folder + "/tilewright-%%%%%%%%.mlir", descriptor, path))
    return "";
  // What cannot even be parsed without a failure is kept as it came.
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << file.bytes;
  bool parsed = false;
  llvm::consumeError(runGuarded([&]() -> llvm::Error {
    PipelineReport report;
    Progress progress;
    Compilation compilation(file, machine, options, report, progress);
    llvm::Error error = compilation.read();
    if (!error) {
      compilation.writeReproducer(path);
      parsed = true;
    }
    return error;
  }));
  std::string command = parsed && inPasses
                            ? "tilewright-opt --run-reproducer " + path.str().str() + " -o /dev/null"
                            : "tilewright compile " + path.str().str() + " --target=cpu:" + machine.name +
                                  " --opt-level=" + std::to_string(options.codeGen.optLevel);
  return "; the module is in " + path.str().str() + ", to see this again: " + command;
}

// Parses and compiles on a guarded thread. A failure of ours is reported with the pass it happened in and with a file
// to send along.
llvm::Error compileGuarded(const TileIrFile &file, const Machine &machine, const PipelineOptions &options,
                           PipelineReport &report, llvm::function_ref<llvm::Error(Compilation &)> body) {
  Progress progress;
  bool finished = false;
  llvm::Error error = runGuarded([&]() -> llvm::Error {
    Compilation compilation(file, machine, options, report, progress);
    llvm::Error result = compilation.read();
    if (!result)
      result = body(compilation);
    finished = true;
    return result;
  });
  if (!error || (finished && !progress.isInternal))
    return error;
  std::string text = llvm::toString(std::move(error));
  if (!progress.running.empty())
    text += " (in " + progress.running + ")";
  return llvm::createStringError(text + keepForReport(file, machine, options, !progress.isCodeGen));
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
      compileGuarded({module, name}, machine, options, report, [&](Compilation &compilation) -> llvm::Error {
        std::vector<EntryInfo> entries;
        if (level == Level::So)
          entries = describeEntries(compilation.getModule());
        auto result = emitLevel(compilation, level);
        if (!result)
          return result.takeError();
        output = std::move(*result);
        if (level == Level::So) {
          readScratch(compilation.getModule(), entries);
          report.header = writeCHeader(entries, machine);
        }
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
      compileGuarded({module, name}, machine, options, report, [&](Compilation &compilation) -> llvm::Error {
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
