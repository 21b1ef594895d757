// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code of NVIDIA GPUs, as far as it can be made today.
#include "Bindings.h"

#include "pipeline/NvidiaModule.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

template <typename T> T unwrap(llvm::Expected<T> value) {
  if (!value)
    raiseCompilerError(value.takeError());
  return std::move(*value);
}

// (bytes of the level, remarks, what the kernels use, the assembler)
nb::tuple compileForNvidia(nb::bytes module, const std::string &name, const std::string &target,
                           const std::string &emit, unsigned optLevel, bool lineInfo, bool debug, std::string assembler,
                           std::vector<std::string> packages, double timeLimit) {
  const nvidia::Architecture &architecture = *unwrap(nvidia::parseArchitecture(target));
  std::optional<NvidiaLevel> level = nvidiaLevelByName(emit);
  if (!level)
    throw nb::value_error(("unknown level '" + emit + "' of an NVIDIA target, expected llvm, ptx or cubin").c_str());
  NvidiaOptions options;
  options.ptx.optLevel = optLevel;
  options.ptx.debugInfo = debug      ? nvidia::DebugInfo::Full
                          : lineInfo ? nvidia::DebugInfo::Lines
                                     : nvidia::DebugInfo::None;
  options.assemblers = {std::move(assembler), std::move(packages)};
  options.limits = limitsOf(timeLimit);
  std::string bytes(module.c_str(), module.size());
  NvidiaReport report;
  auto result = [&] {
    nb::gil_scoped_release release;
    return compileNvidiaModule(*level, {bytes, name}, architecture, options, report);
  }();
  std::string output = unwrap(std::move(result));
  return nb::make_tuple(nb::bytes(output.data(), output.size()), report.remarks, describeResources(report.cubin),
                        report.cubin.assembler.path);
}

std::string listNvidiaArchitectures() {
  std::string text;
  llvm::raw_string_ostream os(text);
  nvidia::listArchitectures(os);
  return text;
}

} // namespace

void bindNvidia(nb::module_ &m) {
  m.def("compile_for_nvidia", &compileForNvidia, nb::arg("module"), nb::arg("name"), nb::arg("target"), nb::arg("emit"),
        nb::arg("opt_level") = 1, nb::arg("line_info") = false, nb::arg("debug") = false, nb::arg("assembler") = "",
        nb::arg("packages") = std::vector<std::string>(), nb::arg("time_limit") = 60.0);
  m.def("is_nvidia_target", [](const std::string &target) { return nvidia::isNvidiaTarget(target); });
  m.def("list_nvidia_architectures", &listNvidiaArchitectures);
}

} // namespace tilewright::python
