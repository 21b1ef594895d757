// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a CPU: enough to choose a register block and to ask LLVM for the right instructions, and nothing else.
// The passes read it; only the host's own description is measured, the others are a table.
#ifndef TILEWRIGHT_MACHINE_MACHINE_H
#define TILEWRIGHT_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tilewright {

struct Machine {
  std::string name;     // as the user writes it after `cpu:`
  std::string triple;   // LLVM target triple
  std::string cpu;      // LLVM target-cpu
  std::string features; // LLVM target-features, on top of those of the cpu

  unsigned vectorBits = 0;         // width of one vector register
  unsigned numVectorRegisters = 0; // architectural vector registers
  unsigned microTileM = 0;         // rows of the f32 register block of mma
  unsigned microTileN = 0;         // columns of it, a multiple of the vector
  int64_t l1Bytes = 0;             // data cache of one core
  int64_t l2Bytes = 0;             // unified cache of one core

  bool hasFma = false;        // fused multiply-add in one instruction
  bool hasF16Convert = false; // f16 <-> f32 vectors
  bool hasF16Arith = false;   // f16 arithmetic without widening
  bool hasBf16Dot = false;    // vdpbf16ps
  bool hasVnni = false;       // u8 x i8 dot products into i32
  bool hasAmx = false;        // products of tiles of bf16 and of bytes; on the host, also permission to use them
  std::string whyNoAmx;       // of a machine without

  // Vector lanes of elements of that many bits.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }

  // Two machines with equal keys run each other's code and are planned for alike.
  std::string key() const;
};

// The described machines, weakest first.
llvm::ArrayRef<Machine> knownMachines();

// The description of the CPU this process runs on.
const Machine &hostMachine();

// `cpu`, `cpu:host`, `cpu:x86-64-v3`, ...
llvm::Expected<Machine> parseMachine(llvm::StringRef target);

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_MACHINE_H
