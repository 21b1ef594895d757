// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a file being written. Entries get their numbers in the order in which they are first asked for, parts
// before the whole, so the same module gives the same bytes.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_TABLEBUILDER_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_TABLEBUILDER_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/write/Output.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::cuda_tile {

/// Different byte strings by number.
class EntryTable {
public:
  uint64_t insert(llvm::StringRef entry);
  uint64_t size() const { return entries.size(); }
  /// Count, offsets of type `Offset`, entries.
  template <typename Offset> void write(Output &out) const;

private:
  llvm::StringMap<uint64_t> numbers;
  std::vector<llvm::StringRef> entries;
};

class TableBuilder {
public:
  TableBuilder(BytecodeVersion version, mlir::MLIRContext *context);

  BytecodeVersion getVersion() const { return version; }

  uint64_t string(llvm::StringRef text) { return strings.insert(text); }
  uint64_t type(mlir::Type type);
  uint64_t constant(mlir::DenseElementsAttr value);
  /// 0 for a location without a scope: the format has nothing for it.
  uint64_t location(mlir::Location location);

  void writeStrings(Output &out) const { strings.write<uint32_t>(out); }
  void writeTypes(Output &out) const { typeEntries.write<uint32_t>(out); }
  void writeConstants(Output &out) const { constants.write<uint64_t>(out); }
  void writeDebugAttributes(Output &out) const;

  // A value that cannot be written is one diagnostic on the operation being written; nothing after it is written.
  void enter(mlir::Operation *op) { current = op; }
  bool hasFailed() const { return failed; }
  /// "... cannot be written in version 13.1: REASON".
  void refuse(const llvm::Twine &reason);
  void refuse(mlir::Attribute attribute);
  /// Refuses `what` unless the version has what came with `since`.
  bool require(llvm::StringRef since, const llvm::Twine &what);

private:
  void writeType(Output &out, mlir::Type type);
  /// Whether all of a location can be written.
  bool hasScope(mlir::LocationAttr location, unsigned depth);
  /// The number of an attribute in its table, how deep it nests, and how large it is when it is unfolded.
  struct DebugAttribute {
    uint64_t number;
    unsigned depth, weight;
  };
  DebugAttribute debugAttribute(mlir::Attribute attribute, unsigned depth);

  BytecodeVersion version;
  EntryTable strings, typeEntries, constants, debugEntries;
  llvm::DenseMap<mlir::Type, uint64_t> types;
  llvm::DenseMap<mlir::Attribute, DebugAttribute> debugAttributes;
  llvm::DenseMap<mlir::Attribute, bool> scoped;
  mlir::Operation *current = nullptr;
  bool failed = false;
};

} // namespace tilewright::cuda_tile

#endif
