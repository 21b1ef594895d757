// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Launch.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::session;

Scheduler &session::scheduler() {
  static Scheduler &instance = *new Scheduler(defaultNumThreads());
  return instance;
}

llvm::Expected<LaunchResult> session::launch(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                             const cuda::LaunchOptions &options) {
  if (const CpuCode *cpu = entry.get<CpuCode>())
    return scheduler().launch(*cpu->entry, const_cast<void **>(values.data()), grid);
  if (const GpuCode *gpu = entry.get<GpuCode>())
    return gpu->executable->launch(*gpu->kernel, values, grid, options);
  std::array<int64_t, 3> extents{grid.x, grid.y, grid.z};
  if (const SimulatedCode *plans = entry.get<SimulatedCode>()) {
    plans::LaunchReport report;
    return (*plans)->launch(entry.info->name, extents, values, {}, report);
  }
  std::string printed;
  interpreter::Options asked;
  asked.print = [&](llvm::StringRef text) { printed += text; };
  auto result = (*entry.get<InterpretedCode>())->launch(entry.info->name, extents, values, asked);
  if (result)
    result->printed = std::move(printed);
  return result;
}

std::optional<std::string> session::describeFailure(llvm::StringRef kernel, const LaunchResult &result) {
  if (result.outOfMemory)
    return (kernel + ": no memory for the kernel's scratch").str();
  if (result.failure) {
    const AssertFailure &failure = *result.failure;
    std::string text = llvm::formatv("{0}: assert failed, tile block: [{1}, {2}, {3}], position: [{4:$[, ]}]", kernel,
                                     failure.block[0], failure.block[1], failure.block[2],
                                     llvm::make_range(failure.position.begin(), failure.position.end()));
    if (!failure.message.empty())
      text += ": " + failure.message;
    if (!failure.file.empty())
      text += llvm::formatv(" ({0}:{1})", failure.file, failure.line);
    return text;
  }
  if (result.fault)
    return llvm::formatv("{0} raised signal {1} at address {2:x}, in one of the blocks {3} to {4} by linear number: an "
                         "index is out of bounds, or an argument does not match what the kernel takes for granted",
                         kernel, result.fault->signal, result.fault->address, result.fault->firstBlock,
                         result.fault->lastBlock - 1)
        .str();
  return std::nullopt;
}
