// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/write/BodyWriter.h"
#include "cuda_tile/bytecode/Payload.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

/// How many operands each operand field has, in the order of the fields.
static SmallVector<unsigned> getSegments(Operation &op, const Payload &payload) {
  if (payload.hasOperandSegments()) {
    Attribute sizes = op.getInherentAttr("operandSegmentSizes").value_or(Attribute());
    return llvm::to_vector_of<unsigned>(cast<DenseI32ArrayAttr>(sizes).asArrayRef());
  }
  // At most one field is open, and it has what the others leave.
  SmallVector<unsigned> segments;
  unsigned numSingle =
      llvm::count_if(payload.getFields(), [](const auto &field) { return field.kind == FieldKind::Operand; });
  for (const PayloadField &field : payload.getFields()) {
    if (!field.isAttribute()) {
      segments.push_back(field.kind == FieldKind::Operand ? 1 : op.getNumOperands() - numSingle);
    }
  }
  return segments;
}

static Attribute getAttribute(Operation &op, const PayloadField &field) {
  return op.getInherentAttr(field.name).value_or(Attribute());
}

/// Whether leaving the attribute out says the same.
static bool isDefault(Operation &op, const PayloadField &field, Attribute value) {
  if (!value) {
    return true;
  }
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(value)) {
    return !llvm::is_contained(bools.asArrayRef(), true);
  }
  if (field.kind != FieldKind::Attribute) {
    return false;
  }
  Operation *fresh = Operation::create(op.getLoc(), op.getName(), TypeRange(), ValueRange(), NamedAttrList(),
                                       OpaqueProperties(nullptr));
  bool isSame = getAttribute(*fresh, field) == value;
  fresh->destroy();
  return isSame;
}

void tilewright::cuda_tile::checkVersion(TableBuilder &tables, Operation &op, const Payload &payload) {
  tables.enter(&op);
  if (!tables.require(payload.getRecord().since, "the operation")) {
    return;
  }
  SmallVector<unsigned> segments = getSegments(op, payload);
  unsigned segment = 0;
  for (const PayloadField &field : payload.getFields()) {
    unsigned numOperands = field.isAttribute() ? 0 : segments[segment++];
    if (isAvailable(field.since, tables.getVersion())) {
      continue;
    }
    if (field.isAttribute() && !isDefault(op, field, getAttribute(op, field))) {
      tables.require(field.since, "attribute '" + field.name + "'");
    } else if (numOperands) {
      tables.require(field.since, "operand '" + field.name + "'");
    }
  }
  if (!isAvailable(payload.getResultsSince(), tables.getVersion()) && !op.use_empty()) {
    tables.require(payload.getResultsSince(), "the result");
  }
  for (NamedAttribute attribute : op.getDiscardableAttrs()) {
    tables.refuse("bytecode has no attribute '" + attribute.getName().getValue() + "'");
  }
}

void BodyWriter::number(ValueRange values) {
  for (Value value : values) {
    numbers[value] = nextNumber++;
  }
}

void BodyWriter::writeEntry(Block &block) {
  number(block.getArguments());
  writeOperations(block, /*depth=*/0);
}

void BodyWriter::writeOperations(Block &block, unsigned depth) {
  for (Operation &op : block) {
    writeOperation(op, depth);
    if (tables.hasFailed()) {
      return;
    }
  }
}

void BodyWriter::writeOperation(Operation &op, unsigned depth) {
  const Payload *payload = Payload::lookup(op.getName().stripDialect());
  if (!payload || !payload->isInBody() || !isa<CudaTileDialect>(op.getDialect())) {
    tables.enter(&op);
    return tables.refuse("bytecode has no such operation in a function");
  }
  checkVersion(tables, op, *payload);
  if (tables.hasFailed()) {
    return;
  }
  locations.push_back(tables.location(op.getLoc()));
  out.varint(payload->getRecord().opcode);
  ResultRange results =
      op.getResults().take_front(isAvailable(payload->getResultsSince(), tables.getVersion()) ? op.getNumResults() : 0);
  if (payload->countsResults()) {
    out.varint(results.size());
  }
  for (Type type : results.getTypes()) {
    out.varint(tables.type(type));
  }
  writeFlags(op, *payload);
  writeAttributes(op, *payload);
  writeOperands(op, *payload);
  if (payload->getNumRegions()) {
    writeRegions(op, depth + 1);
  }
  number(results);
}

