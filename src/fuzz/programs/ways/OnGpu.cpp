// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/ways/OnGpu.h"

#include "runtime/cuda/GpuExecutable.h"
#include "runtime/cuda/Staging.h"

using namespace llvm;

namespace tilewright::programs {

Expected<LaunchResult> runOnGpu(StringRef module, const int64_t grid[3], ArrayRef<void *> arguments,
                                ArrayRef<HostArray> arrays, const PipelineOptions &options) {
  auto device = cuda::Device::get(0);
  if (!device)
    return device.takeError();
  PipelineReport report;
  auto image = compileToGpuImage(module, "program", *device->architecture, device->driver.version, options, report);
  if (!image)
    return image.takeError();
  auto executable = cuda::GpuExecutable::load(std::move(*image), *device);
  if (!executable)
    return executable.takeError();
  const cuda::GpuExecutable::Kernel *kernel = executable->find("");
  if (!kernel)
    return createStringError("expected a module with one entry");

  cuda::CurrentContext context(*device);
  cuda::Staging staging(*device, cuda::Staging::To::Device);
  for (const HostArray &array : arrays)
    staging.add(array.address, array.bytes, /*isWritten=*/true);
  if (Error error = staging.begin())
    return error;
  SmallVector<uint64_t> onHost;
  for (const HostArray &array : arrays) {
    onHost.push_back(*array.pointer);
    *array.pointer = staging.translate(*array.pointer);
  }
  cuda::LaunchOptions launch;
  launch.wait = true;
  auto result = executable->launch(*kernel, arguments, {grid[0], grid[1], grid[2]}, launch);
  for (auto [array, pointer] : zip_equal(arrays, onHost))
    *array.pointer = pointer;
  if (!result)
    return result.takeError();
  if (Error error = staging.end())
    return error;
  return std::move(*result);
}

} // namespace tilewright::programs
