// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predictions of the time of launches.
#include "Models.h"

#include "Text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

predict::Gpu gpuOf(const ModelHandle &handle, const std::string &product,
                   const std::map<std::string, double> &constants) {
  std::optional<nvidia::Product> wanted;
  if (!product.empty()) {
    const nvidia::Product *known = nvidia::findProduct(*handle.architecture, product);
    if (!known)
      raise(PyExc_ValueError, ("there is no product '" + product + "' of " + handle.architecture->name).str());
    wanted = *known;
  }
  auto gpu = gpuFor(*handle.architecture, std::move(wanted));
  if (!gpu)
    raise(PyExc_ValueError, llvm::toString(gpu.takeError()));
  for (const auto &constant : constants) {
    const std::string &name = constant.first;
    auto fields = predict::Constants::fields();
    auto field = llvm::find_if(fields, [&](const auto &each) { return each.name == name; });
    if (field == fields.end())
      raise(PyExc_ValueError, "the model has no constant '" + name + "'");
    gpu->constants.*field->member = constant.second;
  }
  return std::move(*gpu);
}

// As JSON. `values` are those of the entry's parameters, None where they are not integers.
std::string predictLaunch(const ModelHandle &handle, std::array<int64_t, 3> grid,
                          std::vector<std::optional<int64_t>> values, const std::string &product,
                          const std::map<std::string, double> &constants) {
  predict::Gpu gpu = gpuOf(handle, product, constants);
  predict::Launch launch{grid, std::move(values)};
  predict::Prediction prediction = predict::predict(handle.model.work, handle.model.resources, launch, gpu);
  llvm::json::Object object = prediction.toJson();
  object["registers"] = handle.model.resources.registers;
  object["product"] = gpu.product.name;
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

std::map<std::string, double> defaultConstants() {
  std::map<std::string, double> constants;
  predict::Constants initial;
  for (const auto &field : predict::Constants::fields())
    constants[field.name.str()] = initial.*field.member;
  return constants;
}

} // namespace

void bindModels(nb::module_ &m) {
  nb::class_<ModelHandle>(m, "KernelModel")
      .def_prop_ro("name", [](const ModelHandle &handle) { return handle.model.work.name; })
      .def("predict", &predictLaunch, nb::arg("grid"), nb::arg("values"), nb::arg("product") = "",
           nb::arg("constants") = std::map<std::string, double>());
  m.def("prediction_constants", &defaultConstants);
}

} // namespace tilewright::python
