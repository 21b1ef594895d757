// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/read/BodyReader.h"
#include "cuda_tile/bytecode/Format.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TypeTable.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

BodyReader::BodyReader(Tables &tables, Cursor &cursor, Tables::Locations &locations)
    : tables(tables), cursor(cursor), locations(locations) {}

ParseResult BodyReader::readEntry(Block &block) {
  llvm::append_range(values, block.getArguments());
  while (!cursor.atEnd()) {
    if (readOperation(block, /*depth=*/0)) {
      return failure();
    }
  }
  return success();
}

ParseResult BodyReader::readOperation(Block &block, unsigned depth) {
  MLIRContext *context = tables.getContext();
  Place start = cursor.here();
  uint64_t opcode;
  if (cursor.varint(opcode, "operation")) {
    return failure();
  }
  const Payload *payload = Payload::lookup(opcode);
  if (!payload || !payload->isInBody()) {
    return cursor.error(start) << "expected an operation of a function, got opcode " << opcode;
  }
  const OpRecord &record = payload->getRecord();
  if (!isAvailable(record.since, tables.getVersion())) {
    return cursor.error(start) << "expected an operation of version " << tables.getVersion().str() << ", got "
                               << record.mnemonic << " of version " << record.since;
  }
  Location location = UnknownLoc::get(context);
  if (locations.next(location)) {
    return failure();
  }
  OperationState state(location, getName(*payload));
  if (readResultTypes(*payload, state) || readAttributes(*payload, state) || readOperands(*payload, state)) {
    return failure();
  }
  bool hasResults = isAvailable(payload->getResultsSince(), tables.getVersion());
  if (!hasResults) {
    state.types.assign(payload->getNumResults(), TokenType::get(context));
  }
  for (unsigned i = 0; i < payload->getNumRegions(); ++i) {
    state.addRegion();
  }
  Operation *op = Operation::create(state);
  block.push_back(op);
  if (payload->getNumRegions() && readRegions(*op, depth + 1)) {
    return failure();
  }
  if (hasResults) {
    llvm::append_range(values, op->getResults());
  }
  return success();
}

OperationName BodyReader::getName(const Payload &payload) {
  auto [found, isNew] = names.try_emplace(&payload, std::nullopt);
  if (isNew) {
    found->second.emplace(("cuda_tile." + payload.getRecord().mnemonic).str(), tables.getContext());
  }
  return *found->second;
}

ParseResult BodyReader::readResultTypes(const Payload &payload, OperationState &state) {
  if (payload.countsResults()) {
    Place place = cursor.here();
    if (tables.types(cursor, state.types, "result types")) {
      return failure();
    }
    if (!state.types.empty() && !isAvailable(payload.getResultsSince(), tables.getVersion())) {
      return cursor.error(place) << "expected no results of " << payload.getRecord().mnemonic << " before version "
                                 << payload.getResultsSince() << ", got " << state.types.size();
    }
    return success();
  }
  for (unsigned i = 0; i < payload.getNumResults(); ++i) {
    if (tables.type(cursor, state.types.emplace_back(), "result type")) {
      return failure();
    }
  }
  return success();
}

ParseResult BodyReader::readAttributes(const Payload &payload, OperationState &state) {
  BytecodeVersion version = tables.getVersion();
  auto isPresent = [&](const PayloadField &field) {
    return payload.isFlagged(field) && isAvailable(field.since, version);
  };
  flags = 0;
  if (llvm::any_of(payload.getFields(), isPresent)) {
    unsigned numFlags =
        llvm::count_if(payload.getFields(), [&](const auto &field) { return payload.isFlagged(field); });
    if (cursor.bounded(flags, (1u << numFlags) - 1, "flags")) {
      return failure();
    }
  }
  // Bits of attributes come first, then those of operands, whatever the order of the record.
  unsigned bit = 0;
  for (const PayloadField &field : payload.getFields()) {
    if (!field.isAttribute()) {
      continue;
    }
    bool isSet = payload.isFlagged(field) ? flags >> bit++ & 1 : isAvailable(field.since, version);
    if (!isSet) {
      continue;
    }
    Attribute value;
    AttributeSource source{tables, cursor, field.name, state.types.empty() ? Type() : state.types.front()};
    if (field.codec->read(source, value)) {
      return failure();
    }
    state.attributes.append(getKey(field.name), value);
  }
  numAttributeFlags = bit;
  return success();
}

