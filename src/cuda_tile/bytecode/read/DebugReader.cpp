// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/Tables.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

// The section: number of functions, where the list of each begins, number of all entries of the lists, the lists, and
// the table of attributes. Attributes count from 1; 0 is an unknown location.
ParseResult Tables::readDebugSection() {
  if (!layout.has(SectionId::Debug)) {
    return success();
  }
  Cursor cursor = layout.open(file, SectionId::Debug);
  uint64_t numLists, numEntries;
  if (cursor.count(numLists, sizeof(uint32_t), "functions with locations") || cursor.align(sizeof(uint32_t)) ||
      cursor.bytes(numLists * sizeof(uint32_t), debugStarts, "starts of the lists") ||
      cursor.count(numEntries, sizeof(uint64_t), "locations") || cursor.align(sizeof(uint64_t)) ||
      cursor.bytes(numEntries * sizeof(uint64_t), debugNumbers, "locations")) {
    return failure();
  }
  return debugEntries.read<uint32_t>(cursor, "debug attribute");
}

ParseResult Tables::locations(Cursor &cursor, Locations &locations) {
  uint64_t number, numLists = debugStarts.size() / sizeof(uint32_t);
  Place place = cursor.here();
  if (cursor.bounded(number, numLists, "number of the list of locations")) {
    return failure();
  }
  if (number == 0) {
    return success();
  }
  auto start = [&](uint64_t list) -> uint64_t {
    return list == numLists ? debugNumbers.size() / sizeof(uint64_t)
                            : llvm::support::endian::read32le(debugStarts.data() + list * sizeof(uint32_t));
  };
  uint64_t begin = start(number - 1), end = start(number);
  if (begin > end || end > debugNumbers.size() / sizeof(uint64_t)) {
    return cursor.error({debugStarts.data() + (number - 1) * sizeof(uint32_t), "Debug"})
           << "expected list " << number << " to lie among " << debugNumbers.size() / sizeof(uint64_t)
           << " locations, got " << begin << " to " << end;
  }
  locations.tables = this;
  locations.isEmpty = false;
  locations.list = Cursor(&file, debugNumbers.slice(begin * sizeof(uint64_t), end * sizeof(uint64_t)),
                          sectionNames[size_t(SectionId::Debug)]);
  return success();
}

ParseResult Tables::Locations::next(Location &value) {
  if (isEmpty) {
    return success();
  }
  Place place = list.here();
  uint64_t number;
  if (list.atEnd()) {
    return list.error() << "expected a location per operation, got the end of the list of the function";
  }
  if (list.fixed(number, "location")) {
    return failure();
  }
  if (number == 0) {
    value = UnknownLoc::get(tables->context);
    return success();
  }
  DebugAttribute attribute;
  if (tables->debugAttribute(list, place, number, attribute, /*depth=*/0)) {
    return failure();
  }
  auto location = dyn_cast<LocationAttr>(attribute.value);
  if (!location) {
    return list.error(place) << "expected debug attribute " << number << " to be a location, got "
                             << attribute.value.getAbstractAttribute().getName();
  }
  value = location;
  return success();
}

ParseResult Tables::debugAttribute(Cursor &cursor, Place place, uint64_t number, DebugAttribute &attribute,
                                   unsigned depth) {
  if (number == 0 || number > debugEntries.size()) {
    return cursor.error(place) << "expected one of " << debugEntries.size() << " debug attributes, got " << number;
  }
  attribute = knownDebug[number - 1];
  if (!attribute.value) {
    // A cycle is as deep as one likes.
    if (depth == maxDebugDepth) {
      return cursor.error(place) << "expected debug attributes to nest at most " << maxDebugDepth
                                 << " deep, got attribute " << number << " nested too deeply or in itself";
    }
    Cursor entry = debugEntries.entry(number - 1);
    if (readDebugAttribute(entry, attribute, depth + 1) || entry.expectEnd("the debug attribute")) {
      return failure();
    }
    knownDebug[number - 1] = attribute;
  }
  if (attribute.depth > maxDebugDepth || attribute.weight > maxDebugWeight) {
    return cursor.error(place) << "expected a location of at most " << maxDebugWeight << " parts, " << maxDebugDepth
                               << " deep, got " << attribute.weight << " parts, " << attribute.depth << " deep";
  }
  return success();
}

