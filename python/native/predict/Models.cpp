// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predictions of the time of launches.
#include "predict/Models.h"

#include "NamedNumbers.h"
#include "predict/CpuModels.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

predict::Gpu gpuOf(const ModelHandle &handle, const std::string &product, const NamedNumbers &constants) {
  auto gpu = gpuNamed(*handle.architecture, product);
  if (!gpu)
    raise(PyExc_ValueError, llvm::toString(gpu.takeError()));
  setNumbers(gpu->constants, constants, "the model has no constant");
  return std::move(*gpu);
}

// As JSON. `values` are those of the entry's parameters, None where they are not integers.
std::string predictLaunch(const ModelHandle &handle, std::array<int64_t, 3> grid,
                          std::vector<std::optional<int64_t>> values, const std::string &product,
                          const NamedNumbers &constants) {
  predict::Gpu gpu = gpuOf(handle, product, constants);
  predict::Launch launch{grid, std::move(values)};
  predict::Prediction prediction = predict::predict(handle.model.work, handle.model.resources, launch, gpu);
  llvm::json::Object object = prediction.toJson();
  object["registers"] = handle.model.resources.registers;
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

nb::list modelsOf(const Explanation &explanation) {
  nb::list models;
  if (explanation.architecture)
    for (const KernelModel &model : explanation.models)
      models.append(nb::cast(ModelHandle{model, explanation.architecture}));
  return models;
}

void raiseIf(llvm::Error error) {
  if (error)
    raise(PyExc_ValueError, llvm::toString(std::move(error)));
}

// With the words of --grid and --arg.
void predictArguments(Explanation &explanation, const std::string &grid, const std::vector<std::string> &arguments,
                      const std::string &entry, const std::string &product, unsigned threads) {
  auto facts = parseLaunchFacts(grid, arguments);
  if (!facts)
    raise(PyExc_ValueError, llvm::toString(facts.takeError()));
  if (*facts)
    raiseIf(tilewright::predictLaunch(explanation, **facts, entry, {product, threads}));
}

// With the values of the parameters of the only entry.
void predictValues(Explanation &explanation, std::array<int64_t, 3> grid, std::vector<std::optional<int64_t>> values,
                   const std::string &product, unsigned threads) {
  raiseIf(tilewright::predictLaunch(explanation, predict::Launch{grid, std::move(values)}, "", {product, threads}));
}

std::array<int64_t, 3> readGrid(const std::string &text) {
  auto grid = parseGrid(text);
  if (!grid)
    raise(PyExc_ValueError, llvm::toString(grid.takeError()));
  return *grid;
}

LaunchArgument readArgument(const std::string &text) {
  auto argument = parseLaunchArgument(text);
  if (!argument)
    raise(PyExc_ValueError, llvm::toString(argument.takeError()));
  return std::move(*argument);
}

const char *kindOf(const LaunchArgument &argument) {
  constexpr const char *kinds[] = {"unknown", "pointer", "number", "array"};
  return kinds[static_cast<int>(argument.kind)];
}

void bindLaunchFacts(nb::module_ &m) {
  nb::class_<LaunchArgument>(m, "LaunchArgument")
      .def_ro("text", &LaunchArgument::text)
      .def_prop_ro("kind", &kindOf)
      .def_ro("integer", &LaunchArgument::integer)
      .def_ro("element", &LaunchArgument::element)
      .def_ro("shape", &LaunchArgument::shape)
      .def_prop_ro("strides", &LaunchArgument::strides);
  m.def("parse_grid", &readGrid, nb::arg("text"));
  m.def("parse_launch_argument", &readArgument, nb::arg("text"));
  m.def("address_of_parameter", &addressOfParameter, nb::arg("index"));
}

} // namespace

void bindModels(nb::module_ &m) {
  nb::class_<Explanation> explanation(m, "Explanation");
  explanation.def("text", &Explanation::text)
      .def("json", &Explanation::jsonText)
      .def("models", &modelsOf)
      .def("predict_arguments", &predictArguments, nb::arg("grid"), nb::arg("arguments"), nb::arg("entry") = "",
           nb::arg("product") = "", nb::arg("threads") = 0)
      .def("predict_values", &predictValues, nb::arg("grid"), nb::arg("values"), nb::arg("product") = "",
           nb::arg("threads") = 0);
  bindLaunchFacts(m);
  nb::class_<ModelHandle>(m, "KernelModel")
      .def_prop_ro("name", [](const ModelHandle &handle) { return handle.model.work.name; })
      .def("predict", &predictLaunch, nb::arg("grid"), nb::arg("values"), nb::arg("product") = "",
           nb::arg("constants") = NamedNumbers());
  m.def("prediction_constants", [] { return numbersOf(predict::Constants()); });
  bindCpuModels(m, explanation);
}

} // namespace tilewright::python
