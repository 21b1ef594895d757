// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/entry/ModuleInfo.h"

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/ir/CudaTile.h"
#include "pipeline/entry/EntryInterface.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace json = llvm::json;

namespace tilewright {
namespace {

// ---- what there is, as JSON

json::Object describeHints(cuda_tile::EntryOp entry) {
  json::Object hints;
  cuda_tile::OptimizationHintsAttr attribute = entry.getOptimizationHintsAttr();
  if (!attribute)
    return hints;
  for (NamedAttribute target : attribute.getValue()) {
    json::Object values;
    for (NamedAttribute hint : cast<DictionaryAttr>(target.getValue())) {
      if (auto flag = dyn_cast<BoolAttr>(hint.getValue()))
        values[hint.getName().getValue()] = flag.getValue();
      else if (auto number = dyn_cast<IntegerAttr>(hint.getValue()))
        values[hint.getName().getValue()] = number.getInt();
    }
    hints[target.getName().getValue()] = std::move(values);
  }
  return hints;
}

json::Array describeParameters(cuda_tile::EntryOp entry, const EntryInfo &info) {
  constexpr StringLiteral kinds[] = {"pointer", "integer", "float"};
  json::Array parameters;
  for (auto [type, parameter, facts] :
       llvm::zip_equal(entry.getArgumentTypes(), info.parameters, describeFacts(entry))) {
    json::Object record{{"type", typeText(type)}, {"passed", kinds[static_cast<int>(parameter.kind)]}};
    if (parameter.kind == EntryParameter::Kind::Pointer)
      record["written"] = parameter.written;
    else
      record["bits"] = parameter.bits;
    if (facts.divisor != 1)
      record["multiple_of"] = facts.divisor;
    if (facts.least)
      record["least"] = *facts.least;
    if (facts.most)
      record["most"] = *facts.most;
    parameters.push_back(std::move(record));
  }
  return parameters;
}

json::Object countOperations(cuda_tile::EntryOp entry) {
  llvm::StringMap<int64_t> counts;
  entry.getBody().walk([&](Operation *op) { ++counts[op->getName().stripDialect()]; });
  json::Object operations;
  for (const auto &count : counts)
    operations[count.getKey().str()] = count.getValue();
  return operations;
}

void describeContent(cuda_tile::ModuleOp module, json::Object &record) {
  json::Array entries, globals;
  std::vector<EntryInfo> infos = describeEntries(module);
  auto info = infos.begin();
  for (cuda_tile::EntryOp entry : module.getOps<cuda_tile::EntryOp>()) {
    entries.push_back(json::Object{{"name", entry.getSymName()},
                                   {"parameters", describeParameters(entry, *info++)},
                                   {"hints", describeHints(entry)},
                                   {"operations", countOperations(entry)}});
  }
  for (cuda_tile::GlobalOp global : module.getOps<cuda_tile::GlobalOp>())
    globals.push_back(json::Object{{"name", global.getSymName()}, {"type", typeText(global.getValue().getType())}});
  record["entries"] = std::move(entries);
  record["globals"] = std::move(globals);
}

LogicalResult describeSections(const TileIrFile &file, MLIRContext *context, json::Object &record) {
  auto info = cuda_tile::describeBytecode({file.bytes, file.name}, context);
  if (failed(info))
    return failure();
  record["version"] = info->version.str();
  json::Array sections;
  for (const auto &section : info->sections)
    sections.push_back(json::Object{{"name", section.name},
                                    {"offset", section.offset},
                                    {"bytes", section.size},
                                    {"alignment", section.alignment},
                                    {"items", section.numEntries}});
  record["sections"] = std::move(sections);
  return success();
}

// ---- for people

std::vector<const json::Object::value_type *> sorted(const json::Object &object) {
  std::vector<const json::Object::value_type *> members;
  for (const auto &member : object)
    members.push_back(&member);
  llvm::sort(members, [](auto *a, auto *b) { return a->first < b->first; });
  return members;
}

void printEntry(const json::Object &entry, llvm::raw_ostream &os) {
  const json::Array &parameters = *entry.getArray("parameters");
  os << "\nentry @" << *entry.getString("name") << '\n';
  for (const auto *hints : sorted(*entry.getObject("hints"))) {
    if (hints->second.getAsObject()->empty())
      continue;
    os << "  hints for " << hints->first.str() << ':';
    for (const auto *hint : sorted(*hints->second.getAsObject()))
      os << llvm::formatv(" {0}={1}", hint->first.str(), hint->second);
    os << '\n';
  }
  size_t width = 4;
  for (const json::Value &parameter : parameters)
    width = std::max(width, parameter.getAsObject()->getString("type")->size());
  for (auto [i, value] : llvm::enumerate(parameters)) {
    const json::Object &parameter = *value.getAsObject();
    os << llvm::format("  %3zu  ", i) << llvm::left_justify(*parameter.getString("type"), width) << "  ";
    if (auto bits = parameter.getInteger("bits"))
      os << *bits << "-bit " << *parameter.getString("passed");
    else
      os << "pointer, " << (*parameter.getBoolean("written") ? "written" : "read only");
    for (auto [fact, words] : {std::pair("multiple_of", "a multiple of"), {"least", "at least"}, {"most", "at most"}})
      if (auto value = parameter.getInteger(fact))
        os << ", " << words << ' ' << *value;
    os << '\n';
  }
  std::vector<std::pair<int64_t, StringRef>> counts;
  int64_t total = 0;
  for (const auto &[name, count] : *entry.getObject("operations")) {
    counts.emplace_back(-*count.getAsInteger(), StringRef(name));
    total += *count.getAsInteger();
  }
  llvm::sort(counts); // the most frequent first
  os << "  " << total << " operations:";
  for (const auto &[i, count] : llvm::enumerate(counts))
    os << (i ? ", " : " ") << -count.first << ' ' << count.second;
  os << '\n';
}

void printTable(const json::Object &record, llvm::raw_ostream &os) {
  os << *record.getString("file") << ": Tile IR " << *record.getString("form");
  if (auto version = record.getString("version"))
    os << ' ' << *version;
  os << ", " << *record.getInteger("bytes") << " bytes\n";
  if (auto producer = record.getString("producer"))
    os << "producer: " << *producer << '\n';
  if (const json::Array *sections = record.getArray("sections")) {
    os << "\nsection     offset      bytes   items\n";
    for (const json::Value &value : *sections) {
      const json::Object &section = *value.getAsObject();
      os << llvm::left_justify(*section.getString("name"), 10)
         << llvm::formatv("{0,8} {1,10} {2,7}\n", *section.getInteger("offset"), *section.getInteger("bytes"),
                          *section.getInteger("items"));
    }
  }
  for (const json::Value &value : *record.getArray("globals"))
    os << "\nglobal @" << *value.getAsObject()->getString("name") << "  " << *value.getAsObject()->getString("type")
       << '\n';
  for (const json::Value &entry : *record.getArray("entries"))
    printEntry(*entry.getAsObject(), os);
}

} // namespace

llvm::Expected<std::string> describeFile(const TileIrFile &file, bool json) {
  return processTileIr(file, [&](cuda_tile::ModuleOp module, llvm::raw_ostream &os) -> LogicalResult {
    bool isBytecode = cuda_tile::isBytecode(file.bytes);
    json::Object record{{"file", file.name}, {"bytes", file.bytes.size()}, {"form", isBytecode ? "bytecode" : "text"}};
    if (isBytecode && failed(describeSections(file, module.getContext(), record)))
      return failure();
    if (auto producer = module.getProducer())
      record["producer"] = *producer;
    describeContent(module, record);
    if (json)
      os << llvm::formatv("{0:2}\n", json::Value(std::move(record)));
    else
      printTable(record, os);
    return success();
  });
}

} // namespace tilewright
