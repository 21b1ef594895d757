// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes primitive values into a growing range of bytes.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_OUTPUT_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_OUTPUT_H

#include "cuda_tile/bytecode/Format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tilewright::cuda_tile {

class Output {
public:
  llvm::StringRef str() const { return bytes; }
  size_t size() const { return bytes.size(); }

  void byte(uint8_t value) { bytes.push_back(char(value)); }
  void raw(llvm::StringRef value) { bytes.append(value.begin(), value.end()); }
  void varint(uint64_t value) {
    llvm::raw_string_ostream os(bytes);
    llvm::encodeULEB128(value, os);
  }
  void signedVarint(int64_t value) { varint(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }
  template <typename T> void fixed(T value) {
    char buffer[sizeof(T)];
    llvm::support::endian::write<T, llvm::endianness::little>(buffer, value);
    bytes.append(buffer, sizeof(T));
  }
  /// A count, then integers of fixed size.
  template <typename T> void list(llvm::ArrayRef<T> values) {
    varint(values.size());
    for (T value : values) {
      fixed(value);
    }
  }
  void align(uint64_t alignment) {
    while (bytes.size() % alignment) {
      byte(format::padding);
    }
  }

private:
  std::string bytes;
};

} // namespace tilewright::cuda_tile

#endif
