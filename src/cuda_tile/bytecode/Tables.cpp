// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Tables.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

//===- Table ----------------------------------------------------------------------------===//

template <typename Offset> ParseResult Table::read(Cursor &cursor, StringRef entryName) {
  file = &cursor.getFile();
  section = cursor.here().section;
  what = entryName;
  offsetSize = sizeof(Offset);
  if (cursor.count(count, 1, what) || cursor.align(offsetSize)) {
    return failure();
  }
  if (count > cursor.remaining() / offsetSize) {
    return cursor.error() << "expected " << count << " offsets of " << offsetSize << " bytes, got "
                          << cursor.remaining() << " bytes";
  }
  if (cursor.bytes(count * offsetSize, offsets, "offsets") || cursor.bytes(cursor.remaining(), data, "entries")) {
    return failure();
  }
  // Entries that overlap would make more of the file than there is of it.
  for (uint64_t number = 0; number < count; ++number) {
    if (begin(number) > end(number) || end(number) > data.size()) {
      return file->error({offsets.data() + number * offsetSize, section})
             << "expected " << what << " " << number << " to lie in the " << data.size() << " bytes of the table, got "
             << begin(number) << " to " << end(number);
    }
  }
  return success();
}

uint64_t Table::begin(uint64_t number) const {
  const char *at = offsets.data() + number * offsetSize;
  return offsetSize == 4 ? llvm::support::endian::read32le(at) : llvm::support::endian::read64le(at);
}

uint64_t Table::end(uint64_t number) const {
  return number + 1 == count ? data.size() : begin(number + 1);
}

Cursor Table::entry(uint64_t number) const {
  assert(number < count && "the caller checks the number");
  return Cursor(file, data.slice(begin(number), end(number)), section);
}

//===- Tables ---------------------------------------------------------------------------===//

ParseResult Tables::read() {
  auto readTable = [&](SectionId id, Table &table, auto offset, StringRef what) -> ParseResult {
    if (!layout.has(id)) {
      return success();
    }
    Cursor cursor = layout.open(file, id);
    return table.read<decltype(offset)>(cursor, what);
  };
  if (readTable(SectionId::String, strings, uint32_t(), "string") ||
      readTable(SectionId::Type, typeEntries, uint32_t(), "type") ||
      readTable(SectionId::Constant, constants, uint64_t(), "constant") || readDebugSection()) {
    return failure();
  }
  stringAttrs.resize(strings.size());
  knownTypes.resize(typeEntries.size());
  knownDebug.resize(debugEntries.size());
  return success();
}

/// Reads the number of an entry of `table`.
static ParseResult readNumber(Cursor &cursor, const Table &table, uint64_t &number, StringRef kind, StringRef what) {
  Place place = cursor.here();
  if (cursor.varint(number, what)) {
    return failure();
  }
  if (number >= table.size()) {
    return cursor.error(place) << "expected " << what << " to be one of " << table.size() << " " << kind << ", got "
                               << number;
  }
  return success();
}

ParseResult Tables::string(Cursor &cursor, StringRef &value, StringRef what) {
  uint64_t number;
  if (readNumber(cursor, strings, number, "strings", what)) {
    return failure();
  }
  Cursor entry = strings.entry(number);
  return entry.bytes(entry.remaining(), value, what);
}

ParseResult Tables::string(Cursor &cursor, StringAttr &value, StringRef what) {
  uint64_t number;
  if (readNumber(cursor, strings, number, "strings", what)) {
    return failure();
  }
  StringAttr &known = stringAttrs[number];
  if (!known) {
    Cursor entry = strings.entry(number);
    StringRef bytes;
    if (entry.bytes(entry.remaining(), bytes, what)) {
      return failure();
    }
    known = StringAttr::get(context, bytes);
  }
  value = known;
  return success();
}

ParseResult Tables::type(Cursor &cursor, Type &value, StringRef what, unsigned depth) {
  uint64_t number;
  Place place = cursor.here();
  if (readNumber(cursor, typeEntries, number, "types", what)) {
    return failure();
  }
  value = knownTypes[number];
  if (value) {
    return success();
  }
  // A cycle is as deep as one likes.
  if (depth == maxTypeDepth) {
    return cursor.error(place) << "expected types to nest at most " << maxTypeDepth << " deep, got type " << number
                               << " nested too deeply or in itself";
  }
  Cursor entry = typeEntries.entry(number);
  if (readType(entry, value, depth + 1) || entry.expectEnd("the type")) {
    return failure();
  }
  knownTypes[number] = value;
  return success();
}

ParseResult Tables::types(Cursor &cursor, SmallVectorImpl<Type> &values, StringRef what, unsigned depth) {
  uint64_t count;
  if (cursor.count(count, 1, what)) {
    return failure();
  }
  values.resize(count);
  for (Type &value : values) {
    if (type(cursor, value, what, depth)) {
      return failure();
    }
  }
  return success();
}

ParseResult Tables::spend(Cursor &cursor, Place place, uint64_t numBytes, StringRef what) {
  spent += numBytes;
  uint64_t most = file.getBytes().size() * spentPerByte + spentAlways;
  if (spent > most) {
    return cursor.error(place) << "expected " << what << " to take no more than the " << most
                               << " bytes that a file of " << file.getBytes().size() << " may, got more";
  }
  return success();
}

ParseResult Tables::constant(Cursor &cursor, Type type, DenseElementsAttr &value, StringRef what) {
  Place place = cursor.here();
  uint64_t number;
  if (readNumber(cursor, constants, number, "constants", what)) {
    return failure();
  }
  auto tile = dyn_cast_or_null<TileType>(type);
  if (!tile || !isa<IntegerType, FloatType>(tile.getElementType())) {
    return cursor.error(place) << "expected " << what << " of a tile of builtin numbers, got " << type;
  }
  DenseElementsAttr &known = knownConstants[{number, type}];
  if (!known) {
    Cursor entry = constants.entry(number);
    uint64_t size;
    StringRef bytes;
    Place start = entry.here();
    if (entry.varint(size, "size of a constant") || entry.bytes(size, bytes, "constant") ||
        entry.expectEnd("the constant")) {
      return failure();
    }
    bool isSplat = false;
    ArrayRef<char> raw(bytes.data(), bytes.size());
    // Bits are packed. Where one byte is not all of them its first bit is each of them.
    char bits;
    if (tile.getElementType().isInteger(1) && size == 1 && (tile.getNumElements() == 1 || tile.getNumElements() > 8)) {
      bits = bytes[0] & 1 ? char(0xff) : 0;
      raw = bits;
    }
    if (!DenseElementsAttr::isValidRawBuffer(tile, raw, isSplat)) {
      return entry.error(start) << "expected the bytes of one or all elements of " << tile << ", got " << size
                                << " bytes";
    }
    if (spend(entry, start, size, "constants in all their types")) {
      return failure();
    }
    known = DenseElementsAttr::getFromRawBuffer(tile, raw);
  }
  value = known;
  return success();
}
