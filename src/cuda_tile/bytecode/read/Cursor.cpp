// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/read/Cursor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

InFlightDiagnostic BytecodeFile::error(Place place) const {
  InFlightDiagnostic diagnostic = emitError(location);
  diagnostic << "byte 0x" << llvm::utohexstr(offsetOf(place.byte), /*LowerCase=*/true);
  if (!place.section.empty()) {
    diagnostic << " in section " << place.section;
  }
  diagnostic << ": ";
  return diagnostic;
}

ParseResult Cursor::bytes(uint64_t size, StringRef &value, StringRef what) {
  if (atEnd() && size > 0) {
    return error() << "expected " << what << ", got the end";
  }
  if (size > remaining()) {
    return error() << "expected " << what << " of " << size << " bytes, got " << remaining() << " before the end";
  }
  value = StringRef(next, size);
  next += size;
  return success();
}

ParseResult Cursor::byte(uint8_t &value, StringRef what) {
  return fixed(value, what);
}

ParseResult Cursor::varint(uint64_t &value, StringRef what) {
  bool last;
  return longVarint(value, last, 64, what);
}

ParseResult Cursor::longVarint(uint64_t &value, bool &last, unsigned width, StringRef what) {
  const char *start = next;
  value = 0;
  last = false;
  for (unsigned shift = 0; next != end; shift += 7) {
    uint8_t part = *next++;
    if (shift == 63) {
      if (part >> (width - shift)) {
        return error({start, section}) << "expected " << what << " of at most 64 bits, got a longer number";
      }
      last = part >> 1;
    }
    value |= uint64_t(part & 0x7f) << shift;
    if (!(part & 0x80)) {
      return success();
    }
  }
  return error({start, section}) << "expected " << what << ", got the end";
}

ParseResult Cursor::signedVarint(int64_t &value, StringRef what) {
  uint64_t raw;
  if (varint(raw, what)) {
    return failure();
  }
  value = int64_t(raw >> 1) ^ -int64_t(raw & 1);
  return success();
}

ParseResult Cursor::bits(uint64_t &value, StringRef what) {
  uint64_t raw;
  bool last;
  if (longVarint(raw, last, 65, what)) {
    return failure();
  }
  value = (raw >> 1 | uint64_t(last) << 63) ^ -(raw & 1);
  return success();
}

ParseResult Cursor::bounded(uint64_t &value, uint64_t most, StringRef what) {
  Place place = here();
  if (varint(value, what)) {
    return failure();
  }
  if (value > most) {
    return error(place) << "expected " << what << " to be at most " << most << ", got " << value;
  }
  return success();
}

ParseResult Cursor::count(uint64_t &value, uint64_t size, StringRef what) {
  Place place = here();
  if (varint(value, what)) {
    return failure();
  }
  if (value > remaining() / size) {
    return error(place) << "expected no more " << what << " than the " << remaining() << " bytes left can hold, got "
                        << value;
  }
  return success();
}

ParseResult Cursor::align(uint64_t alignment) {
  StringRef skipped;
  uint64_t offset = file->offsetOf(next);
  return bytes(llvm::alignTo(offset, alignment) - offset, skipped, "padding");
}

ParseResult Cursor::expectEnd(StringRef what) {
  if (!atEnd()) {
    return error() << "expected the end of " << what << ", got " << remaining()
                   << (remaining() == 1 ? " more byte" : " more bytes");
  }
  return success();
}
