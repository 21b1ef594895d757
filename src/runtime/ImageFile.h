// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of images in the disk cache: a line with the kind and version, a checksum of the rest, a description as
// JSON, and the code. Readers of another version refuse it by its first line.
#ifndef TILEWRIGHT_RUNTIME_IMAGEFILE_H
#define TILEWRIGHT_RUNTIME_IMAGEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace tilewright {

struct ImageFile {
  llvm::json::Value description;
  std::string code;

  // `magic` ends with a newline. Text in the description has to be UTF-8.
  std::string serialize(llvm::StringRef magic) const;
  static llvm::Expected<ImageFile> deserialize(llvm::StringRef magic, llvm::StringRef bytes);
};

// The error for an image that cannot be read.
llvm::Error brokenImage();

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_IMAGEFILE_H
