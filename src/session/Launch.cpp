// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Launch.h"

#include "runtime/cuda/Staging.h"
#include "session/UsageError.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::session;

Scheduler &session::scheduler() {
  static Scheduler &instance = *new Scheduler(defaultNumThreads());
  return instance;
}

llvm::Expected<LaunchResult> session::launch(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                             const cuda::LaunchOptions &gpu, const ExecuteOptions &execution) {
  if (const CpuCode *cpu = entry.get<CpuCode>())
    return scheduler().launch(*cpu->entry, const_cast<void **>(values.data()), grid);
  if (const GpuCode *code = entry.get<GpuCode>())
    return code->executable->launch(*code->kernel, values, grid, gpu);
  return execute(entry, values, grid, execution);
}

namespace {

llvm::SmallVector<void *> addressesOf(llvm::MutableArrayRef<uint64_t> values) {
  llvm::SmallVector<void *> addresses;
  for (uint64_t &value : values)
    addresses.push_back(&value); // little endian: narrower types are at the front
  return addresses;
}

// From the first byte to behind the last element.
int64_t bytesOf(const interpreter::CheckedArray &array) {
  int64_t bytes = array.elementBytes;
  for (auto [extent, stride] : llvm::zip(array.shape, array.byteStrides))
    bytes = extent ? bytes + (extent - 1) * stride : 0;
  return bytes;
}

llvm::Expected<LaunchResult> launchOnCopies(const GpuCode &code, llvm::MutableArrayRef<uint64_t> values, Grid grid,
                                            llvm::ArrayRef<interpreter::CheckedArray> arrays) {
  cuda::Staging staging(code.executable->getDevice(), cuda::Staging::To::Device);
  for (const interpreter::CheckedArray &array : arrays)
    staging.add(array.address, bytesOf(array), array.isWritten);
  if (llvm::Error error = staging.begin())
    return error;
  for (auto [value, parameter] : llvm::zip(values, code.kernel->info.parameters))
    if (parameter.kind == EntryParameter::Kind::Pointer)
      value = staging.translate(value);
  cuda::LaunchOptions options;
  options.wait = true;
  auto result = code.executable->launch(*code.kernel, addressesOf(values), grid, options);
  if (!result)
    return result;
  if (llvm::Error error = staging.end())
    return error;
  return result;
}

} // namespace

llvm::Expected<LaunchResult> session::launchOnArrays(const LoadedEntry &entry, llvm::MutableArrayRef<uint64_t> values,
                                                     Grid grid, llvm::ArrayRef<interpreter::CheckedArray> arrays,
                                                     ExecuteOptions execution) {
  if (values.size() != entry.info->parameters.size())
    return usageError("entry '" + entry.info->name + "' has " + llvm::Twine(entry.info->parameters.size()) +
                      " parameters, got " + llvm::Twine(values.size()) + " values");
  if (const GpuCode *gpu = entry.get<GpuCode>())
    return launchOnCopies(*gpu, values, grid, arrays);
  execution.arrays = [&] { return arrays.vec(); };
  return launch(entry, addressesOf(values), grid, {}, execution);
}

std::optional<std::string> session::describeFailure(llvm::StringRef name, const LaunchResult &result) {
  std::string kernel = llvm::demangle(name); // where it is of C++
  if (result.outOfMemory)
    return kernel + ": no memory for the kernel's scratch";
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
                         "index is out of bounds, or an argument does not match the kernel's assumptions",
                         kernel, result.fault->signal, result.fault->address, result.fault->firstBlock,
                         result.fault->lastBlock - 1)
        .str();
  return std::nullopt;
}
