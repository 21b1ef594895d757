// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python sees the compiler's tables of this machine and of NVIDIA GPUs here.
#include "Bindings.h"
#include "GpuLaunch.h"
#include "Text.h"

#include "machine/Architecture.h"
#include "machine/Machine.h"
#include "runtime/Scheduler.h"
#include "runtime/cuda/Driver.h"
#include "target/nvidia/Assembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

std::vector<std::string> featuresOf(const Machine &machine) {
  std::vector<std::string> names;
  for (llvm::StringRef feature : llvm::split(machine.features, ','))
    if (feature.consume_front("+"))
      names.push_back(feature.str());
  return names;
}

nb::dict describeHost() {
  const Machine &machine = hostMachine();
  nb::dict host;
  host["processor"] = machine.cpu;
  host["instruction_set"] = nameOf(machine.isa).str();
  host["features"] = featuresOf(machine);
  host["vector_bits"] = machine.vectorBits;
  host["vector_registers"] = machine.unit().registers;
  host["products_of_bf16_pairs"] = machine.hasBf16Dot;
  host["arithmetic_of_f16"] = machine.hasF16Arith;
  host["matrix_unit"] = machine.hasAmx;
  host["no_matrix_unit_because"] = machine.whyNoAmx;
  host["l1_bytes"] = machine.l1Bytes;
  host["l2_bytes"] = machine.l2Bytes;
  host["threads"] = defaultNumThreads();
  return host;
}

// (CUDA's version, as in 13000, number of GPUs)
nb::tuple describeDriver() {
  auto found = cuda::Driver::get();
  if (!found)
    raiseDriverError(found.takeError());
  const cuda::Driver &driver = *found;
  int count = 0;
  if (driver.deviceCount(&count) != cuda::Status::Success)
    count = 0;
  return nb::make_tuple(driver.version, count);
}

std::string listNvidiaArchitectures() {
  std::string text;
  llvm::raw_string_ostream os(text);
  nvidia::listArchitectures(os);
  return text;
}

} // namespace

void bindMachines(nb::module_ &m) {
  m.def("describe_host", &describeHost);
  m.def("describe_driver", &describeDriver);
  m.def("is_nvidia_target", [](const std::string &target) { return nvidia::isNvidiaTarget(target); });
  m.def(
      "find_assemblers",
      [](std::vector<std::string> packages, int driver) {
        std::vector<std::string> paths;
        for (const nvidia::Assembler &assembler : nvidia::findAssemblers({"", std::move(packages), driver}))
          paths.push_back(assembler.path);
        return paths;
      },
      nb::arg("packages"), nb::arg("driver") = 0);
  m.def("list_nvidia_architectures", &listNvidiaArchitectures);
}

} // namespace tilewright::python
