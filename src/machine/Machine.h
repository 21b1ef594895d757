// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of a CPU: enough to choose a register block and to ask LLVM for the right instructions, and nothing else.
// The passes read it; only the host's own description is measured, the others are a table.
#ifndef TILEWRIGHT_MACHINE_MACHINE_H
#define TILEWRIGHT_MACHINE_MACHINE_H

#include "machine/VectorUnit.h"
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

  Isa isa = Isa::X86;
  unsigned vectorBits = 0; // width of one vector register
  unsigned microTileM = 0; // rows of the f32 register block of mma
  unsigned microTileN = 0; // columns of it, a multiple of the vector
  int64_t l1Bytes = 0;     // data cache of one core
  int64_t l2Bytes = 0;     // unified cache of one core

  bool hasF16Arith = false; // f16 arithmetic without widening
  bool hasBf16Dot = false;  // the unit's products of pairs of bf16, where they are worth it
  bool hasByteDot = false;  // its products of four bytes
  bool hasAmx = false;      // products of tiles of bf16 and of bytes; on the host, also permission to use them
  std::string whyNoAmx;     // of a machine without

  const VectorUnit &unit() const { return *findVectorUnit(isa, vectorBits); }
  /// As LLVM writes it, "+avx512bf16"; all machines have the empty one.
  bool hasFeature(llvm::StringRef feature) const;

  // Vector lanes of elements of that many bits.
  unsigned lanes(unsigned elementBits) const { return vectorBits / elementBits; }

  // Two machines with equal keys run each other's code and are planned for alike.
  std::string key() const;
};

/// LLVM's tuning for many AVX-512 processors splits 512-bit vectors in two; the micro-tiles are sized for whole ones.
constexpr llvm::StringLiteral whole512 = "-prefer-256-bit";

// The described machines: those of x86, weakest first, then those of aarch64.
llvm::ArrayRef<Machine> knownMachines();

// The description of the CPU this process runs on.
const Machine &hostMachine();

// `cpu`, `cpu:host`, `cpu:x86-64-v3`, `cpu:aarch64+sve2`, ...; names of the table also without `cpu:`.
llvm::Expected<Machine> parseMachine(llvm::StringRef target);

/// An error where this process cannot run code for the machine; `target` is its name for people.
llvm::Error checkOnHost(const Machine &machine, llvm::StringRef target);

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_MACHINE_H
