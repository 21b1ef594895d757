// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "cpu/CpuPipeline.h"
#include "cpu/PlanText.h"
#include "cuda_tile/ir/CudaTile.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "pipeline/CHeader.h"
#include "pipeline/EntryInterface.h"
#include "pipeline/PlantedFailure.h"
#include "pipeline/Reproducer.h"
#include "pipeline/TileIrFile.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"
#include "tileaa/transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/PrettyStackTrace.h"
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
  return llvm::find_if(levelTable, [&](const LevelInfo &info) { return info.level == level; })->name;
}

// What a compilation is at.
struct Progress {
  std::string running;
  bool isInternal = false; // it failed for a reason that no module may have
};

// Says it to whoever asks this thread, the way LLVM's passes do.
class ProgressNote : public llvm::PrettyStackTraceEntry {
public:
  explicit ProgressNote(const Progress &progress) : progress(progress) {}
  void print(raw_ostream &os) const override { os << progress.running; }

private:
  const Progress &progress;
};

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

// One compilation, alive on the guarded thread.
class Compilation {
public:
  Compilation(const TileIrFile &file, const Machine &machine, const PipelineOptions &options, PipelineReport &report,
              Progress &progress)
      : progress(progress), note(progress), file(file), machine(machine), options(options), report(report),
        context(createRegistry(), MLIRContext::Threading::DISABLED), diagnostics(&context, {file.name, file.bytes}),
        dumps(report.dumps), timings(report.timing), planted(options.failIn) {
    timing.setEnabled(options.timing);
    timing.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, timings));
    root = timing.getRootScope();
  }
  ~Compilation() {
    root.stop();
    if (options.timing)
      timing.print();
    timing.setEnabled(false); // else it prints again when it goes
    report.remarks = diagnostics.remarks() + longBlocks;
  }

  llvm::Error read() {
    TimingScope scope = begin("parse and verify");
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
    TimingScope scope = begin("translate to LLVM IR");
    auto result = translateToLLVM(*module, llvmContext, machine, options.codeGen);
    if (!result)
      return failure(llvm::toString(result.takeError()));
    return result;
  }

  llvm::Error optimizeIr(llvm::Module &ir) {
    TimingScope scope = begin("LLVM optimizer");
    return ours(optimize(ir, machine, options.codeGen));
  }

  llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &ir, CodeKind kind) {
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
    return code;
  }

  // Code of a module that is better compiled by a child, nothing for others.
  llvm::Expected<std::optional<std::string>> emitInChild(Level level) {
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

  llvm::Expected<std::string> writeBytecode() {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    for (cuda_tile::ModuleOp tiles : module->getOps<cuda_tile::ModuleOp>())
      return succeeded(writeTileIr(tiles, {}, os)) ? llvm::Expected<std::string>(std::move(bytes))
                                                   : failure("the module cannot be written");
    return failure("found no Tile IR in the module, which bytecode is made of");
  }

  ModuleOp getModule() { return *module; }

private:
  TimingScope begin(const char *stage) {
    progress.running = stage;
    planted.failIn(stage);
    return root.nest(stage);
  }

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

  Progress &progress;
  ProgressNote note;
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
  std::string longBlocks; // remarks
  PlantedFailure planted;
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

  if (auto code = compilation.emitInChild(level); !code || *code)
    return code ? llvm::Expected<std::string>(std::move(**code)) : code.takeError();
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

// One compilation with what goes in and comes out. The thread that compiles may outlive the caller's interest in it, so
// both own it.
struct Job {
  Job(Level level, StringRef module, StringRef name, const Machine &machine, const PipelineOptions &options)
      : level(level), bytes(module.str()), name(name.str()), machine(machine), options(options) {}

  const Level level;
  const std::string bytes, name;
  const TileIrFile file{bytes, name};
  const Machine machine;
  const PipelineOptions options;
  Progress progress;
  PipelineReport report;
  std::vector<EntryInfo> entries; // of levels that have code
  std::string output;
};

llvm::Error compileJob(Job &job) {
  Compilation compilation(job.file, job.machine, job.options, job.report, job.progress);
  if (llvm::Error error = compilation.read())
    return error;
  bool isCode = job.level == Level::So || job.level == Level::Obj;
  if (isCode)
    job.entries = describeEntries(compilation.getModule());
  auto result = emitLevel(compilation, job.level);
  if (!result)
    return result.takeError();
  job.output = std::move(*result);
  if (isCode)
    readScratch(compilation.getModule(), job.entries);
  if (isCode)
    job.report.header = writeCHeader(job.entries, job.machine);
  return llvm::Error::success();
}

// Compiles on a guarded thread. A failure of ours is reported with the place it happened in and with a file to send
// along.
llvm::Error runJob(const std::shared_ptr<Job> &job) {
  llvm::Error error = runGuarded([job] { return compileJob(*job); }, job->options.limits);
  auto locate = [&](std::string text, StringRef where) {
    where.consume_front("Running "); // as LLVM says of its passes
    if (!where.empty())
      text += (" (in " + where + ")").str();
    return text;
  };
  auto explain = [&](const std::string &message, StringRef where) {
    return locate(message, where) + keepForReport(job->file, job->level, job->machine, job->options);
  };
  return llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<GuardFailure> failure) -> llvm::Error {
        bool isWanted = failure->getKind() == GuardFailure::Kind::Interrupted;
        return llvm::make_error<GuardFailure>(failure->getKind(),
                                              isWanted ? locate(failure->message(), failure->where())
                                                       : explain(failure->message(), failure->where()),
                                              failure->where());
      },
      [&](std::unique_ptr<llvm::StringError> failure) -> llvm::Error {
        if (!job->progress.isInternal)
          return llvm::Error(std::move(failure));
        return llvm::createStringError(explain(failure->getMessage(), job->progress.running));
      });
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
  auto job = std::make_shared<Job>(level, module, name, machine, options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return std::move(job->output);
}

llvm::Expected<Image> compileToImage(StringRef module, StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report) {
  auto job = std::make_shared<Job>(Level::Obj, module, name, machine, options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return Image{std::move(job->entries), report.remarks, std::move(job->output)};
}

} // namespace tilewright
