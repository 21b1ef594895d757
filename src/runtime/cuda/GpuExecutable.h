// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled module loaded on a GPU, and the launch of its kernels: asynchronous, on any stream, also while it is
// captured into a graph. Launches of a kernel after the first neither allocate nor synchronize, except for a kernel
// that prints, whose launch returns when its output is complete.
#ifndef TILEWRIGHT_RUNTIME_CUDA_GPUEXECUTABLE_H
#define TILEWRIGHT_RUNTIME_CUDA_GPUEXECUTABLE_H

#include "runtime/Scheduler.h"
#include "runtime/cuda/GpuImage.h"
#include "runtime/cuda/HostRecords.h"
#include "runtime/cuda/TensorMaps.h"
#include <deque>
#include <memory>

namespace tilewright::cuda {

struct LaunchOptions {
  StreamHandle stream = nullptr;    // the context's default stream
  bool dependent = false;           // may begin before the kernel ahead of it has ended (programmatic dependent launch)
  bool wait = false;                // until it has ended
  LaunchProfile *profile = nullptr; // gets when and where blocks ran
};

class GpuExecutable {
public:
  struct Kernel {
    const GpuEntry *entry = nullptr;
    EntryInfo info; // as launchers of every target have it
    FunctionHandle function = nullptr;
    const Kernel *fallback = nullptr;
    int64_t mostBlocks = 0; // of a persistent kernel: that the device runs at a time
    mutable std::deque<TensorMaps> tensorMaps;
  };

  // A loaded module lives as long as the process: a captured graph may hold its kernels.
  static llvm::Expected<GpuExecutable &> load(GpuImage image, Device &device);

  // The entry of that name; the only one for an empty name. Null if there is none.
  const Kernel *find(llvm::StringRef name) const;
  const std::deque<Kernel> &entries() const { return kernels; }
  const std::string &remarks() const { return image.remarks; }
  Device &getDevice() const { return device; }
  // Its kernels may print or assert.
  bool speaks() const { return records != nullptr; }

  // parameters[i] points at the value of entry parameter i. The result has the output and a failed assert, as far as
  // known when the launch returns: see `synchronize`.
  llvm::Expected<LaunchResult> launch(const Kernel &kernel, llvm::ArrayRef<void *> parameters, Grid grid,
                                      const LaunchOptions &options);

  // Seconds per launch of the driver's call alone, repeated with the same parameters: the baseline for measurements of
  // launches.
  llvm::Expected<double> timeBareLaunches(const Kernel &kernel, llvm::ArrayRef<void *> parameters, Grid grid,
                                          StreamHandle stream, unsigned count);

private:
  // The arguments of the driver's launch function.
  struct Call {
    llvm::SmallVector<TensorMap, 4> maps;
    llvm::SmallVector<void *, 64> values;
    uint32_t extents[3];
    uint64_t recordBuffer = 0;
    uint32_t recordCapacity = 0;
    LaunchAttribute attributes[2];
    LaunchConfig config;
  };
  // Empty, or why a tensor map cannot be made.
  llvm::StringRef prepare(const Kernel &kernel, llvm::ArrayRef<void *> parameters, Grid grid,
                          const LaunchOptions &options, Call &call) const;
  GpuExecutable(GpuImage image, Device &device) : image(std::move(image)), device(device) {}
  static void *valueOf(const HiddenParameter &hidden, Call &call);
  llvm::Error giveRecords(const GpuEntry &entry, LaunchProfile &profile, Call &call) const;
  llvm::Error loadModule();
  llvm::Error assemble();
  llvm::Error addKernel(const GpuEntry &entry);
  llvm::Error attachHostBuffer();
  llvm::Expected<FunctionHandle> findFunction(const std::string &name);
  int64_t countBlocks(const GpuEntry &entry, FunctionHandle function) const;
  llvm::Error refused(const Kernel &kernel, Status status, const LaunchConfig &config) const;

  GpuImage image;
  Device &device;
  LibraryHandle library = nullptr; // or, with an older driver or of PTX,
  ModuleHandle module = nullptr;
  std::deque<Kernel> kernels;
  std::unique_ptr<HostRecords> records;
};

// Of kernels that print or assert something: on GPUs without such a kernel there is no wait.
enum class Launches { All, OfSpeakingKernels };

// Waits for the kernels on all GPUs that this process has launched on. Returns their output and the first assert that
// failed; an error if a kernel had a fault.
llvm::Expected<LaunchResult> synchronize(Launches which = Launches::All);

// The error of a call on the device after an illegal access: names the kernels that may have made it, unless a failed
// assert is the reason, which is then in the result.
llvm::Expected<LaunchResult> explainFault(Device &device, Status status, const GpuEntry *culprit);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_GPUEXECUTABLE_H
