// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads primitive values out of a range of a file. A value that does not fit is one diagnostic with the byte and the
// section; every method fails after it.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_READ_CURSOR_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_READ_CURSOR_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/Support/Endian.h"

namespace tilewright::cuda_tile {

using mlir::ParseResult;

/// A byte of the file, for a diagnostic at a place that was read already.
struct Place {
  const char *byte = nullptr;
  llvm::StringRef section;
};

/// The file all cursors point into.
class BytecodeFile {
public:
  BytecodeFile(llvm::StringRef bytes, mlir::Location location) : bytes(bytes), location(location) {}

  llvm::StringRef getBytes() const { return bytes; }
  uint64_t offsetOf(const char *byte) const { return byte - bytes.data(); }
  /// "byte 0x2a in section Type: ".
  mlir::InFlightDiagnostic error(Place place) const;

private:
  llvm::StringRef bytes;
  mlir::Location location;
};

class Cursor {
public:
  Cursor() = default;
  /// Without a section: the header and the list of sections.
  Cursor(const BytecodeFile *file, llvm::StringRef range, llvm::StringRef section = "")
      : file(file), next(range.begin()), end(range.end()), section(section) {}

  const BytecodeFile &getFile() const { return *file; }
  bool atEnd() const { return next == end; }
  uint64_t remaining() const { return end - next; }
  Place here() const { return {next, section}; }
  mlir::InFlightDiagnostic error() const { return file->error(here()); }
  mlir::InFlightDiagnostic error(Place place) const { return file->error(place); }

  // `what` names the value in the diagnostic: "expected WHAT, got the end of the section".
  ParseResult byte(uint8_t &value, llvm::StringRef what);
  ParseResult varint(uint64_t &value, llvm::StringRef what);
  ParseResult signedVarint(int64_t &value, llvm::StringRef what);
  /// A signed number of 64 bits; also an unsigned one, which has a bit more for the sign: NVIDIA's Python writer has
  /// negative f64 so, of which NVIDIA's reader loses the sign.
  ParseResult bits(uint64_t &value, llvm::StringRef what);
  ParseResult bytes(uint64_t size, llvm::StringRef &value, llvm::StringRef what);
  template <typename T> ParseResult fixed(T &value, llvm::StringRef what) {
    llvm::StringRef raw;
    if (bytes(sizeof(T), raw, what)) {
      return mlir::failure();
    }
    value = llvm::support::endian::read<T, llvm::endianness::little>(raw.data());
    return mlir::success();
  }

  /// A varint no larger than `most`.
  ParseResult bounded(uint64_t &value, uint64_t most, llvm::StringRef what);
  /// The number of things that follow, of at least `size` bytes each: no more than the range can hold, so that memory
  /// can be had for them before they are read.
  ParseResult count(uint64_t &value, uint64_t size, llvm::StringRef what);
  /// A count, then that many integers of fixed size.
  template <typename T> ParseResult list(llvm::SmallVectorImpl<T> &values, llvm::StringRef what) {
    uint64_t size;
    if (count(size, sizeof(T), what)) {
      return mlir::failure();
    }
    values.resize(size);
    for (T &value : values) {
      if (fixed(value, what)) {
        return mlir::failure();
      }
    }
    return mlir::success();
  }

  /// Skips to the next multiple of `alignment`, counted from the first byte of the file: sections begin aligned.
  ParseResult align(uint64_t alignment);
  /// Fails if something is left.
  ParseResult expectEnd(llvm::StringRef what);

private:
  /// A number of up to `width` bits, 64 or 65; `last` is the one that `value` has no place for.
  ParseResult longVarint(uint64_t &value, bool &last, unsigned width, llvm::StringRef what);

  const BytecodeFile *file = nullptr;
  const char *next = nullptr, *end = nullptr;
  llvm::StringRef section;
};

} // namespace tilewright::cuda_tile

#endif
