// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/HostBuffer.h"

#include "llvm/Support/MathExtras.h"

namespace tilewright::cuda {
namespace {

int64_t bytesOf(tilewright_type type) {
  switch (type) {
  case TILEWRIGHT_I1:
  case TILEWRIGHT_I8:
  case TILEWRIGHT_U8:
    return 1;
  case TILEWRIGHT_I16:
  case TILEWRIGHT_U16:
  case TILEWRIGHT_F16:
  case TILEWRIGHT_BF16:
    return 2;
  case TILEWRIGHT_I32:
  case TILEWRIGHT_U32:
  case TILEWRIGHT_F32:
    return 4;
  case TILEWRIGHT_I64:
  case TILEWRIGHT_U64:
  case TILEWRIGHT_F64:
    return 8;
  }
  llvm_unreachable("all types are listed");
}

} // namespace

int64_t HostTile::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t HostTile::bytes() const {
  return numElements() * bytesOf(type);
}

uint64_t tileOffset(const HostSite &site, size_t tile) {
  uint64_t offset = sizeof(HostRecordHeader);
  for (size_t i = 0; i < tile; ++i)
    offset += llvm::alignTo(site.tiles[i].bytes(), 16);
  return offset;
}

uint64_t recordBytes(const HostSite &site) {
  return llvm::alignTo(tileOffset(site, site.tiles.size()), 32);
}

} // namespace tilewright::cuda