void BodyWriter::writeFlags(Operation &op, const Payload &payload) {
  auto isPresent = [&](const PayloadField &field) {
    return payload.isFlagged(field) && isAvailable(field.since, tables.getVersion());
  };
  if (llvm::none_of(payload.getFields(), isPresent)) {
    return;
  }
  uint64_t attributeFlags = 0, operandFlags = 0;
  unsigned attributeBit = 0, operandBit = 0, segment = 0;
  SmallVector<unsigned> segments = getSegments(op, payload);
  for (const PayloadField &field : payload.getFields()) {
    unsigned numOperands = field.isAttribute() ? 0 : segments[segment++];
    if (!payload.isFlagged(field)) {
      continue;
    }
    if (field.isAttribute()) {
      attributeFlags |= uint64_t(bool(getAttribute(op, field))) << attributeBit++;
    } else {
      operandFlags |= uint64_t(numOperands) << operandBit++;
    }
  }
  out.varint(attributeFlags | operandFlags << attributeBit);
}

/// A list with one element per operand of a list: empty stands for as many zeros as the format wants.
static Attribute fillList(Operation &op, const Payload &payload, Attribute value) {
  auto bools = dyn_cast<DenseBoolArrayAttr>(value);
  if (!bools || !bools.empty()) {
    return value;
  }
  unsigned length = 0, segment = 0;
  SmallVector<unsigned> segments = getSegments(op, payload);
  for (const PayloadField &field : payload.getFields()) {
    if (!field.isAttribute()) {
      length += field.kind == FieldKind::Operands ? segments[segment] : 0;
      ++segment;
    }
  }
  return DenseBoolArrayAttr::get(op.getContext(), SmallVector<bool>(length, false));
}

void BodyWriter::writeAttributes(Operation &op, const Payload &payload) {
  for (const PayloadField &field : payload.getFields()) {
    if (!field.isAttribute() || !isAvailable(field.since, tables.getVersion())) {
      continue;
    }
    if (Attribute value = getAttribute(op, field)) {
      field.codec->write({tables, out, field.name}, fillList(op, payload, value));
    } else if (!payload.isFlagged(field)) {
      tables.refuse("it lacks attribute '" + field.name + "'");
    }
  }
}

void BodyWriter::writeOperands(Operation &op, const Payload &payload) {
  if (payload.countsOperands()) {
    out.varint(op.getNumOperands());
  }
  SmallVector<unsigned> segments = getSegments(op, payload);
  unsigned segment = 0, operand = 0;
  for (const PayloadField &field : payload.getFields()) {
    if (field.isAttribute()) {
      continue;
    }
    unsigned size = segments[segment++];
    if (field.kind == FieldKind::Operands && !payload.countsOperands()) {
      out.varint(size);
    }
    for (unsigned end = operand + size; operand < end; ++operand) {
      out.varint(numbers.lookup(op.getOperand(operand)));
    }
  }
}

void BodyWriter::writeRegions(Operation &op, unsigned depth) {
  if (depth > maxRegionDepth) {
    return tables.refuse("its regions nest more than " + Twine(maxRegionDepth) + " deep");
  }
  out.varint(op.getNumRegions());
  for (Region &region : op.getRegions()) {
    out.varint(region.empty() ? 0 : 1);
    if (region.empty()) {
      continue;
    }
    // Numbers are taken up again after the region.
    uint64_t firstNumber = nextNumber;
    Block &block = region.front();
    out.varint(block.getNumArguments());
    for (Type type : block.getArgumentTypes()) {
      out.varint(tables.type(type));
    }
    number(block.getArguments());
    out.varint(llvm::range_size(block));
    writeOperations(block, depth);
    nextNumber = firstNumber;
    if (tables.hasFailed()) {
      return;
    }
  }
}
