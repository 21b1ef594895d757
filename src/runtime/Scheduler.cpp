// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Scheduler.h"

#include "abi/Print.h"
#include "options/Environment.h"
#include "runtime/BlockShares.h"
#include "runtime/LaunchCores.h"
#include "runtime/Scratch.h"
#include "support/CrashSignals.h"
#include <chrono>
#include <cstring>
#include <map>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tilewright {
namespace {

// Waking the other threads costs about this much; a shorter grid is done sooner by the caller alone.
constexpr float inlineNanoseconds = 5000;

// A run shorter than this is spent on claiming it.
constexpr float chunkNanoseconds = 2000;

// A part of a profile: so long is a hundred times what it costs to record it.
constexpr float recordNanoseconds = 5000;
constexpr int64_t mostRecords = 1 << 16;
constexpr int64_t mostJoinedBlocks = 16; // that a plan has by itself

int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int64_t shortestRun(int64_t blocks, int threads, float nanosecondsPerBlock) {
  int64_t worthwhile = nanosecondsPerBlock > 0 ? static_cast<int64_t>(chunkNanoseconds / nanosecondsPerBlock) : 0;
  return std::max<int64_t>(1, std::min(worthwhile, blocks / (threads * 2)));
}

// State that all tasks of a launch share.
struct Launch {
  const KernelEntry &entry;
  void **args;
  Grid grid;
  int64_t blocks;
  BlockShares shares;
  LaunchProfile *profile;
  int64_t blocksOfRecord;
  std::atomic<bool> stopped{false};
  std::atomic<int64_t> busyNanoseconds{0};
  std::mutex mutex{};
  std::map<int64_t, std::string> printed{}; // by first block of the chunk
  LaunchResult result{};

  int64_t linear(const int64_t (&block)[3]) const { return block[0] + grid.x * (block[1] + grid.y * block[2]); }
};

// The `context` of a running chunk.
struct Task : RecoveryPoint {
  Task(Launch &launch, int64_t firstBlock) : RecoveryPoint(onSignal), launch(launch), firstBlock(firstBlock) {}

  Launch &launch;
  int64_t firstBlock; // of the part that runs
  std::string printed;
  int signal = 0;
  uint64_t address = 0;

private:
  static void onSignal(RecoveryPoint &point, int signal, const siginfo_t &info, void *) {
    Task &task = static_cast<Task &>(point);
    // An abort, or a signal sent by a process, is not the kernel's.
    if (!signal || info.si_code <= 0)
      return;
    task.signal = signal;
    task.address = reinterpret_cast<uintptr_t>(info.si_addr);
    siglongjmp(task.buffer, 1);
  }
};

// No C++ object lives in the frames that a failed assert or a signal jumps over: they are generated code.
bool runChunk(Task &task, int64_t lastBlock, char *scratch) {
  const Launch &launch = task.launch;
  RecoveryScope scope(task);
  if (sigsetjmp(task.buffer, /*savemask=*/0))
    return false;
  launch.entry.function(launch.args, launch.grid.x, launch.grid.y, launch.grid.z, task.firstBlock, lastBlock, scratch,
                        &task);
  return true;
}

// The same, in parts that are recorded.
bool runRecorded(Task &task, int64_t lastBlock, char *scratch, std::vector<BlockRun> &runs) {
  int worker = std::max(0, tbb::this_task_arena::current_thread_index());
  int64_t begin = now();
  for (int64_t last; task.firstBlock < lastBlock; task.firstBlock = last) {
    last = std::min(lastBlock, task.firstBlock + task.launch.blocksOfRecord);
    if (!runChunk(task, last, scratch))
      return false;
    int64_t end = now();
    runs.push_back({worker, task.firstBlock, last, begin, end});
    begin = end;
  }
  return true;
}

// On the thread that has this share of the blocks.
void runChunks(Launch &launch, int64_t share) {
  char *scratch = threadScratch(std::max<int64_t>(launch.entry.scratchBytes, TILEWRIGHT_SCRATCH_STATE_BYTES));
  if (!scratch) {
    std::lock_guard<std::mutex> lock(launch.mutex);
    launch.result.outOfMemory = true;
    launch.stopped = true;
    return;
  }
  std::memset(scratch, 0, TILEWRIGHT_SCRATCH_STATE_BYTES);
  // In place from the first launch on: to put handlers there and back costs as much as a small launch.
  static CrashSignals &signals = *new CrashSignals();
  (void)signals;
  thread_local AlternateStack handlers;
  (void)handlers;
  std::vector<BlockRun> runs;
  if (launch.profile)
    runs.reserve(launch.blocks / launch.blocksOfRecord + 1);
  int64_t start = now();
  while (!launch.stopped.load(std::memory_order_relaxed)) {
    BlockRange run = launch.shares.claim(share);
    if (run.empty())
      break;
    auto [first, end] = run;
    Task task(launch, first);
    if (!(launch.profile ? runRecorded(task, end, scratch, runs) : runChunk(task, end, scratch)))
      launch.stopped = true;
    if (task.signal) {
      std::lock_guard<std::mutex> lock(launch.mutex);
      if (auto &known = launch.result.fault; !known || first < known->firstBlock)
        known = KernelFault{task.signal, task.address, first, end};
    }
    if (!task.printed.empty()) {
      std::lock_guard<std::mutex> lock(launch.mutex);
      launch.printed[first] = std::move(task.printed);
    }
  }
  launch.busyNanoseconds += now() - start;
  if (launch.profile) {
    std::lock_guard<std::mutex> lock(launch.mutex);
    llvm::append_range(launch.profile->runs, runs);
  }
}

} // namespace

