// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A generic builder of cuda_tile modules: operations by name, with types and attributes that were read from text.
#include "Bindings.h"
#include "Text.h"

#include "cuda_tile/ir/CudaTile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "support/ModuleText.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;

namespace tilewright::python {
namespace {

/// Collects the diagnostics of one call, so that they travel in the exception and not to stderr.
class CollectedDiagnostics {
public:
  explicit CollectedDiagnostics(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          append(diagnostic);
          return success();
        }) {}

  [[noreturn]] void raise(const std::string &what) {
    python::raise(PyExc_RuntimeError, text.empty() ? what : what + "\n" + text);
  }

private:
  void append(Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(text);
    stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      append(note);
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

std::shared_ptr<ModuleHandle> createModule(const std::string &name) {
  auto handle = std::make_shared<ModuleHandle>();
  handle->context = createContext();
  OpBuilder builder(handle->context.get());
  handle->module = ModuleOp::create(builder.getUnknownLoc());
  OperationState state(builder.getUnknownLoc(), "cuda_tile.module");
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addRegion()->emplaceBlock();
  builder.setInsertionPointToEnd(handle->module->getBody());
  handle->insertionBlock = &builder.create(state)->getRegion(0).front();
  return handle;
}

std::shared_ptr<ModuleHandle> parseModule(const std::string &text) {
  auto handle = std::make_shared<ModuleHandle>();
  handle->context = createContext();
  CollectedDiagnostics diagnostics(handle->context.get());
  handle->module = parseModuleText(llvm::MemoryBufferRef(text, ""), handle->context.get());
  if (!handle->module)
    diagnostics.raise("the text is not a module");
  return handle;
}

Type typeFromText(ModuleHandle &handle, const std::string &text) {
  Type &cached = handle.types[text];
  if (!cached) {
    CollectedDiagnostics diagnostics(handle.context.get());
    cached = parseType(text, handle.context.get());
    if (!cached)
      diagnostics.raise("not a type: " + text);
  }
  return cached;
}

Attribute attributeFromText(ModuleHandle &handle, const std::string &text) {
  Attribute &cached = handle.attributes[text];
  if (!cached) {
    CollectedDiagnostics diagnostics(handle.context.get());
    cached = parseAttribute(text, handle.context.get());
    if (!cached)
      diagnostics.raise("not an attribute: " + text);
  }
  return cached;
}

/// A function of the source, the scope of locations; `symbol` is that of the entry it is compiled to, and of inlined
/// functions a unique name.
cuda_tile::DISubprogramAttr makeFunction(ModuleHandle &handle, const std::string &file, unsigned line,
                                         const std::string &name, const std::string &symbol) {
  MLIRContext *context = handle.context.get();
  auto string = [&](StringRef text) { return StringAttr::get(context, text); };
  auto source = cuda_tile::DIFileAttr::get(context, string(llvm::sys::path::filename(file)),
                                           string(llvm::sys::path::parent_path(file)));
  return cuda_tile::DISubprogramAttr::get(context, source, line, string(name), string(symbol),
                                          cuda_tile::DICompileUnitAttr::get(context, source), line);
}

/// A place in a source file; `caller` is the place that its function was inlined at.
Location makeLocation(ModuleHandle &handle, const std::string &file, unsigned line, unsigned column,
                      cuda_tile::DISubprogramAttr function, std::optional<Location> caller) {
  MLIRContext *context = handle.context.get();
  Location location = cuda_tile::DILocAttr::get(context, FileLineColLoc::get(context, file, line, column),
                                                cast<cuda_tile::DILocalScopeAttr>(Attribute(function)));
  return caller ? Location(CallSiteLoc::get(location, *caller)) : location;
}

/// A location with the names of the results of an operation there.
Location makeNamed(ModuleHandle &handle, Location location, const std::string &name) {
  return NameLoc::get(StringAttr::get(handle.context.get(), name), location);
}

std::vector<Value> valuesOf(ValueRange range) {
  return {range.begin(), range.end()};
}

Operation *createOperation(ModuleHandle &handle, const std::string &name, const std::vector<Value> &operands,
                           const std::vector<Type> &resultTypes, const std::map<std::string, Attribute> &attributes,
                           Location location, const std::optional<std::vector<int32_t>> &segments,
                           unsigned numRegions) {
  std::optional<RegisteredOperationName> registered = RegisteredOperationName::lookup(name, handle.context.get());
  if (!registered)
    throw std::runtime_error("no operation is called " + name);
  OpBuilder builder(handle.context.get());
  OperationState state(location, *registered);
  state.addOperands(operands);
  state.addTypes(resultTypes);
  for (const auto &[key, attribute] : attributes)
    state.addAttribute(key, attribute);
  if (segments)
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(*segments));
  for (unsigned i = 0; i < numRegions; ++i)
    state.addRegion();
  Operation *operation = Operation::create(state);
  handle.insertionBlock->push_back(operation);
  return operation;
}

/// An operation without regions; gives its results.
std::vector<Value> appendOperation(ModuleHandle &handle, const std::string &name, const std::vector<Value> &operands,
                                   const std::vector<Type> &resultTypes,
                                   const std::map<std::string, Attribute> &attributes, Location location,
                                   const std::optional<std::vector<int32_t>> &segments) {
  return valuesOf(
      createOperation(handle, name, operands, resultTypes, attributes, location, segments, 0)->getResults());
}

Block *appendBlock(ModuleHandle &handle, Operation *operation, unsigned region, const std::vector<Type> &argumentTypes,
                   Location location, const std::vector<std::string> &names) {
  Block &block = operation->getRegion(region).emplaceBlock();
  for (auto [i, type] : llvm::enumerate(argumentTypes)) {
    Location place = location;
    if (i < names.size() && !names[i].empty())
      place = NameLoc::get(StringAttr::get(handle.context.get(), names[i]), location);
    block.addArgument(type, place);
  }
  return &block;
}

std::string printModule(ModuleHandle &handle, bool debugInfo) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (debugInfo)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  handle.module->print(stream, flags);
  return text;
}

void verifyModule(ModuleHandle &handle) {
  CollectedDiagnostics diagnostics(handle.context.get());
  if (failed(verify(*handle.module)))
    diagnostics.raise("the module is not valid Tile IR");
}

} // namespace

