// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/KernelModel.h"

#include "runtime/Scheduler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {

const cuda::GpuEntry *CodeFacts::entryOf(StringRef kernel) const {
  auto found = find_if(entries, [&](const cuda::GpuEntry &entry) { return entry.name == kernel; });
  return found == entries.end() ? nullptr : found;
}

const nvidia::KernelResources *CodeFacts::resourcesOf(StringRef kernel) const {
  auto found = find_if(resources, [&](const nvidia::KernelResources &used) { return used.name == kernel; });
  return found == resources.end() ? nullptr : found;
}

// Addresses, numbers of the grid, and what instructions need for a time. So LayerNorm in pieces by 2 to 16 warps has as
// many blocks of a multiprocessor as with the registers that the assembler counts, and the times of 228 launches on an
// H200 have the errors that they have with these; with 40 they are 0.7 % more.
constexpr unsigned registersBesideTiles = 32;

std::vector<KernelModel> modelKernels(std::vector<predict::Work> works, const CodeFacts &code,
                                      ArrayRef<EntryInfo> entries) {
  std::vector<KernelModel> models;
  for (predict::Work &work : works) {
    KernelModel model;
    model.resources.sharedBytes = work.sharedBytes;
    if (const cuda::GpuEntry *entry = code.entryOf(work.name)) {
      work.threads = entry->threads;
      work.blocksPerSm = entry->blocksPerSm;
      model.resources.sharedBytes = entry->dynamicSharedBytes;
    }
    auto info = find_if(entries, [&](const EntryInfo &info) { return info.name == work.name; });
    if (info != entries.end())
      model.parameters = info->parameters;
    // Warps get them by eights, and an assembler keeps below what a block can have.
    unsigned most = std::min<unsigned>(nvidia::Architecture::registersPerThread,
                                       nvidia::Architecture::registersPerSm / std::max(1u, work.threads) / 8 * 8);
    model.resources.registers = std::min<unsigned>(most, registersBesideTiles + unsigned(work.liveRegisters));
    if (const nvidia::KernelResources *used = code.resourcesOf(work.name)) {
      model.resources.registers = used->registers;
      model.resources.sharedBytes += used->sharedBytes;
      model.resources.isEstimate = false;
    }
    model.work = std::move(work);
    models.push_back(std::move(model));
  }
  return models;
}

Expected<predict::Gpu> gpuFor(const nvidia::Architecture &architecture, std::optional<nvidia::Product> product) {
  predict::Gpu gpu;
  gpu.architecture = &architecture;
  gpu.rates = nvidia::performanceOf(architecture);
  if (!gpu.rates)
    return createStringError("nothing is known of the speed of " + architecture.name);
  if (product)
    gpu.product = std::move(*product);
  else if (const nvidia::Product *known = nvidia::productOf(architecture))
    gpu.product = *known;
  else
    return createStringError("no product of " + architecture.name + " is known");
  return gpu;
}

Expected<predict::Gpu> gpuNamed(const nvidia::Architecture &architecture, StringRef product) {
  if (product.empty())
    return gpuFor(architecture, std::nullopt);
  if (const nvidia::Product *known = nvidia::findProduct(architecture, product))
    return gpuFor(architecture, *known);
  std::vector<StringRef> names;
  for (const nvidia::Product &known : nvidia::knownProducts())
    if (known.architecture == architecture.number)
      names.push_back(known.name);
  return createStringError("there is no product '" + product + "' of " + architecture.name + ", expected " +
                           (names.empty() ? "none" : join(names, " or ")));
}

predict::Cpu cpuFor(const Machine &machine, unsigned threads) {
  predict::Cpu cpu;
  cpu.rates = &cpuPerformanceOf(machine.cpu, machine.isa, machine.vectorBits);
  cpu.threads = threads ? threads : std::max(1, defaultNumThreads());
  cpu.machine.cores = cpu.threads;
  if (machine.l1Bytes > 0)
    cpu.machine.l1Bytes = machine.l1Bytes;
  if (machine.l2Bytes > 0)
    cpu.machine.l2Bytes = machine.l2Bytes;
  return cpu;
}

} // namespace tilewright
