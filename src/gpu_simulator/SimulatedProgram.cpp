// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/SimulatedProgram.h"

#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "mlir/Pass/PassManager.h"
#include "pipeline/Compilation.h"
#include "pipeline/entry/EntryInterface.h"
#include "pipeline/passes/NvidiaPipeline.h"
#include "support/CrashSignals.h"
#include "support/PlanFile.h"
#include "llvm/Support/FormatVariadic.h"
#include <mutex>
#include <random>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

// Where the module lives, and what its launches share.
struct SimulatedProgram::Module {
  Module(llvm::StringRef bytes, llvm::StringRef name, const nvidia::Architecture &architecture)
      : bytes(bytes.str()), name(name.str()), target(nvidiaTarget(architecture)) {}

  const std::string bytes, name;
  const TileIrFile file{bytes, name};
  const TargetRef target;
  PipelineOptions options;
  PipelineReport report;
  Progress progress;
  std::unique_ptr<Compilation> compilation;
  std::vector<std::unique_ptr<SimulatedKernel>> kernels;
  llvm::StringMap<interpreter::OwnedMemory> globals;
  std::mutex mutex;

  llvm::Error compile(const nvidia::Architecture &architecture, std::vector<EntryInfo> &entries);
};

SimulatedProgram::SimulatedProgram() = default;
SimulatedProgram::~SimulatedProgram() = default;

