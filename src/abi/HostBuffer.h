// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel on a GPU says something to the host while it runs: `print` and a failed `assert` write a record into a
// buffer of pinned host memory, which the runtime reads when the kernel has come to its end.
//
// A module that prints or asserts has a global `__tilewright_host_buffer`, a pointer, zero at first. Our loader sets it
// to the device's address of a HostBufferHeader. Under a foreign launcher it stays zero: then kernels of the portable
// launch ABI speak by the driver's vprintf (DriverPrint.h), of others a print does nothing; a failed assert traps. With
// a buffer:
//
//   1. one thread of the block adds the record's size (recordBytes, a constant of the site) to `reserved`, atomically
//      among the threads of the device; what was there before is the record's offset in the buffer behind the header
//   2. if offset + size > `capacity` there is no room: a print writes nothing and goes on. The runtime says how much
//   was
//      lost, since `reserved` tells. A failed assert of which nothing fits has written nothing either, and traps
//   3. otherwise all threads of the block write their elements: tile i of the site is at tileOffset(site, i) of the
//      record, row-major and without gaps, an i1 as a byte 0 or 1
//   4. one thread writes `site` and `block`; then, after a barrier of the block and a fence of the system, `complete` =
//   1
//   5. a failed assert ends the block: by an exit where no other thread waits at a barrier, else by a trap.
//   The
//      host reads the record in either case
//
// An assert is a record like another: its one tile is the condition, and the host looks for the first element that is
// zero.
#ifndef TILEWRIGHT_ABI_HOSTBUFFER_H
#define TILEWRIGHT_ABI_HOSTBUFFER_H

#include "abi/Abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::cuda {

constexpr llvm::StringLiteral hostBufferSymbol = "__tilewright_host_buffer";

struct HostBufferHeader {
  uint64_t reserved = 0; // bytes of records that blocks have asked for
  uint64_t capacity = 0; // bytes of records behind this header
  uint64_t unused[6] = {};
};
static_assert(sizeof(HostBufferHeader) == 64);

struct HostRecordHeader {
  uint32_t complete = 0; // 1 when all of the record is there
  uint32_t site = 0;     // which of the image's host sites
  uint32_t block[3] = {};
  uint32_t unused[3] = {};
};
static_assert(sizeof(HostRecordHeader) == 32);

// A tile as the kernel writes it.
struct HostTile {
  tilewright_type type = TILEWRIGHT_I1;
  std::vector<int64_t> shape;

  int64_t numElements() const;
  int64_t bytes() const;
};

// A print or an assert in the program.
struct HostSite {
  enum class Kind { Print, Assert } kind = Kind::Print;
  std::string text; // the format, or the message
  std::string file; // of an assert
  int64_t line = 0;
  std::vector<HostTile> tiles; // of an assert its condition
};

// Bytes from the record's beginning, a multiple of 16.
uint64_t tileOffset(const HostSite &site, size_t tile);
// Of the whole record, a multiple of 32.
uint64_t recordBytes(const HostSite &site);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_ABI_HOSTBUFFER_H