StringAttr BodyReader::getKey(StringRef name) {
  StringAttr &key = keys[name.data()];
  if (!key) {
    key = StringAttr::get(tables.getContext(), name);
  }
  return key;
}

ParseResult BodyReader::readOperand(OperationState &state) {
  Place place = cursor.here();
  uint64_t number;
  if (cursor.varint(number, "operand")) {
    return failure();
  }
  if (number >= values.size()) {
    return cursor.error(place) << "expected an operand to be one of the " << values.size() << " values before it, got "
                               << number;
  }
  state.operands.push_back(values[number]);
  return success();
}

ParseResult BodyReader::readOperandList(OperationState &state, uint64_t &count) {
  if (cursor.count(count, 1, "operands")) {
    return failure();
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (readOperand(state)) {
      return failure();
    }
  }
  return success();
}

ParseResult BodyReader::readOperands(const Payload &payload, OperationState &state) {
  uint64_t count = 1;
  if (payload.countsOperands()) {
    unsigned least =
        llvm::count_if(payload.getFields(), [](const auto &field) { return field.kind == FieldKind::Operand; });
    bool isOpen =
        llvm::any_of(payload.getFields(), [](const auto &field) { return field.kind == FieldKind::Operands; });
    Place place = cursor.here();
    if (readOperandList(state, count)) {
      return failure();
    }
    if (count < least || (!isOpen && count > least + 1)) {
      return cursor.error(place) << "expected " << (isOpen ? "at least " : "at most ") << (isOpen ? least : least + 1)
                                 << " operands of " << payload.getRecord().mnemonic << ", got " << count;
    }
    return success();
  }
  SmallVector<int32_t> segments;
  unsigned bit = numAttributeFlags;
  for (const PayloadField &field : payload.getFields()) {
    switch (field.kind) {
    case FieldKind::Operand:
      count = 1;
      if (readOperand(state)) {
        return failure();
      }
      break;
    case FieldKind::OptionalOperand:
      count = flags >> bit++ & 1;
      if (count && readOperand(state)) {
        return failure();
      }
      break;
    case FieldKind::Operands:
      if (readOperandList(state, count)) {
        return failure();
      }
      break;
    default:
      continue;
    }
    segments.push_back(count);
  }
  if (payload.hasOperandSegments()) {
    state.attributes.append(getKey("operandSegmentSizes"), DenseI32ArrayAttr::get(tables.getContext(), segments));
  }
  return success();
}

ParseResult BodyReader::readRegions(Operation &op, unsigned depth) {
  Place place = cursor.here();
  uint64_t count;
  if (cursor.varint(count, "number of regions")) {
    return failure();
  }
  if (count != op.getNumRegions()) {
    return cursor.error(place) << "expected " << op.getNumRegions() << " regions of " << op.getName().stripDialect()
                               << ", got " << count;
  }
  if (depth > maxRegionDepth) {
    return cursor.error(place) << "expected regions to nest at most " << maxRegionDepth << " deep, got more";
  }
  for (Region &region : op.getRegions()) {
    // Values defined in a region are visible inside of it only, and the operation's own results are numbered after it.
    size_t numOutside = values.size();
    if (readRegion(region, op.getLoc(), depth)) {
      return failure();
    }
    values.truncate(numOutside);
  }
  return success();
}

ParseResult BodyReader::readRegion(Region &region, Location location, unsigned depth) {
  Place place = cursor.here();
  uint64_t numBlocks, numOperations;
  SmallVector<Type> types;
  if (cursor.varint(numBlocks, "number of blocks")) {
    return failure();
  }
  if (numBlocks == 0) {
    return success();
  }
  if (numBlocks > 1) {
    return cursor.error(place) << "expected a region of at most one block, got " << numBlocks;
  }
  Block &block = region.emplaceBlock();
  if (tables.types(cursor, types, "block arguments")) {
    return failure();
  }
  for (Type type : types) {
    block.addArgument(type, location);
  }
  llvm::append_range(values, block.getArguments());
  if (cursor.count(numOperations, 1, "operations")) {
    return failure();
  }
  for (uint64_t i = 0; i < numOperations; ++i) {
    if (readOperation(block, depth)) {
      return failure();
    }
  }
  return success();
}