namespace {

/// Reads the fields of one debug attribute and adds up what they refer to.
struct DebugFields {
  Cursor &entry;
  MLIRContext *context;
  llvm::function_ref<ParseResult(Place, uint64_t, Attribute &)> resolve;

  ParseResult attribute(Attribute &value, StringRef what) {
    Place place = entry.here();
    uint64_t number;
    return failure(entry.varint(number, what) || resolve(place, number, value));
  }
  template <typename AttrT> ParseResult operator()(AttrT &value, StringRef what) {
    Place place = entry.here();
    Attribute any;
    if (attribute(any, what)) {
      return failure();
    }
    value = dyn_cast<AttrT>(any);
    if (!value) {
      return entry.error(place) << "expected " << what << ", got " << any.getAbstractAttribute().getName();
    }
    return success();
  }
  ParseResult operator()(unsigned &value, StringRef what) {
    uint64_t number;
    if (entry.bounded(number, UINT32_MAX, what)) {
      return failure();
    }
    value = number;
    return success();
  }
};

} // namespace

ParseResult Tables::readDebugAttribute(Cursor &entry, DebugAttribute &attribute, unsigned depth) {
  Place start = entry.here();
  uint8_t tag;
  if (entry.byte(tag, "tag of a debug attribute")) {
    return failure();
  }
  attribute.depth = attribute.weight = 1;
  auto resolve = [&](Place place, uint64_t number, Attribute &value) -> ParseResult {
    DebugAttribute part;
    if (debugAttribute(entry, place, number, part, depth)) {
      return failure();
    }
    value = part.value;
    attribute.depth = std::max(attribute.depth, part.depth + 1);
    attribute.weight += part.weight;
    return success();
  };
  DebugFields field{entry, context, resolve};

  DIFileAttr file;
  DICompileUnitAttr unit;
  DILocalScopeAttr scope;
  StringAttr name, other;
  LocationAttr callee, caller;
  unsigned line, column, scopeLine, flags = 0;
  switch (DebugTag(tag)) {
  case DebugTag::CompileUnit:
    if (field(file, "file of a compile unit")) {
      return failure();
    }
    attribute.value = DICompileUnitAttr::get(context, file);
    return success();
  case DebugTag::File:
    if (string(entry, name, "name of a file") || string(entry, other, "directory of a file")) {
      return failure();
    }
    attribute.value = DIFileAttr::get(context, name, other);
    return success();
  case DebugTag::LexicalBlock:
    if (field(scope, "scope of a lexical block") || field(file, "file of a lexical block") || field(line, "line") ||
        field(column, "column")) {
      return failure();
    }
    attribute.value = DILexicalBlockAttr::get(context, scope, file, line, column);
    return success();
  case DebugTag::Loc:
    if (field(scope, "scope of a location") || string(entry, name, "file of a location") || field(line, "line") ||
        field(column, "column")) {
      return failure();
    }
    // A file without a name becomes "-".
    attribute.value = DILocAttr::get(context, FileLineColLoc::get(context, name, line, column), scope);
    return success();
  case DebugTag::Subprogram:
    if (field(file, "file of a subprogram") || field(line, "line") || string(entry, name, "name of a subprogram") ||
        string(entry, other, "linkage name of a subprogram") || field(unit, "compile unit of a subprogram") ||
        field(scopeLine, "line of the scope") ||
        (isAvailable("13.5", layout.version) && field(flags, "flags of a subprogram"))) {
      return failure();
    }
    attribute.value = DISubprogramAttr::get(context, file, line, name, other, unit, scopeLine);
    return success();
  case DebugTag::CallSite:
    if (field(callee, "location of an inlined operation") || field(caller, "location of a call")) {
      return failure();
    }
    attribute.value = CallSiteLoc::get(callee, caller);
    return success();
  case DebugTag::None:
    break;
  }
  return entry.error(start) << "expected the tag of a debug attribute, got " << unsigned(tag);
}
