// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Format.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TypeTable.h"
#include "cuda_tile/bytecode/read/BodyReader.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

// Bytecode has no name for a module.
static constexpr llvm::StringLiteral moduleName("kernels");

namespace {

/// The head of a function: everything but its operations.
struct FunctionHead {
  StringAttr name;
  FunctionType type;
  uint8_t flags = 0;
  Tables::Locations locations;
  OptimizationHintsAttr hints;
  ArrayAttr argAttrs;
  StringRef body;
  Place place;
};

class ModuleReader {
public:
  ModuleReader(StringRef bytes, Location location)
      : file(bytes, location), context(location.getContext()), tables(file, layout, context) {}

  OwningOpRef<tilewright::cuda_tile::ModuleOp> read();
  ParseResult describe(BytecodeInfo &info);

private:
  /// Calls `read` for each entry of a section that begins with their number.
  ParseResult readSection(SectionId id, StringRef what, function_ref<ParseResult(Cursor &)> read);
  ParseResult readProducer(StringAttr &producer);
  ParseResult readGlobal(Cursor &cursor, OpBuilder &builder);
  ParseResult readFunctionHead(Cursor &cursor, FunctionHead &head);
  ParseResult readFunction(Cursor &cursor, OpBuilder &builder);

  BytecodeFile file;
  FileLayout layout;
  MLIRContext *context;
  Tables tables;
};

ParseResult ModuleReader::readSection(SectionId id, StringRef what, function_ref<ParseResult(Cursor &)> read) {
  if (!layout.has(id)) {
    return success();
  }
  Cursor cursor = layout.open(file, id);
  uint64_t count;
  if (cursor.count(count, 4, what)) {
    return failure();
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (read(cursor)) {
      return failure();
    }
  }
  return cursor.expectEnd("the section");
}

ParseResult ModuleReader::readProducer(StringAttr &producer) {
  if (!layout.has(SectionId::Producer)) {
    return success();
  }
  Cursor cursor = layout.open(file, SectionId::Producer);
  return failure(tables.string(cursor, producer, "producer") || cursor.expectEnd("the section"));
}

ParseResult ModuleReader::readGlobal(Cursor &cursor, OpBuilder &builder) {
  StringAttr name;
  Type type;
  DenseElementsAttr value;
  uint64_t alignment;
  uint8_t visibility = 0;
  uint64_t constant = 0;
  Place place = cursor.here();
  if (tables.string(cursor, name, "name of a global")) {
    return failure();
  }
  if (name.empty()) {
    return cursor.error(place) << "expected a global to have a name, got none";
  }
  if (tables.type(cursor, type, "type of a global") || tables.constant(cursor, type, value, "value of a global") ||
      cursor.bounded(alignment, INT64_MAX, "alignment of a global")) {
    return failure();
  }
  if (isAvailable("13.3", layout.version)) {
    Place visibilityPlace = cursor.here();
    if (cursor.byte(visibility, "visibility of a global") || cursor.bounded(constant, 1, "constant flag of a global")) {
      return failure();
    }
    if (visibility > uint8_t(SymbolVisibility::Private)) {
      return cursor.error(visibilityPlace)
             << "expected the visibility of a global to be 0 or 1, got " << unsigned(visibility);
    }
  }
  GlobalOp::create(builder, UnknownLoc::get(context), name, value, alignment, SymbolVisibility(visibility), constant);
  return success();
}

ParseResult ModuleReader::readFunctionHead(Cursor &cursor, FunctionHead &head) {
  Type type;
  Attribute hints, argAttrs;
  uint64_t size;
  head.place = cursor.here();
  if (tables.string(cursor, head.name, "name of a function")) {
    return failure();
  }
  if (head.name.empty()) {
    return cursor.error(head.place) << "expected a function to have a name, got none";
  }
  Place typePlace = cursor.here();
  if (tables.type(cursor, type, "type of a function")) {
    return failure();
  }
  head.type = dyn_cast<FunctionType>(type);
  if (!head.type) {
    return cursor.error(typePlace) << "expected the type of a function, got " << describeType(type);
  }
  Place flagsPlace = cursor.here();
  if (cursor.byte(head.flags, "flags of a function")) {
    return failure();
  }
  if (head.flags > (isPrivate | isEntry | hasHints)) {
    return cursor.error(flagsPlace) << "expected flags of a function up to 7, got " << unsigned(head.flags);
  }
  if (tables.locations(cursor, head.locations)) {
    return failure();
  }
  // From 13.5 on both are always there: the hints of an entry, and the attributes of the arguments.
  bool isRegular = isAvailable("13.5", layout.version);
  AttributeSource source{tables, cursor, "hints of an entry", {}};
  Place hintsPlace = cursor.here();
  if (isRegular ? head.flags & isEntry : head.flags & hasHints) {
    if (readTagged(source, hints)) {
      return failure();
    }
    head.hints = dyn_cast<OptimizationHintsAttr>(hints);
    if (!head.hints) {
      return cursor.error(hintsPlace) << "expected optimization hints, got " << hints.getAbstractAttribute().getName();
    }
    // Hints that are always there say nothing when they are empty.
    if (isRegular && head.hints.getValue().empty()) {
      head.hints = {};
    }
  }
  Place argsPlace = cursor.here();
  if (isRegular) {
    source.name = "attributes of the arguments";
    if (readTagged(source, argAttrs)) {
      return failure();
    }
    head.argAttrs = dyn_cast<ArrayAttr>(argAttrs);
    if (!head.argAttrs || (!head.argAttrs.empty() && (head.argAttrs.size() != head.type.getNumInputs() ||
                                                      !llvm::all_of(head.argAttrs, llvm::IsaPred<DictionaryAttr>)))) {
      return cursor.error(argsPlace) << "expected a list of a dictionary per argument, or an empty one";
    }
    if (head.argAttrs.empty()) {
      head.argAttrs = {};
    }
  }
  return failure(cursor.varint(size, "size of a body") || cursor.bytes(size, head.body, "body"));
}

ParseResult ModuleReader::readFunction(Cursor &cursor, OpBuilder &builder) {
  FunctionHead head;
  if (readFunctionHead(cursor, head)) {
    return failure();
  }
  // Other functions are a preview that no released tool takes.
  if (!(head.flags & isEntry)) {
    return cursor.error(head.place) << "expected functions to be entries, got '" << head.name.getValue()
                                    << "', which is not one";
  }
  if (head.flags & isPrivate) {
    return cursor.error(head.place) << "expected entries to be public, got '" << head.name.getValue()
                                    << "', which is private";
  }
  Location location = UnknownLoc::get(context);
  if (head.locations.next(location) ||
      tables.spend(cursor, head.place, head.type.getNumInputs() * sizeof(mlir::detail::BlockArgumentImpl),
                   "parameters of functions")) {
    return failure();
  }
  auto entry = EntryOp::create(builder, location, head.name.getValue(), head.type);
  if (head.hints) {
    entry.setOptimizationHintsAttr(head.hints);
  }
  if (head.argAttrs) {
    entry.setArgAttrsAttr(head.argAttrs);
  }
  Cursor body(&file, head.body, sectionNames[size_t(SectionId::Func)]);
  BodyReader reader(tables, body, head.locations);
  return failure(reader.readEntry(entry.getBody().front()) || head.locations.expectEnd());
}

OwningOpRef<tilewright::cuda_tile::ModuleOp> ModuleReader::read() {
  StringAttr producer;
  if (readLayout(file, layout) || tables.read() || readProducer(producer)) {
    return {};
  }
  OpBuilder builder(context);
  OwningOpRef<tilewright::cuda_tile::ModuleOp> module =
      tilewright::cuda_tile::ModuleOp::create(builder, UnknownLoc::get(context), moduleName);
  if (producer) {
    module->setProducerAttr(producer);
  }
  builder.setInsertionPointToEnd(&module->getBody().front());
  if (readSection(SectionId::Global, "globals", [&](Cursor &cursor) { return readGlobal(cursor, builder); }) ||
      readSection(SectionId::Func, "functions", [&](Cursor &cursor) { return readFunction(cursor, builder); })) {
    return {};
  }
  return module;
}

ParseResult ModuleReader::describe(BytecodeInfo &info) {
  StringAttr producer;
  if (readLayout(file, layout) || tables.read() || readProducer(producer)) {
    return failure();
  }
  info.version = layout.version;
  if (producer) {
    info.producer = producer.str();
  }
  for (SectionId id : layout.order) {
    const SectionRange &section = layout.sections[size_t(id)];
    // Every section but the one of the producer begins with a number of entries.
    Cursor cursor = layout.open(file, id);
    uint64_t numEntries = 1;
    if (id != SectionId::Producer && cursor.varint(numEntries, "number of entries")) {
      return failure();
    }
    info.sections.push_back({sectionNames[size_t(id)].str(), file.offsetOf(section.data.data()), section.data.size(),
                             section.alignment, numEntries});
  }
  return readSection(SectionId::Func, "functions", [&](Cursor &cursor) -> ParseResult {
    FunctionHead head;
    if (readFunctionHead(cursor, head)) {
      return failure();
    }
    info.functions.push_back({head.name.str(), bool(head.flags & isEntry), bool(head.flags & isPrivate),
                              bool(head.hints), file.offsetOf(head.body.data()), head.body.size()});
    return success();
  });
}

} // namespace

/// Bytes have no lines: the location is the file, and the message has the offset.
static Location locationOf(llvm::MemoryBufferRef bytes, MLIRContext *context) {
  return FileLineColLoc::get(context, bytes.getBufferIdentifier(), 0, 0);
}

OwningOpRef<tilewright::cuda_tile::ModuleOp> tilewright::cuda_tile::readBytecode(llvm::MemoryBufferRef bytes,
                                                                                 MLIRContext *context) {
  context->loadDialect<CudaTileDialect>();
  return ModuleReader(bytes.getBuffer(), locationOf(bytes, context)).read();
}

FailureOr<BytecodeInfo> tilewright::cuda_tile::describeBytecode(llvm::MemoryBufferRef bytes, MLIRContext *context) {
  context->loadDialect<CudaTileDialect>();
  BytecodeInfo info;
  if (ModuleReader(bytes.getBuffer(), locationOf(bytes, context)).describe(info)) {
    return failure();
  }
  return info;
}
