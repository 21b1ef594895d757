// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The payload of every operation as data, computed from the op records by Payload.td, which has the rules.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_PAYLOAD_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_PAYLOAD_H

#include "cuda_tile/bytecode/AttributeCodec.h"
#include "cuda_tile/ir/OpTable.h"

namespace tilewright::cuda_tile {

enum class FieldKind : uint8_t { Operand, OptionalOperand, Operands, Flag, OptionalAttribute, Attribute };

/// An operand or attribute of an operation, in the order of its record.
struct PayloadField {
  uint16_t opcode, position;
  llvm::StringLiteral name;
  /// First version that has it.
  llvm::StringLiteral since;
  FieldKind kind;
  /// Null for operands.
  const AttributeCodec *codec;

  bool isAttribute() const { return kind >= FieldKind::Flag; }
};

/// An operation as bytecode has it.
class Payload {
public:
  /// All operations.
  static llvm::ArrayRef<Payload> getAll();
  /// Null where no operation has this opcode or name.
  static const Payload *lookup(uint64_t opcode);
  static const Payload *lookup(llvm::StringRef mnemonic);

  const OpRecord &getRecord() const { return *record; }
  llvm::ArrayRef<PayloadField> getFields() const { return fields; }
  /// Modules, entries and globals have sections of their own.
  bool isInBody() const { return inBody; }
  bool countsResults() const { return hasCountedResults; }
  /// All operands follow one count.
  bool countsOperands() const { return hasCountedOperands; }
  bool hasOperandSegments() const { return hasSegments; }
  unsigned getNumResults() const { return numResults; }
  /// First version whose files have the results.
  llvm::StringRef getResultsSince() const { return resultsSince; }
  unsigned getNumRegions() const { return numRegions; }

  /// Whether the field has a bit in the flag word.
  bool isFlagged(const PayloadField &field) const {
    return field.kind == FieldKind::Flag || field.kind == FieldKind::OptionalAttribute ||
           (field.kind == FieldKind::OptionalOperand && hasSegments);
  }

private:
  friend struct PayloadTable;

  const OpRecord *record;
  llvm::ArrayRef<PayloadField> fields;
  bool inBody, hasCountedResults, hasCountedOperands, hasSegments;
  unsigned numResults, numRegions;
  llvm::StringRef resultsSince;
};

/// A value of an enumeration that came later than the enumeration.
struct LaterCase {
  /// Mnemonic of the attribute.
  llvm::StringLiteral attribute;
  uint8_t value;
  llvm::StringLiteral since;
};
llvm::ArrayRef<LaterCase> getLaterCases();
/// Null for a value that every version has.
const LaterCase *lookupLaterCase(llvm::StringRef attribute, uint32_t value);

} // namespace tilewright::cuda_tile

#endif
