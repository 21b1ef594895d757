// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outer shape of a file: header and list of sections.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_SECTIONS_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_SECTIONS_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Format.h"
#include "cuda_tile/bytecode/read/Cursor.h"
#include <array>

namespace tilewright::cuda_tile {

struct SectionRange {
  llvm::StringRef data;
  uint64_t alignment = 1;
  bool isPresent = false;
};

struct FileLayout {
  BytecodeVersion version;
  std::array<SectionRange, format::numSections> sections;
  /// The sections of the file, in its order.
  llvm::SmallVector<format::SectionId, format::numSections> order;

  bool has(format::SectionId id) const { return sections[size_t(id)].isPresent; }
  /// Empty where the file has no such section.
  Cursor open(const BytecodeFile &file, format::SectionId id) const {
    return Cursor(&file, sections[size_t(id)].data, format::sectionNames[size_t(id)]);
  }
};

/// Checks magic, version and that every section lies inside of the file, once.
ParseResult readLayout(const BytecodeFile &file, FileLayout &layout);

} // namespace tilewright::cuda_tile

#endif