std::shared_ptr<MLIRContext> createContext() {
  // Kernels are small: a thread pool for each context costs more than it saves.
  auto context = std::make_shared<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<cuda_tile::CudaTileDialect>();
  return context;
}

cuda_tile::ModuleOp tileModuleOf(ModuleHandle &handle) {
  auto modules = handle.module->getOps<cuda_tile::ModuleOp>();
  return modules.empty() ? nullptr : *modules.begin();
}

nb::class_<ModuleHandle> bindBuilder(nb::module_ &m) {
  nb::class_<Value>(m, "Value");
  nb::class_<Type>(m, "Type");
  nb::class_<Attribute>(m, "Attribute");
  nb::class_<Location>(m, "Location");
  nb::class_<cuda_tile::DISubprogramAttr>(m, "Function");
  nb::class_<Block>(m, "Block").def_prop_ro("arguments", [](Block &block) { return valuesOf(block.getArguments()); });
  nb::class_<Operation>(m, "Operation").def_prop_ro("results", [](Operation &operation) {
    return valuesOf(operation.getResults());
  });

  // Operations and blocks live in the module: Python refers to them and keeps the module alive.
  nb::class_<ModuleHandle> module(m, "Module");
  module.def(nb::new_(&createModule), nb::arg("name"))
      .def_static("parse", &parseModule, nb::arg("text"))
      .def("function", &makeFunction, nb::arg("file"), nb::arg("line"), nb::arg("name"), nb::arg("symbol"))
      .def("location", &makeLocation, nb::arg("file"), nb::arg("line"), nb::arg("column"), nb::arg("function"),
           nb::arg("caller") = nb::none())
      .def("type", &typeFromText, nb::arg("text"))
      .def("attribute", &attributeFromText, nb::arg("text"))
      .def("named", &makeNamed, nb::arg("location"), nb::arg("name"))
      .def("op", &appendOperation, nb::arg("name"), nb::arg("operands"), nb::arg("result_types"), nb::arg("attributes"),
           nb::arg("location"), nb::arg("segments") = nb::none())
      .def("region_op", &createOperation, nb::arg("name"), nb::arg("operands"), nb::arg("result_types"),
           nb::arg("attributes"), nb::arg("location"), nb::arg("segments") = nb::none(), nb::arg("num_regions") = 1,
           nb::rv_policy::reference_internal)
      .def("block", &appendBlock, nb::arg("operation"), nb::arg("region"), nb::arg("argument_types"),
           nb::arg("location"), nb::arg("names") = std::vector<std::string>(), nb::rv_policy::reference_internal)
      .def(
          "insert_into", [](ModuleHandle &handle, Block *block) { handle.insertionBlock = block; }, nb::arg("block"))
      .def_prop_ro(
          "body", [](ModuleHandle &handle) { return &handle.module->getBody()->front().getRegion(0).front(); },
          nb::rv_policy::reference_internal)
      .def("verify", &verifyModule)
      .def("text", &printModule, nb::arg("debug_info") = false);
  return module;
}

} // namespace tilewright::python
