// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch whose arrays are not there yet: their addresses stand for places in memory that each run names.
#ifndef TILEWRIGHT_PYTHON_NATIVE_XLA_PREPAREDLAUNCH_H
#define TILEWRIGHT_PYTHON_NATIVE_XLA_PREPAREDLAUNCH_H

#include "Launcher.h"

namespace tilewright::python {

// Memory by its number; an address in it is (number + 1) * spacing + offset.
using Memories = llvm::ArrayRef<char *>;

class PreparedLaunch {
public:
  static constexpr int64_t spacing = int64_t(1) << 40;

  // Compiles, with the GIL. `device` is the GPU that the memory will be on, or inHostMemory. Raises as a launch does.
  PreparedLaunch(Launcher &launcher, nanobind::handle args, Grid grid, int device);

  // Without the GIL, which it takes to raise an exception, and for a launch that is interpreted.
  void run(Memories memories, const cuda::LaunchOptions &onGpu) const;

private:
  struct Table {
    size_t value, first; // the address of the words from this one on is a value
  };
  void runSlowly(Memories memories, const cuda::LaunchOptions &onGpu) const;

  Launcher &launcher;
  Grid grid;
  ArgumentList list;
  std::shared_ptr<Launcher::Specialization> specialization;
  std::vector<int64_t> values;        // of the entry's parameters
  std::vector<size_t> addresses;      // which of them are such
  std::vector<size_t> tableAddresses; // likewise of list.tables
  std::vector<Table> tables;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_XLA_PREPAREDLAUNCH_H
