// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright::cuda_tile;

static constexpr SupportedVersion versions[] = {
    {{13, 1}, false}, {{13, 2}, false}, {{13, 3}, false}, {{13, 4}, false}, {{13, 5}, true},
};

llvm::ArrayRef<SupportedVersion> tilewright::cuda_tile::getSupportedVersions() {
  return versions;
}

std::string tilewright::cuda_tile::listSupportedVersions() {
  return llvm::join(llvm::map_range(versions, [](const SupportedVersion &known) { return known.version.str(); }), ", ");
}

std::string BytecodeVersion::str() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::optional<BytecodeVersion> BytecodeVersion::parse(llvm::StringRef text) {
  for (const SupportedVersion &known : versions) {
    if (known.version.str() == text) {
      return known.version;
    }
  }
  return std::nullopt;
}

bool tilewright::cuda_tile::isAvailable(llvm::StringRef since, BytecodeVersion version) {
  if (since == "preview") {
    return version.isPreview();
  }
  std::optional<BytecodeVersion> first = BytecodeVersion::parse(since);
  assert(first && "the records name versions of the table only");
  return version >= *first;
}

bool tilewright::cuda_tile::isBytecode(llvm::StringRef bytes) {
  return bytes.starts_with(format::magic);
}
