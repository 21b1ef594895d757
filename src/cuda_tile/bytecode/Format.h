// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the format, and the limits this reader sets where the format has none.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_FORMAT_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_FORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright::cuda_tile::format {

constexpr llvm::StringLiteral magic = llvm::StringLiteral::withInnerNUL("\x7fTileIR\0");
constexpr uint64_t headerSize = 12;
constexpr uint8_t padding = 0xCB;

enum class SectionId : uint8_t { End, String, Func, Debug, Constant, Type, Global, Producer };
constexpr llvm::StringLiteral sectionNames[] = {"End",      "String", "Func",   "Debug",
                                                "Constant", "Type",   "Global", "Producer"};
constexpr unsigned numSections = std::size(sectionNames);
constexpr uint8_t isAligned = 0x80;

enum FunctionFlag : uint8_t { isPrivate = 1, isEntry = 2, hasHints = 4 };

enum class AttributeTag : uint8_t {
  Integer = 1,
  Float,
  Bool,
  Type,
  String,
  Array,
  DenseElements,
  DivBy,
  SameElements,
  Dictionary,
  OptimizationHints,
  Bounded
};

enum class DebugTag : uint8_t { None, CompileUnit, File, LexicalBlock, Loc, Subprogram, CallSite };

enum TypeTag : uint64_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  TF32,
  F64,
  F8E4M3FN,
  F8E5M2,
  Ptr,
  Tile,
  TensorView,
  PartitionView,
  Function,
  Token,
  F8E8M0FNU,
  F4E2M1FN,
  GatherScatterView,
  StridedView,
  I4,
  F8E5M3FNU = 130
};

// Nested regions and types are processed recursively by MLIR as well (printers, verifiers, walks), so depth is bounded
// on entry.
constexpr unsigned maxRegionDepth = 256;
constexpr unsigned maxTypeDepth = 16;
constexpr unsigned maxAttributeDepth = 64;
/// Scopes around a location and calls inlined into each other, unfolded: a chain of calls whose both ends are chains
/// doubles with every link.
constexpr unsigned maxDebugDepth = 256;
constexpr unsigned maxDebugWeight = 4096;
/// Data that may be referenced repeatedly (a constant, the parameters of a type) may take so many bytes of memory, per
/// byte of the file and in a file of any length.
constexpr uint64_t spentPerByte = 64;
constexpr uint64_t spentAlways = 4 << 20;

} // namespace tilewright::cuda_tile::format

#endif