llvm::Error SimulatedProgram::Module::compile(const nvidia::Architecture &architecture,
                                              std::vector<EntryInfo> &entries) {
  compilation = std::make_unique<Compilation>(file, *target, options, report, progress);
  if (llvm::Error error = compilation->read())
    return error;
  entries = describeEntries(compilation->getModule());
  if (auto text = compilation->emit(Level::Tileas); !text)
    return text.takeError();
  ModuleOp tiles = compilation->getModule();
  bool isFinished = llvm::any_of(tiles.getOps<func::FuncOp>(), [](func::FuncOp function) {
    tileas::CtaAttr cta = tileas::ctaOf(function);
    return cta && cta.getSharedBytes();
  });
  if (!isFinished) {
    PassManager passes(tiles.getContext());
    buildTileasFinalization(passes, architecture, options.nvidia.abi, options.nvidia.switches);
    if (failed(passes.run(tiles)))
      return compilation->failure("the module has no code for threads");
  }
  for (auto global : tiles.getOps<tileaa::GlobalOp>()) {
    interpreter::OwnedMemory memory(global.getContent().size(), global.getAlignment());
    if (!memory.address())
      return interpreter::errorAt(global, "there is no memory of " + llvm::Twine(memory.bytes()) + " bytes");
    std::memcpy(reinterpret_cast<char *>(memory.address()), global.getContent().data(), memory.bytes());
    globals.try_emplace(global.getSymName(), std::move(memory));
  }
  bool isDescribed = !entries.empty();
  for (auto function : tiles.getOps<func::FuncOp>()) {
    if (!tileaa::isKernel(function))
      continue;
    auto kernel = SimulatedKernel::prepare(function);
    if (!kernel)
      return kernel.takeError();
    if (!isDescribed)
      entries.push_back((*kernel)->entry);
    kernels.push_back(std::move(*kernel));
  }
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<SimulatedProgram>> SimulatedProgram::compile(llvm::StringRef bytes, llvm::StringRef name,
                                                                            const nvidia::Architecture &architecture,
                                                                            llvm::StringRef plan,
                                                                            llvm::StringRef planName) {
  std::shared_ptr<SimulatedProgram> program(new SimulatedProgram());
  program->module = std::make_unique<Module>(bytes, name, architecture);
  program->module->options.plan = plan.str();
  program->module->options.planName = planName.str();
  if (llvm::Error error = runGuarded([&] { return program->module->compile(architecture, program->entries); }))
    return asPlanError(std::move(error), planName);
  return program;
}

const EntryInfo *SimulatedProgram::find(llvm::StringRef name) const {
  if (name.empty())
    return entries.size() == 1 ? &entries.front() : nullptr;
  auto found = llvm::find_if(entries, [&](const EntryInfo &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

//===-- launches ----------------------------------------------------------===//

namespace {

// The actor with the lowest number runs until it has to wait.
class InOrder : public Schedule {
public:
  size_t choose(size_t) override { return 0; }
};

class AtRandom : public Schedule {
public:
  explicit AtRandom(uint64_t seed) : generator(seed) {}
  size_t choose(size_t count) override { return generator() % count; }

private:
  std::mt19937_64 generator;
};

// All orders of the steps of pipelines, one run after the other: the last choice that has another side is changed.
class InEveryOrder : public Schedule {
public:
  size_t choose(size_t count) override {
    if (next == choices.size())
      choices.push_back({0, count});
    return choices[next++].first;
  }
  bool isForPipelines() const override { return true; }
  // Whether there is another order.
  bool advance() {
    while (!choices.empty() && ++choices.back().first == choices.back().second)
      choices.pop_back();
    next = 0;
    return !choices.empty();
  }

private:
  std::vector<std::pair<size_t, size_t>> choices; // the choice taken, and their number
  size_t next = 0;
};

// A block, or those of a cluster, and their schedules, which have to agree.
class BlockRuns {
public:
  BlockRuns(SimulatedKernel &kernel, LaunchState &launch, std::array<int64_t, 3> index, llvm::ArrayRef<void *> args,
            const LaunchOptions &options)
      : kernel(kernel), launch(launch), index(index), args(args), options(options) {}

  std::string printed;
  std::optional<AssertFailure> failure;

  llvm::Error run(LaunchReport &report) {
    InOrder inOrder;
    if (options.schedules > 1) {
      if (llvm::Error error = tryOut(inOrder, ""))
        return error;
      if (llvm::Error error = tryAll(report))
        return error;
    }
    Blocks blocks = makeBlocks();
    if (llvm::Error error = runCluster(blocks, inOrder))
      return error;
    printed.clear();
    for (auto &block : blocks) {
      printed += block->printed;
      if (block->failure)
        failure = std::move(block->failure);
    }
    return llvm::Error::success();
  }

private:
  using Blocks = std::vector<std::unique_ptr<TileBlock>>;

  Blocks makeBlocks() {
    Blocks blocks;
    for (unsigned rank = 0; rank != kernel.cluster; ++rank)
      blocks.push_back(std::make_unique<TileBlock>(
          kernel, launch, std::array<int64_t, 3>{index[0] + rank, index[1], index[2]}, args, rank));
    for (auto &block : blocks)
      block->join(blocks);
    return blocks;
  }

  // Every order, if there are no more than schedules asked for; else as many at random.
  llvm::Error tryAll(LaunchReport &report) {
    InEveryOrder every;
    int64_t count = 0;
    bool isMore = true;
    while (isMore && count != options.schedules) {
      if (llvm::Error error = tryOut(every, "in another order"))
        return error;
      ++count;
      isMore = every.advance();
    }
    report.schedules = std::max(report.schedules, count);
    report.isComplete &= !isMore;
    if (!isMore)
      return llvm::Error::success();
    int64_t number = (index[2] * launch.grid[1] + index[1]) * launch.grid[0] + index[0];
    for (int64_t schedule = 0; schedule != options.schedules; ++schedule) {
      AtRandom atRandom(options.seed + (number << 20) + schedule);
      if (llvm::Error error = tryOut(atRandom, llvm::formatv("under schedule {0} of seed {1}", schedule, options.seed)))
        return error;
    }
    return llvm::Error::success();
  }

  // Runs the block, compares the memory afterwards with that of the first run, and undoes its writes.
  llvm::Error tryOut(Schedule &schedule, const std::string &which) {
    Blocks blocks = makeBlocks();
    for (auto &block : blocks)
      block->global.remembers = true;
    if (llvm::Error error = runCluster(blocks, schedule))
      return which.empty() ? std::move(error)
                           : llvm::createStringError(llvm::toString(std::move(error)) + "(" + which + ")");
    std::vector<std::pair<uint64_t, Bits>> written;
    std::string text;
    bool hasAtomics = false;
    for (auto &block : blocks) {
      llvm::append_range(written, block->global.written());
      text += block->printed;
      hasAtomics |= block->hasAtomics;
    }
    for (auto &block : llvm::reverse(blocks))
      block->global.undo();
    if (which.empty()) {
      expected = std::move(written);
      printed = std::move(text);
      return llvm::Error::success();
    }
    llvm::StringRef what = written != expected && !hasAtomics ? "other bytes are in memory"
                           : text != printed                  ? "another text is printed"
                                                              : "";
    if (what.empty())
      return llvm::Error::success();
    return interpreter::errorAt(kernel.function,
                                llvm::formatv("the result of block ({0}, {1}, {2}) depends on the schedule: "
                                              "{3} {4} than in the order of the warps",
                                              index[0], index[1], index[2], what, which)
                                    .str());
  }

  SimulatedKernel &kernel;
  LaunchState &launch;
  const std::array<int64_t, 3> index;
  const llvm::ArrayRef<void *> args;
  const LaunchOptions &options;
  std::vector<std::pair<uint64_t, Bits>> expected;
};

} // namespace

llvm::Expected<LaunchResult> SimulatedProgram::launch(llvm::StringRef name, std::array<int64_t, 3> grid,
                                                      llvm::ArrayRef<void *> args, const LaunchOptions &options,
                                                      LaunchReport &report) {
  std::lock_guard<std::mutex> lock(module->mutex);
  auto found = llvm::find_if(module->kernels, [&](auto &kernel) { return kernel->function.getName() == name; });
  if (found == module->kernels.end())
    return llvm::createStringError("the module has no entry '" + name + "'");
  LaunchState launch;
  launch.grid = launch.wanted = grid;
  int64_t cluster = (*found)->cluster;
  if ((*found)->persists) {
    int64_t blocks = grid[0] * grid[1] * grid[2] * (*found)->split;
    launch.grid = grid = {int64_t(llvm::alignTo(std::min(blocks, multiprocessors * cluster), cluster)), 1, 1};
  }
  launch.stepLimit = options.stepLimit;
  launch.poll = options.poll;
  launch.addressOfGlobal = [&](llvm::StringRef global) { return module->globals.find(global)->second.address(); };
  CrashSignals signals;
  LaunchResult result;
  for (int64_t z = 0; z != grid[2]; ++z)
    for (int64_t y = 0; y != grid[1]; ++y)
      for (int64_t x = 0; x != grid[0]; x += cluster) {
        BlockRuns runs(**found, launch, {x, y, z}, args, options);
        if (llvm::Error error = runs.run(report))
          return error;
        result.printed += runs.printed;
        result.failure = std::move(runs.failure);
        if (result.failure)
          return result;
      }
  return result;
}
