// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches that a call of XLA's makes, in order, recorded when JAX traced it: no Python runs with the call.
#ifndef TILEWRIGHT_PYTHON_NATIVE_XLA_PROGRAM_H
#define TILEWRIGHT_PYTHON_NATIVE_XLA_PROGRAM_H

#include "PreparedLaunch.h"

#include <mutex>

namespace tilewright::python::xla {

// Its memories are the call's operands, then its results.
class Program {
public:
  Program(std::string name, size_t numMemories) : name(std::move(name)), numMemories(numMemories) {}

  // A loop around a launch: its extent, and the bytes from one iteration to the next in each memory.
  struct Loop {
    int64_t extent;
    std::vector<int64_t> steps;
  };
  // `args` are as of a launch; their arrays have addresses as PreparedLaunch takes them.
  void add(nanobind::object kernel, nanobind::handle grid, nanobind::object args, std::vector<Loop> loops);

  // Without the GIL; see PreparedLaunch::run.
  void run(Memories memories, int device, const cuda::LaunchOptions &onGpu);

  const std::string name;
  const size_t numMemories;

private:
  struct Launch {
    nanobind::object kernel, args;
    Launcher *launcher;
    Grid grid;
    std::vector<Loop> loops;
  };
  using OfDevice = std::vector<std::unique_ptr<PreparedLaunch>>;
  const OfDevice &preparedFor(int device);

  std::vector<Launch> launches;
  std::mutex mutex;
  std::vector<std::pair<int, std::shared_ptr<OfDevice>>> prepared; // by device
};

void bindXla(nanobind::module_ &m);

} // namespace tilewright::python::xla

#endif // TILEWRIGHT_PYTHON_NATIVE_XLA_PROGRAM_H
