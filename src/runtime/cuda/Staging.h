// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on the other side of the bus, for one launch: copies of host memory on a GPU, or of a GPU's memory on the
// host. This is slow: for tests, for trying a kernel, and for the interpreter.
#ifndef TILEWRIGHT_RUNTIME_CUDA_STAGING_H
#define TILEWRIGHT_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda/Device.h"

namespace tilewright::cuda {

class Staging {
public:
  enum class To { Device, Host };
  Staging(Device &device, To to) : device(device), to(to) {}
  ~Staging();
  Staging(const Staging &) = delete;

  // Memory that the kernel reads, and writes if `isWritten`. Overlapping ranges are merged.
  void add(uint64_t address, uint64_t bytes, bool isWritten);
  // Copies all of it over.
  llvm::Error begin();
  // Where the copy of an address that was added is: at the same distance from a multiple of 256.
  uint64_t translate(uint64_t address) const;
  // Copies written arrays back, once the kernel has ended.
  llvm::Error end();

private:
  struct Piece {
    uint64_t begin, end;
    bool isWritten;
    uint64_t memory = 0, copy = 0; // the allocation, and the address of `begin` in it
  };
  llvm::Error move(Piece &piece, bool back);
  const Piece *find(uint64_t address) const;

  Device &device;
  To to;
  std::vector<Piece> pieces; // by address after begin()
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_STAGING_H
