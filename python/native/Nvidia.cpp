// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler knows about NVIDIA GPUs.
#include "Bindings.h"
#include "Text.h"

#include "machine/Architecture.h"
#include "target/nvidia/Assembler.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

std::string listNvidiaArchitectures() {
  std::string text;
  llvm::raw_string_ostream os(text);
  nvidia::listArchitectures(os);
  return text;
}

} // namespace

void bindNvidia(nb::module_ &m) {
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
