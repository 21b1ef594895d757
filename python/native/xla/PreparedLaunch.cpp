// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PreparedLaunch.h"

#include "GpuLaunch.h"

namespace nb = nanobind;

namespace tilewright::python {
namespace {

char *placeOf(int64_t address, Memories memories) {
  constexpr int64_t spacing = PreparedLaunch::spacing;
  return memories[address / spacing - 1] + address % spacing;
}

void place(llvm::MutableArrayRef<int64_t> words, llvm::ArrayRef<size_t> addresses, Memories memories) {
  for (size_t i : addresses)
    words[i] = reinterpret_cast<int64_t>(placeOf(words[i], memories));
}

} // namespace

PreparedLaunch::PreparedLaunch(Launcher &launcher, nb::handle args, Grid grid, int device)
    : launcher(launcher), grid(grid) {
  using Source = Launcher::ParameterSource;
  specialization = launcher.read(list, args, nb::none(), &grid, device);
  launcher.checkMemory(list, *specialization);
  values.resize(specialization->sources.size());
  launcher.fill(list, *specialization, values);
  launcher.checkAssumptions(values, *specialization);
  for (auto [i, source] : llvm::enumerate(specialization->sources)) {
    if (source.kind == Source::Pointer)
      addresses.push_back(i);
    if (source.kind == Source::Table)
      tables.push_back({i, list.lists[source.index].table});
  }
  for (const ListValue &value : list.lists)
    for (size_t row = 0; row < value.count; ++row)
      tableAddresses.push_back(value.table + row * (1 + 2 * list.listArrays[value.first].rank));
}

void PreparedLaunch::run(Memories memories, const cuda::LaunchOptions &onGpu) const {
  auto *cpu = specialization->code.get<session::CpuCode>();
  auto *gpu = specialization->code.get<session::GpuCode>();
  bool isThere = cpu ? list.device == inHostMemory : gpu && list.device != inHostMemory && tables.empty();
  if (!isThere)
    return runSlowly(memories, onGpu);
  llvm::SmallVector<int64_t, 48> words(values.begin(), values.end());
  place(words, addresses, memories);
  llvm::SmallVector<int64_t, 0> rows(list.tables.begin(), list.tables.end());
  place(rows, tableAddresses, memories);
  for (const Table &table : tables)
    words[table.value] = reinterpret_cast<int64_t>(&rows[table.first]);
  llvm::SmallVector<void *, 48> pointers;
  for (int64_t &word : words)
    pointers.push_back(&word); // little endian: narrower types are at the front
  if (cpu) {
    LaunchResult result = session::scheduler().launch(*cpu->entry, pointers.data(), grid);
    if (result.failure || result.fault || result.outOfMemory || !result.printed.empty()) {
      nb::gil_scoped_acquire acquire;
      reportLaunch(launcher.getName(), result);
    }
    return;
  }
  llvm::Expected<LaunchResult> result = gpu->executable->launch(*gpu->kernel, pointers, grid, onGpu);
  if (result && !result->failure && !result->fault && !result->outOfMemory && result->printed.empty())
    return;
  nb::gil_scoped_acquire acquire;
  LaunchResult told = valueOrRaise(std::move(result));
  reportLaunch(launcher.getName(), told);
}

// As launches from Python: in the interpreter, or on another device than the arrays.
void PreparedLaunch::runSlowly(Memories memories, const cuda::LaunchOptions &onGpu) const {
  nb::gil_scoped_acquire acquire;
  ArgumentList placed = list;
  for (size_t i = 0; i < placed.numArrays(); ++i) {
    ArrayValue &array = placed.anyArray(i);
    array.data = placeOf(reinterpret_cast<int64_t>(array.data), memories);
  }
  place(placed.tables, tableAddresses, memories);
  launcher.launchRead(placed, *specialization, grid, onGpu);
}

} // namespace tilewright::python
