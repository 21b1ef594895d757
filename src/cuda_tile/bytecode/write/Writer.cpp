// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/AttributeCodec.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/write/BodyWriter.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

namespace {

class ModuleWriter {
public:
  ModuleWriter(tilewright::cuda_tile::ModuleOp module, BytecodeVersion version)
      : module(module), version(version), tables(version, module.getContext()) {}

  LogicalResult write(raw_ostream &os);

private:
  void writeGlobals(Output &out);
  void writeFunctions(Output &out);
  void writeFunction(EntryOp entry, Output &out);
  void writeDebug(Output &out) const;
  void check(Operation *op);

  tilewright::cuda_tile::ModuleOp module;
  BytecodeVersion version;
  TableBuilder tables;
  /// Numbers of the locations of each function: its own, then those of its operations.
  std::vector<std::vector<uint64_t>> locations;
};

void ModuleWriter::check(Operation *op) {
  checkVersion(tables, *op, *Payload::lookup(op->getName().stripDialect()));
}

void ModuleWriter::writeGlobals(Output &out) {
  auto globals = module.getOps<GlobalOp>();
  out.varint(llvm::range_size(globals));
  for (GlobalOp global : globals) {
    check(global);
    out.varint(tables.string(global.getSymName()));
    out.varint(tables.type(global.getValue().getType()));
    out.varint(tables.constant(global.getValue()));
    out.varint(global.getAlignment());
    if (isAvailable("13.3", version)) {
      out.byte(uint8_t(global.getSymbolVisibility()));
      out.varint(global.getConstant());
    }
  }
}

void ModuleWriter::writeFunctions(Output &out) {
  auto entries = module.getOps<EntryOp>();
  out.varint(llvm::range_size(entries));
  for (EntryOp entry : entries) {
    writeFunction(entry, out);
    if (tables.hasFailed()) {
      return;
    }
  }
}

void ModuleWriter::writeFunction(EntryOp entry, Output &out) {
  check(entry);
  // From 13.5 on hints and attributes of the arguments are always there, and no flag says so.
  bool isRegular = isAvailable("13.5", version);
  OptimizationHintsAttr hints = entry.getOptimizationHintsAttr();
  // The location comes first, for the order of the tables: the reference writer does it so.
  locations.emplace_back().push_back(tables.location(entry.getLoc()));
  out.varint(tables.string(entry.getSymName()));
  out.varint(tables.type(entry.getFunctionType()));
  out.byte(isEntry | (hints && !isRegular ? hasHints : 0));
  out.varint(locations.size());
  if (isRegular && !hints) {
    hints = OptimizationHintsAttr::get(entry.getContext(), DictionaryAttr::get(entry.getContext()));
  }
  if (hints) {
    writeTagged({tables, out, "optimization_hints"}, hints);
  }
  if (isRegular) {
    ArrayAttr argAttrs = entry.getArgAttrsAttr();
    writeTagged({tables, out, "arg_attrs"}, argAttrs ? argAttrs : ArrayAttr::get(entry.getContext(), {}));
  }
  Output body;
  BodyWriter(tables, body, locations.back()).writeEntry(entry.getBody().front());
  out.varint(body.size());
  out.raw(body.str());
}

void ModuleWriter::writeDebug(Output &out) const {
  out.varint(locations.size());
  out.align(sizeof(uint32_t));
  uint32_t start = 0;
  for (const auto &list : locations) {
    out.fixed(start);
    start += list.size();
  }
  out.varint(start);
  out.align(sizeof(uint64_t));
  for (const auto &list : locations) {
    for (uint64_t number : list) {
      out.fixed(number);
    }
  }
  tables.writeDebugAttributes(out);
}

LogicalResult ModuleWriter::write(raw_ostream &os) {
  if (llvm::none_of(getSupportedVersions(), [&](const SupportedVersion &known) { return known.version == version; })) {
    tables.enter(module);
    tables.refuse("expected one of " + listSupportedVersions());
    return failure();
  }
  Output functions, globals, producer, debug, constants, types, strings;
  check(module);
  writeGlobals(globals);
  writeFunctions(functions);
  if (StringAttr text = module.getProducerAttr()) {
    producer.varint(tables.string(text));
  }
  if (tables.hasFailed()) {
    return failure();
  }
  writeDebug(debug);
  tables.writeConstants(constants);
  tables.writeTypes(types);
  tables.writeStrings(strings);

  Output file;
  file.raw(magic);
  file.byte(version.major);
  file.byte(version.minor);
  file.fixed(version.tag);
  auto section = [&](SectionId id, uint64_t alignment, const Output &data) {
    file.byte(uint8_t(id) | (alignment > 1 ? isAligned : 0));
    file.varint(data.size());
    if (alignment > 1) {
      file.varint(alignment);
      file.align(alignment);
    }
    file.raw(data.str());
  };
  section(SectionId::Func, 8, functions);
  if (!module.getOps<GlobalOp>().empty()) {
    section(SectionId::Global, 1, globals);
  }
  section(SectionId::Constant, 8, constants);
  section(SectionId::Debug, 8, debug);
  section(SectionId::Type, 4, types);
  section(SectionId::String, 4, strings);
  if (producer.size()) {
    section(SectionId::Producer, 1, producer);
  }
  file.byte(uint8_t(SectionId::End));
  os << file.str();
  return success();
}

} // namespace

LogicalResult tilewright::cuda_tile::writeBytecode(tilewright::cuda_tile::ModuleOp module, BytecodeVersion version,
                                                   raw_ostream &os) {
  return ModuleWriter(module, version).write(os);
}
