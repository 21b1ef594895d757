// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a file being read: strings, types, constants and debug attributes, each resolved when something asks
// for it, so that sections may come in any order and entries may name later ones.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_TABLES_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_TABLES_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Sections.h"

namespace tilewright::cuda_tile {

/// A count, an offset per entry, and the entries.
class Table {
public:
  /// Reads count and offsets, and checks that they ascend; `cursor` ends after the last entry. `Offset` is the integer
  /// type of the offsets.
  template <typename Offset> ParseResult read(Cursor &cursor, llvm::StringRef what);

  uint64_t size() const { return count; }
  /// The bytes of one entry.
  Cursor entry(uint64_t number) const;

private:
  uint64_t begin(uint64_t number) const;
  uint64_t end(uint64_t number) const;

  const BytecodeFile *file = nullptr;
  llvm::StringRef section, what, offsets, data;
  uint64_t count = 0, offsetSize = 0;
};

class Tables {
public:
  Tables(const BytecodeFile &file, const FileLayout &layout, mlir::MLIRContext *context)
      : file(file), layout(layout), context(context) {}

  ParseResult read();

  mlir::MLIRContext *getContext() const { return context; }
  BytecodeVersion getVersion() const { return layout.version; }

  // Each reads the number of an entry from `cursor` and resolves it. `what` names it in diagnostics.
  ParseResult string(Cursor &cursor, llvm::StringRef &value, llvm::StringRef what);
  ParseResult string(Cursor &cursor, mlir::StringAttr &value, llvm::StringRef what);
  ParseResult type(Cursor &cursor, mlir::Type &value, llvm::StringRef what, unsigned depth = 0);
  ParseResult types(Cursor &cursor, llvm::SmallVectorImpl<mlir::Type> &values, llvm::StringRef what,
                    unsigned depth = 0);
  ParseResult constant(Cursor &cursor, mlir::Type type, mlir::DenseElementsAttr &value, llvm::StringRef what);

  /// Notes memory for what a few bytes of the file can ask for again and again. Fails when it is out of proportion to
  /// the length of the file.
  ParseResult spend(Cursor &cursor, Place place, uint64_t numBytes, llvm::StringRef what);

  /// The locations of one function: its own, then one per operation in the order of the bytes.
  class Locations {
  public:
    ParseResult next(mlir::Location &value);
    ParseResult expectEnd() { return list.expectEnd("the locations of the function"); }

  private:
    friend class Tables;
    Tables *tables = nullptr;
    Cursor list;
    /// Whether the function has none: all are unknown.
    bool isEmpty = true;
  };
  /// Reads which of the lists of the file a function has.
  ParseResult locations(Cursor &cursor, Locations &locations);

private:
  ParseResult readType(Cursor &entry, mlir::Type &value, unsigned depth);

  ParseResult readDebugSection();
  /// A debug attribute, how deep it nests, and how large it is when it is unfolded.
  struct DebugAttribute {
    mlir::Attribute value;
    unsigned depth = 0, weight = 0;
  };
  ParseResult debugAttribute(Cursor &cursor, Place place, uint64_t number, DebugAttribute &attribute, unsigned depth);
  ParseResult readDebugAttribute(Cursor &entry, DebugAttribute &attribute, unsigned depth);

  const BytecodeFile &file;
  const FileLayout &layout;
  mlir::MLIRContext *context;
  Table strings, typeEntries, constants, debugEntries;
  /// Where the list of each function begins among all, and the lists.
  llvm::StringRef debugStarts, debugNumbers;
  uint64_t spent = 0;
  std::vector<mlir::StringAttr> stringAttrs;
  std::vector<mlir::Type> knownTypes;
  std::vector<DebugAttribute> knownDebug;
  llvm::DenseMap<std::pair<uint64_t, mlir::Type>, mlir::DenseElementsAttr> knownConstants;
};

} // namespace tilewright::cuda_tile

#endif
