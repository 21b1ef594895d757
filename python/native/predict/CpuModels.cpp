// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predictions of the time of launches on CPUs.
#include "predict/CpuModels.h"

#include "NamedNumbers.h"

#include "predict/Cpu.h"
#include "llvm/Support/FormatVariadic.h"
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

struct CpuModel {
  predict::Work work;
};

const CpuPerformance &ratesOf(const std::string &processor) {
  const CpuPerformance *rates = findCpuPerformance(processor);
  if (!rates)
    raise(PyExc_ValueError, "nothing is known of the speed of '" + processor + "'");
  return *rates;
}

// As JSON. `values` are those of the entry's parameters, None where they are not integers; `processor` is a row of the
// table, and `machine` what was measured of one.
std::string predictOnCpu(const CpuModel &model, std::array<int64_t, 3> grid, std::vector<std::optional<int64_t>> values,
                         const std::string &processor, unsigned threads, const NamedNumbers &machine,
                         const NamedNumbers &constants) {
  predict::Cpu cpu;
  cpu.rates = &ratesOf(processor);
  cpu.threads = std::max(1u, threads);
  setNumbers(cpu.machine, machine, "a machine has no number");
  setNumbers(cpu.constants, constants, "the model has no constant");
  predict::Launch launch{grid, std::move(values)};
  predict::Prediction prediction = predict::predict(model.work, launch, cpu);
  return llvm::formatv("{0}", llvm::json::Value(prediction.toJson())).str();
}

nb::dict ratesAsDict(const std::string &processor) {
  const CpuPerformance &rates = ratesOf(processor);
  nb::dict dict;
  dict["vector_bits"] = rates.vectorBits;
  dict["arithmetic"] = rates.arithmetic;
  return dict;
}

} // namespace

void bindCpuModels(nb::module_ &m, nb::class_<Explanation> &explanation) {
  nb::class_<CpuModel>(m, "CpuKernelModel")
      .def_prop_ro("name", [](const CpuModel &model) { return model.work.name; })
      .def("predict", &predictOnCpu, nb::arg("grid"), nb::arg("values"), nb::arg("processor"), nb::arg("threads"),
           nb::arg("machine") = NamedNumbers(), nb::arg("constants") = NamedNumbers());
  explanation.def("cpu_models", [](const Explanation &explanation) {
    nb::list models;
    if (!explanation.architecture)
      for (const KernelModel &model : explanation.models)
        models.append(nb::cast(CpuModel{model.work}));
    return models;
  });
  m.def("cpu_prediction_constants", [] { return numbersOf(predict::CpuConstants()); });
  m.def("cpu_rates", &ratesAsDict, nb::arg("processor"));
}

} // namespace tilewright::python
