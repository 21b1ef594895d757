// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR as files hold it: reading, writing, printing, and what a launch must know of an entry.
#include "Bindings.h"
#include "Text.h"

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/transforms/Passes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "pipeline/TileIrFile.h"
#include "pipeline/entry/EntryInterface.h"
#include "pipeline/entry/ModuleInfo.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;

namespace tilewright::python {
namespace {

// Wrong input is the caller's: ValueError, with the text of the diagnostics.
[[noreturn]] void raiseValueError(llvm::Error error) {
  raise(PyExc_ValueError, StringRef(llvm::toString(std::move(error))).rtrim().str());
}

nb::bytes bytesOf(llvm::Expected<std::string> result) {
  if (!result)
    raiseValueError(result.takeError());
  return nb::bytes(result->data(), result->size());
}

TileIrFile fileOf(const nb::bytes &bytes, const std::string &name) {
  return {StringRef(bytes.c_str(), bytes.size()), name};
}

std::shared_ptr<ModuleHandle> readModule(nb::bytes bytes, const std::string &name) {
  auto handle = std::make_shared<ModuleHandle>();
  handle->context = createContext();
  TileIrFile file = fileOf(bytes, name);
  llvm::Error error = llvm::Error::success();
  (void)!!error;
  {
    nb::gil_scoped_release release;
    error = runGuarded([&]() -> llvm::Error {
      DiagnosticCollector diagnostics(handle->context.get(), {file.name, file.bytes});
      handle->module = readTileIr(file, handle->context.get());
      if (handle->module && tileModuleOf(*handle))
        return llvm::Error::success();
      const std::string &errors = diagnostics.errors();
      return llvm::createStringError(errors.empty() ? name + ": error: found no Tile IR module" : errors);
    });
  }
  if (error)
    raiseValueError(std::move(error));
  return handle;
}

cuda_tile::ModuleOp requireTileModule(ModuleHandle &handle) {
  cuda_tile::ModuleOp module = tileModuleOf(handle);
  if (!module)
    throw nb::value_error("the module has no Tile IR in it");
  return module;
}

nb::bytes writeModule(ModuleHandle &handle, const std::string &version) {
  std::optional<cuda_tile::BytecodeVersion> number = cuda_tile::BytecodeVersion();
  if (!version.empty())
    number = cuda_tile::BytecodeVersion::parse(version);
  if (!number)
    raise(PyExc_ValueError,
          "unknown bytecode version '" + version + "', expected one of " + cuda_tile::listSupportedVersions());
  DiagnosticCollector diagnostics(handle.context.get());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeTileIr(requireTileModule(handle), *number, os)))
    raiseValueError(llvm::createStringError(diagnostics.errors()));
  return nb::bytes(bytes.data(), bytes.size());
}

// Per entry its name, and per parameter: kind, type of the value or of the pointee, least, most and divisor.
nb::list listEntries(ModuleHandle &handle) {
  constexpr const char *kinds[] = {"pointer", "scalar", "scalar"};
  nb::list result;
  cuda_tile::ModuleOp module = requireTileModule(handle);
  for (auto [entry, info] : llvm::zip_equal(module.getOps<cuda_tile::EntryOp>(), describeEntries(module))) {
    nb::list parameters;
    for (auto [parameter, facts] : llvm::zip_equal(info.parameters, describeFacts(entry)))
      parameters.append(nb::make_tuple(kinds[static_cast<int>(parameter.kind)], facts.type, parameter.written,
                                       facts.divisor, facts.least.value_or(INT64_MIN), facts.most.value_or(INT64_MAX)));
    result.append(nb::make_tuple(info.name, nb::tuple(parameters)));
  }
  return result;
}

bool hasGlobals(ModuleHandle &handle) {
  return handle.module->walk([](cuda_tile::GlobalOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

// The module with one entry only, as the compiler takes it; with all of them where they share globals. `first` has for
// each parameter the first one that a launch passes the same address for; empty: all addresses differ.
nb::bytes extractEntry(ModuleHandle &handle, const std::string &name, const std::vector<int64_t> &first) {
  OwningOpRef<ModuleOp> copy(handle.module->clone());
  if (!hasGlobals(handle))
    copy->walk([&](cuda_tile::EntryOp entry) {
      if (entry.getSymName() != name)
        entry.erase();
    });
  if (!first.empty())
    copy->walk([&](cuda_tile::EntryOp entry) {
      if (entry.getSymName() == name)
        unifyParameters(entry, first);
    });
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*copy, os)))
    throw std::runtime_error("the module has no bytecode form");
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes disassembleBytes(nb::bytes bytes, const std::string &name, bool debugInfo, bool moduleLines) {
  return bytesOf(disassemble(fileOf(bytes, name), {debugInfo, moduleLines}));
}

nb::bytes assembleBytes(nb::bytes bytes, const std::string &name, const std::string &version) {
  return bytesOf(assemble(fileOf(bytes, name), version));
}

nb::bytes describeBytes(nb::bytes bytes, const std::string &name, bool json) {
  return bytesOf(describeFile(fileOf(bytes, name), json));
}

std::vector<std::string> bytecodeVersions() {
  std::vector<std::string> names;
  for (const cuda_tile::SupportedVersion &known : cuda_tile::getSupportedVersions())
    names.push_back(known.version.str());
  return names;
}

} // namespace

void bindTileIr(nb::module_ &m, nb::class_<ModuleHandle> &module) {
  module.def_static("read", &readModule, nb::arg("bytes"), nb::arg("name"))
      .def("bytecode", &writeModule, nb::arg("version") = "")
      .def("entries", &listEntries)
      .def("has_globals", &hasGlobals)
      .def("extract", &extractEntry, nb::arg("entry"), nb::arg("first") = std::vector<int64_t>());
  m.def("disassemble", &disassembleBytes, nb::arg("bytes"), nb::arg("name"), nb::arg("debug_info") = false,
        nb::arg("module_lines") = true);
  m.def("assemble", &assembleBytes, nb::arg("bytes"), nb::arg("name"), nb::arg("version") = "");
  m.def("describe_file", &describeBytes, nb::arg("bytes"), nb::arg("name"), nb::arg("json") = false);
  m.def("bytecode_versions", &bytecodeVersions);
  m.attr("newest_bytecode_version") = cuda_tile::BytecodeVersion().str();
}

} // namespace tilewright::python
