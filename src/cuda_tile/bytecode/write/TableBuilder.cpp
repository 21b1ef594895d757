// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/write/TableBuilder.h"
#include "cuda_tile/bytecode/Payload.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

uint64_t EntryTable::insert(StringRef entry) {
  auto [found, isNew] = numbers.try_emplace(entry, entries.size());
  if (isNew) {
    entries.push_back(found->first());
  }
  return found->second;
}

template <typename Offset> void EntryTable::write(Output &out) const {
  out.varint(entries.size());
  out.align(sizeof(Offset));
  Offset offset = 0;
  for (StringRef entry : entries) {
    out.fixed(offset);
    offset += entry.size();
  }
  for (StringRef entry : entries) {
    out.raw(entry);
  }
}
template void EntryTable::write<uint32_t>(Output &) const;
template void EntryTable::write<uint64_t>(Output &) const;

TableBuilder::TableBuilder(BytecodeVersion version, MLIRContext *context) : version(version) {
  // Writers before this one have these two first.
  type(IntegerType::get(context, 1));
  type(IntegerType::get(context, 32));
}

void TableBuilder::refuse(const Twine &reason) {
  if (!failed) {
    // Without the note of an operation's own diagnostic, which would print all nested operations.
    emitError(current->getLoc()) << "'" << current->getName() << "' op cannot be written in version " << version.str()
                                 << ": " << reason;
  }
  failed = true;
}

void TableBuilder::refuse(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  refuse("bytecode has no attribute like " + text);
}

bool TableBuilder::require(StringRef since, const Twine &what) {
  if (!isAvailable(since, version)) {
    refuse(what + (since == "preview" ? " is a preview" : " is of version " + since));
  }
  return !failed;
}

uint64_t TableBuilder::constant(DenseElementsAttr value) {
  ArrayRef<char> raw = value.getRawData();
  Output entry;
  entry.varint(raw.size());
  entry.raw(StringRef(raw.data(), raw.size()));
  return constants.insert(entry.str());
}

//===- Locations ------------------------------------------------------------------------===//

bool TableBuilder::hasScope(LocationAttr location, unsigned depth) {
  auto call = dyn_cast<CallSiteLoc>(location);
  if (!call || depth == maxDebugDepth) {
    return bool(call) || isa<DILocAttr>(location);
  }
  auto [found, isNew] = scoped.try_emplace(location, false);
  if (!isNew) {
    return found->second;
  }
  bool isScoped = hasScope(call.getCallee(), depth + 1) && hasScope(call.getCaller(), depth + 1);
  return scoped[location] = isScoped;
}

uint64_t TableBuilder::location(Location location) {
  return hasScope(location, /*depth=*/0) ? debugAttribute(LocationAttr(location), /*depth=*/0).number : 0;
}

TableBuilder::DebugAttribute TableBuilder::debugAttribute(Attribute attribute, unsigned depth) {
  if (auto found = debugAttributes.find(attribute); found != debugAttributes.end()) {
    return found->second;
  }
  DebugAttribute result = {0, 1, 1};
  if (failed) {
    return result;
  }
  // No reader of ours takes deeper locations, see DebugReader.cpp.
  if (depth == maxDebugDepth) {
    refuse("its location nests more than " + Twine(maxDebugDepth) + " deep");
    return result;
  }
  auto part = [&](Attribute attribute) {
    DebugAttribute inner = debugAttribute(attribute, depth + 1);
    result.depth = std::max(result.depth, inner.depth + 1);
    result.weight += inner.weight;
    return inner.number;
  };
  Output entry;
  auto begin = [&](DebugTag tag, std::initializer_list<uint64_t> fields) {
    entry.byte(uint8_t(tag));
    for (uint64_t field : fields) {
      entry.varint(field);
    }
  };
  // The fields of a list are evaluated in their order.
  llvm::TypeSwitch<Attribute>(attribute)
      .Case([&](DIFileAttr file) { begin(DebugTag::File, {string(file.getName()), string(file.getDirectory())}); })
      .Case([&](DICompileUnitAttr unit) { begin(DebugTag::CompileUnit, {part(unit.getFile())}); })
      .Case([&](DISubprogramAttr subprogram) {
        begin(DebugTag::Subprogram,
              {part(subprogram.getFile()), subprogram.getLine(), string(subprogram.getName()),
               string(subprogram.getLinkageName()), part(subprogram.getCompileUnit()), subprogram.getScopeLine()});
        if (isAvailable("13.5", version)) {
          entry.varint(0);
        }
      })
      .Case([&](DILexicalBlockAttr block) {
        begin(DebugTag::LexicalBlock,
              {part(block.getScope()), part(block.getFile()), block.getLine(), block.getColumn()});
      })
      .Case([&](DILocAttr loc) {
        FileLineColLoc place = loc.getSourceLoc();
        begin(DebugTag::Loc, {part(loc.getScope()), string(place.getFilename()), place.getLine(), place.getColumn()});
      })
      .Case([&](CallSiteLoc call) {
        begin(DebugTag::CallSite, {part(LocationAttr(call.getCallee())), part(LocationAttr(call.getCaller()))});
      })
      .DefaultUnreachable("hasScope looks for these");
  if (result.depth > maxDebugDepth || result.weight > maxDebugWeight) {
    refuse("its location has more than " + Twine(maxDebugWeight) + " parts or nests more than " + Twine(maxDebugDepth) +
           " deep");
  }
  result.number = debugEntries.insert(entry.str()) + 1;
  debugAttributes[attribute] = result;
  return result;
}

void TableBuilder::writeDebugAttributes(Output &out) const {
  if (debugEntries.size()) {
    debugEntries.write<uint32_t>(out);
    return;
  }
  // The reference reader refuses an empty table: one entry that nothing refers to.
  EntryTable table;
  table.insert(StringRef("\0", 1));
  table.write<uint32_t>(out);
}