int64_t blocksOfRun(int64_t blocks, float nanosecondsPerBlock) {
  int64_t least = llvm::divideCeil(blocks, mostRecords);
  if (nanosecondsPerBlock > 0 && nanosecondsPerBlock < recordNanoseconds)
    least = std::max(least, static_cast<int64_t>(recordNanoseconds / nanosecondsPerBlock) + 1);
  return least <= 1 ? 1 : llvm::alignTo(least, mostJoinedBlocks);
}

struct Scheduler::Workers {
  explicit Workers(int count)
      : haveCores(count <= tbb::info::default_concurrency()),
        allowed(tbb::global_control::max_allowed_parallelism, count), arena(count) {}

  void run(Launch &launch, int64_t tasks) {
    LaunchCores cores;
    std::atomic<bool> begun{false};
    auto task = [&](int64_t) {
      if (haveCores)
        cores.join();
      runChunks(launch, begun.exchange(true) ? tbb::this_task_arena::current_thread_index() : 0);
      if (haveCores)
        cores.leave();
    };
    arena.execute([&] { tbb::parallel_for(int64_t(0), tasks, task, tbb::simple_partitioner()); });
  }

  bool haveCores;              // one each
  tbb::global_control allowed; // lets a count above the number of cores take effect
  tbb::task_arena arena;
};

Scheduler::Scheduler(int numThreads) : threads(numThreads) {}
Scheduler::~Scheduler() = default;

int Scheduler::numThreads() const {
  return threads;
}

void Scheduler::setNumThreads(int count) {
  std::lock_guard<std::mutex> lock(mutex);
  threads = count;
  workers.reset(); // launches under way hold their own reference
}

std::shared_ptr<Scheduler::Workers> Scheduler::current() const {
  auto *self = const_cast<Scheduler *>(this);
  std::lock_guard<std::mutex> lock(mutex);
  if (!self->workers)
    self->workers = std::make_shared<Workers>(threads);
  return self->workers;
}

bool Scheduler::isShort(const KernelEntry &entry, Grid grid) const {
  float perBlock = entry.nanosecondsPerBlock.load(std::memory_order_relaxed);
  return perBlock >= 0 && perBlock * grid.blocks() < inlineNanoseconds;
}

LaunchResult Scheduler::launch(const KernelEntry &entry, void **args, Grid grid, LaunchProfile *profile) {
  int64_t blocks = grid.blocks();
  int count = threads;
  bool alone = blocks <= 1 || count == 1 || isShort(entry, grid);
  float perBlock = entry.nanosecondsPerBlock.load(std::memory_order_relaxed);
  int64_t shortest = alone ? blocks : shortestRun(blocks, count, perBlock);
  int64_t tasks = alone ? 1 : std::min<int64_t>(count, llvm::divideCeil(blocks, shortest));
  Launch launch{entry, args, grid, blocks, {blocks, tasks, shortest}, profile, blocksOfRun(blocks, perBlock)};
  if (profile) {
    profile->runs.clear();
    profile->begin = now();
  }
  if (alone)
    runChunks(launch, 0);
  else
    current()->run(launch, tasks);
  if (profile)
    profile->end = now();
  entry.nanosecondsPerBlock.store(static_cast<float>(launch.busyNanoseconds) / blocks, std::memory_order_relaxed);
  for (auto &[first, text] : launch.printed)
    launch.result.printed += text;
  return std::move(launch.result);
}

int defaultNumThreads() {
  if (int64_t count = environmentNumber("TILEWRIGHT_NUM_THREADS"))
    return static_cast<int>(count);
  return tbb::info::default_concurrency();
}

} // namespace tilewright

using tilewright::AssertFailure;
using tilewright::Task;

extern "C" void tilewright_assert_fail(void *context, const char *message, const char *file, int64_t line,
                                       int64_t blockX, int64_t blockY, int64_t blockZ, const int64_t *position,
                                       int64_t rank) {
  Task &task = *static_cast<Task *>(context);
  {
    AssertFailure failure{
        message ? message : "", file ? file : "", line, {blockX, blockY, blockZ}, {position, position + rank}};
    std::lock_guard<std::mutex> lock(task.launch.mutex);
    auto &known = task.launch.result.failure;
    if (!known || task.launch.linear(failure.block) < task.launch.linear(known->block))
      known = std::move(failure);
  }
  siglongjmp(task.buffer, 1);
}

extern "C" void tilewright_print(void *context, const char *format, int64_t numArgs, const tilewright_print_arg *args) {
  tilewright::formatPrint(static_cast<Task *>(context)->printed, format, llvm::ArrayRef(args, numArgs));
}
