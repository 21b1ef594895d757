// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include "LaunchGrid.h"

namespace nb = nanobind;

namespace tilewright::python::xla {

void Program::add(nb::object kernel, nb::handle grid, nb::object args, std::vector<Loop> loops) {
  nb::object launcher = nb::module_::import_("tilewright._runtime.dispatch").attr("launcher_of")(kernel);
  Grid extents = readGrid(nb::cast<std::string>(kernel.attr("__name__")), grid);
  launches.push_back({kernel, args, &nb::cast<Launcher &>(launcher), extents, std::move(loops)});
}

// Two threads may both prepare; the code of a kernel is compiled once.
const Program::OfDevice &Program::preparedFor(int device) {
  auto find = [&]() -> const OfDevice * {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[known, launches] : prepared)
      if (known == device)
        return launches.get();
    return nullptr;
  };
  if (const OfDevice *found = find())
    return *found;
  auto made = std::make_shared<OfDevice>();
  {
    nb::gil_scoped_acquire acquire;
    for (const Launch &launch : launches)
      made->push_back(std::make_unique<PreparedLaunch>(*launch.launcher, launch.args, launch.grid, device));
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    prepared.push_back({device, made});
  }
  return *made;
}

// All iterations of the loops from this one on.
static void runLoops(const PreparedLaunch &launch, llvm::ArrayRef<Program::Loop> loops, Memories memories,
                     const cuda::LaunchOptions &onGpu) {
  if (loops.empty())
    return launch.run(memories, onGpu);
  llvm::SmallVector<char *, 8> iteration(memories);
  for (int64_t i = 0; i < loops.front().extent; ++i) {
    runLoops(launch, loops.drop_front(), iteration, onGpu);
    for (auto [memory, step] : llvm::zip(iteration, loops.front().steps))
      memory += step;
  }
}

void Program::run(Memories memories, int device, const cuda::LaunchOptions &onGpu) {
  const OfDevice &launches = preparedFor(device);
  for (auto [i, launch] : llvm::enumerate(launches))
    runLoops(*launch, this->launches[i].loops, memories, onGpu);
}

} // namespace tilewright::python::xla
