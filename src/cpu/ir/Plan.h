// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan: every decision of the CPU path for a kernel, made once by cpu-plan and written on the function as
// `cpu.plan`, so that it can be printed, edited and given back. The other passes read it through this class.
#ifndef TILEWRIGHT_CPU_IR_PLAN_H
#define TILEWRIGHT_CPU_IR_PLAN_H

#include "machine/Machine.h"

#include "mlir/IR/Operation.h"

namespace tilewright::cpu {

// The unit that multiplies tiles of bf16 and of bytes.
enum class MmaUnit : int64_t {
  Vector,  // vectors, as of the other types
  Amx,     // the matrix unit of x86
  AmxModel // the same code, with loops in the place of that unit's instructions: a test for machines without it
};

/// Rows of a tile of the matrix unit, each of which is as many words of 32 bits; columns of its register block.
constexpr int64_t matrixRows = 16, matrixPanel = 32;

// The defaults are those of the weakest machine.
struct Plan {
  int64_t byteWords = 2;     // bytes that mma on vectors multiplies as one word; 2: as 16-bit integers, 1: widened
  int64_t depth = 64;        // k extent of one pass over mma's accumulator, at most
  int64_t isa = 0;           // Isa, of the target
  int64_t joinedBlocks = 1;  // neighbours along x that one body handles
  int64_t keptBytes = 0;     // scratch for packed tiles that blocks share; 0: each block packs its own
  int64_t loopVectors = 4;   // vectors an elementwise loop works on at once
  int64_t microTileM = 4;    // rows of mma's register block
  int64_t microTileN = 8;    // columns of it, counted in 32-bit elements
  int64_t mmaUnit = 0;       // MmaUnit
  bool pairDot = false;      // bf16 mma on vectors multiplies pairs
  int64_t prefetchTiles = 1; // how many passes ahead operands of mma are fetched
  int64_t streamBytes = 0;   // arrays from this size on are written past the cache; 0 never
  int64_t vectorBits = 128;

  int64_t lanes(int64_t elementBits) const { return vectorBits / elementBits; }

  /// The abilities of the registers of that width.
  const VectorUnit &unit() const;

  bool hasMatrixUnit() const { return mmaUnit != int64_t(MmaUnit::Vector); }

  bool operator==(const Plan &other) const;

  /// Names a decision that the passes cannot follow or, where there is a machine, that it cannot run.
  llvm::Error check(const Machine *machine = nullptr) const;

  /// That of the function; the weakest machine's where there is none.
  static Plan of(mlir::Operation *function);
};

llvm::hash_code hash_value(const Plan &plan);

/// An entry of a plan: its name and its value in text, and the legal values.
struct Decision {
  llvm::StringLiteral name, expected;
  bool (*isLegal)(const Plan &plan, const Machine *machine);
  int64_t Plan::*number = nullptr;
  bool Plan::*flag = nullptr;                     // where there is no number
  llvm::ArrayRef<llvm::StringLiteral> names = {}; // of the numbers from 0 on, where they have any

  /// A flag as 0 or 1.
  int64_t valueIn(const Plan &plan) const { return flag ? plan.*flag : plan.*number; }
  std::string textIn(const Plan &plan) const;
  /// As a plan file has it: a name in quotes.
  std::string tomlIn(const Plan &plan) const;
  /// Any value of its kind: whether it is legal may depend on others that are set later.
  llvm::Error setIn(Plan &plan, llvm::StringRef text) const;

  static llvm::Expected<const Decision *> named(llvm::StringRef name);
  /// All of a plan, by name.
  static llvm::ArrayRef<Decision> all();
};

} // namespace tilewright::cpu

#endif
