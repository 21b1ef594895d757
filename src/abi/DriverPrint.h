// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel says something under a launcher that knows nothing of our host buffer (HostBuffer.h): by the driver's
// `vprintf`, whose text any launcher shows. The CUDA driver has for code on the device
//
//   int vprintf(const char *format, const void *arguments)
//
// with the arguments in local memory one behind the other, each at a multiple of its size, floats as doubles, at most
// 32. A print becomes a few such calls of one thread, which finds the tiles of the site where a record has them
// (tileOffset); their texts together are what formatPrint makes of the record.
#ifndef TILEWRIGHT_ABI_DRIVERPRINT_H
#define TILEWRIGHT_ABI_DRIVERPRINT_H

#include "abi/HostBuffer.h"

namespace tilewright::cuda {

constexpr unsigned maxDriverPrintArguments = 32;

// An element of a tile, or of an assert the block or the position of what failed, as printf takes it.
struct DriverPrintArgument {
  enum class Source { Element, Block, Position } source = Source::Element;
  enum class Width { I32, I64, F64 } width = Width::I32;
  size_t tile = 0;    // of an element
  int64_t number = 0; // of the element, row-major; else the axis
  // The low bits of an element that the conversion keeps (8 and 16; 64 is all of them), shown with a sign or without.
  // The driver's vprintf knows no hh, so the kernel drops the others.
  int bits = 64;
  bool keepsSign = false;

  unsigned bytes() const { return width == Width::I32 ? 4 : 8; }
};

// One call, or a loop of calls over all elements of a tile.
struct DriverPrintCall {
  std::vector<DriverPrintArgument> arguments;
  // One for a single call. In a loop the first argument's element says which: formats[k] where rows of the last k
  // dimensions begin with it, and none of more; those that no call needs are empty.
  std::vector<std::string> formats;
  int64_t times = 1; // each time the elements behind those of the time before
  // Elements of the last dimensions together: steps[k - 1] of the last k.
  std::vector<int64_t> steps;

  bool isLoop() const { return times > 1; }
};

// Where each argument lies behind the others, and the bytes of all at the end.
std::vector<unsigned> packArguments(llvm::ArrayRef<DriverPrintArgument> arguments);

// The calls of a print; of an assert the one that says what failed, as NVIDIA's compiler has it.
std::vector<DriverPrintCall> driverPrintCalls(const HostSite &site);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_ABI_DRIVERPRINT_H
