// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled module, as in memory and in the disk cache: a relocatable object, and the description of its entries for
// launchers.
#ifndef TILEWRIGHT_RUNTIME_IMAGE_H
#define TILEWRIGHT_RUNTIME_IMAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

// An entry parameter, in the order of the bytecode.
struct EntryParameter {
  enum class Kind { Pointer, Integer, Float };
  Kind kind = Kind::Pointer;
  unsigned bits = 64;   // of the value itself; the pointee's for a pointer
  bool written = false; // a pointer that the kernel may store through
  // For people, and for the header of a library; not part of a stored image.
  std::string element = {}; // of the value, or the pointee: f32, i64, ...
  std::string name = {};    // in the source, if known
};

// For descriptions of images.
llvm::json::Value toJSON(const EntryParameter &parameter);
bool fromJSON(const llvm::json::Value &value, EntryParameter &parameter, llvm::json::Path path);

struct EntryInfo {
  std::string name;
  int64_t scratchBytes = 0;
  std::vector<EntryParameter> parameters;
};

struct Image {
  std::vector<EntryInfo> entries;
  std::string remarks; // warnings and remarks of the compilation
  std::string object;

  std::string serialize() const;
  // Refuses bytes that are truncated, altered, or of another version.
  static llvm::Expected<Image> deserialize(llvm::StringRef bytes);
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_IMAGE_H
