// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Sections.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

static ParseResult readHeader(Cursor &cursor, BytecodeVersion &version) {
  Place start = cursor.here();
  StringRef bytes;
  if (!isBytecode(cursor.getFile().getBytes())) {
    return cursor.error(start) << "expected the magic number 7f 'TileIR' 00 of Tile IR bytecode";
  }
  if (cursor.bytes(magic.size(), bytes, "magic number")) {
    return failure();
  }
  Place place = cursor.here();
  if (cursor.byte(version.major, "major version") || cursor.byte(version.minor, "minor version") ||
      cursor.fixed(version.tag, "version tag")) {
    return failure();
  }
  if (llvm::none_of(getSupportedVersions(), [&](const SupportedVersion &known) { return known.version == version; })) {
    return cursor.error(place) << "expected a file of version " << listSupportedVersions() << ", got " << version.str();
  }
  return success();
}

/// One section, or the end.
static ParseResult readSection(Cursor &cursor, FileLayout &layout, bool &isEnd) {
  Place place = cursor.here();
  uint8_t tag;
  if (cursor.byte(tag, "section or end of bytecode")) {
    return failure();
  }
  unsigned id = tag & ~isAligned;
  isEnd = tag == uint8_t(SectionId::End);
  if (isEnd) {
    return success();
  }
  if (id == 0 || id >= numSections) {
    return cursor.error(place) << "expected a section from 1 to " << numSections - 1 << ", got " << id;
  }
  StringRef name = sectionNames[id];
  SectionRange &section = layout.sections[id];
  if (section.isPresent) {
    return cursor.error(place) << "expected section " << name << " once, got it again";
  }
  uint64_t size;
  Place sizePlace = cursor.here();
  if (cursor.varint(size, "size of section " + name.str())) {
    return failure();
  }
  if (tag & isAligned) {
    Place alignmentPlace = cursor.here();
    if (cursor.varint(section.alignment, "alignment of section " + name.str())) {
      return failure();
    }
    if (!llvm::isPowerOf2_64(section.alignment) || section.alignment > 4096) {
      return cursor.error(alignmentPlace) << "expected the alignment of section " << name
                                          << " to be a power of two up to 4096, got " << section.alignment;
    }
    if (cursor.align(section.alignment)) {
      return failure();
    }
  }
  if (size > cursor.remaining()) {
    return cursor.error(sizePlace) << "expected section " << name << " to end inside of the file, got " << size
                                   << " bytes of which " << cursor.remaining() << " are there";
  }
  layout.order.push_back(SectionId(id));
  section.isPresent = true;
  return cursor.bytes(size, section.data, "section");
}

ParseResult tilewright::cuda_tile::readLayout(const BytecodeFile &file, FileLayout &layout) {
  Cursor cursor(&file, file.getBytes());
  if (readHeader(cursor, layout.version)) {
    return failure();
  }
  for (bool isEnd = false; !isEnd;) {
    if (readSection(cursor, layout, isEnd)) {
      return failure();
    }
  }
  if (layout.has(SectionId::Producer) && layout.version < BytecodeVersion{13, 3}) {
    return cursor.error({layout.sections[size_t(SectionId::Producer)].data.data(), "Producer"})
           << "expected no section Producer before version 13.3, got one in " << layout.version.str();
  }
  return success();
}
