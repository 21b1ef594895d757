// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile IR bytecode: reads and writes modules of every published version. docs/bytecode.md has the layout.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_BYTECODE_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_BYTECODE_H

#include "cuda_tile/ir/CudaTile.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <vector>

namespace tilewright::cuda_tile {

struct BytecodeVersion {
  uint8_t major = 13, minor = 4;
  /// Bit 0: the file uses preview features.
  uint16_t tag = 0;

  bool isPreview() const { return tag & 1; }
  /// "13.4".
  std::string str() const;
  /// Takes "13.4"; null if that is not a version this library knows.
  static std::optional<BytecodeVersion> parse(llvm::StringRef text);

  /// The order of versions; previews do not matter.
  friend bool operator==(BytecodeVersion a, BytecodeVersion b) { return a.number() == b.number(); }
  friend bool operator!=(BytecodeVersion a, BytecodeVersion b) { return a.number() != b.number(); }
  friend bool operator<(BytecodeVersion a, BytecodeVersion b) { return a.number() < b.number(); }
  friend bool operator>=(BytecodeVersion a, BytecodeVersion b) { return a.number() >= b.number(); }

private:
  unsigned number() const { return major * 256 + minor; }
};

/// A version this library reads and writes.
struct SupportedVersion {
  BytecodeVersion version;
  /// Not published with its sources yet, and known only from a tool that reads it.
  bool isProvisional;
};

/// From old to new. Everything that came with a version says so in its own record.
llvm::ArrayRef<SupportedVersion> getSupportedVersions();

/// "13.1, 13.2, ...".
std::string listSupportedVersions();

/// Whether a file of `version` can have what came with `since`: a version, or `preview`.
bool isAvailable(llvm::StringRef since, BytecodeVersion version);

/// Whether these are the first bytes of a bytecode file; names of files say nothing.
bool isBytecode(llvm::StringRef bytes);

/// Reads a module. Every error is one diagnostic with byte offset and section. Does not verify.
mlir::OwningOpRef<ModuleOp> readBytecode(llvm::MemoryBufferRef bytes, mlir::MLIRContext *context);

/// Writes a verified module; the same module gives the same bytes. Refuses an operation, attribute or type that
/// `version` lacks, by name.
mlir::LogicalResult writeBytecode(ModuleOp module, BytecodeVersion version, llvm::raw_ostream &os);

/// The contents of a file, read without building a module.
struct BytecodeInfo {
  struct Section {
    std::string name;
    uint64_t offset, size, alignment;
    /// Entries of its table: strings, types, constants, functions, globals. Of Debug: functions with locations.
    uint64_t numEntries;
  };
  struct Function {
    std::string name;
    bool isEntry, isPrivate, hasHints;
    uint64_t offset, size;
  };
  BytecodeVersion version;
  std::optional<std::string> producer;
  std::vector<Section> sections;
  std::vector<Function> functions;
};
mlir::FailureOr<BytecodeInfo> describeBytecode(llvm::MemoryBufferRef bytes, mlir::MLIRContext *context);

} // namespace tilewright::cuda_tile

#endif
