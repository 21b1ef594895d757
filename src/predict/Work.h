// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a kernel, once all is decided: steps in the order in which a warp of a GPU or a core issues them, with
// the instructions, the accesses to memory and the products of each. It does not refer to IR, so that it can be kept
// beside the code and evaluated for each launch. On a CPU there is one agent of one warp, and an instruction is one on
// a vector.
#ifndef TILEWRIGHT_PREDICT_WORK_H
#define TILEWRIGHT_PREDICT_WORK_H

#include "predict/Scalar.h"
#include <string>

namespace tilewright::predict {

/// The unit that executes an instruction of a warp, which also takes an issue slot.
/// Only CPUs have the last three: Memory is loads there, Special the instructions of polynomials, and Gather counts
/// elements.
enum class Pipe : uint8_t {
  F32,
  F64,
  Integer,
  Compare,
  Convert,
  Special,
  Shuffle,
  Memory,
  Other,
  Divide,
  Store,
  Gather
};
constexpr unsigned pipeCount = 12;

/// F32: by vectors, as CPUs multiply. On CPUs numbers of 8 bits are multiplied as pairs of 16.
enum class ProductType : uint8_t { Bits16, Bits8, Tf32, F64, F32 };

/// A tile of an array in memory, or elements at addresses.
struct Access {
  enum class Way : uint8_t { Threads, Copies, Tma, Atomics }; // Copies: by threads, without registers (cp.async)
  Way way = Way::Threads;
  bool isRead = false, isWritten = false;
  unsigned elementBits = 0;
  ScalarId base = noScalar;
  // Of a view: its extents and strides in elements, and the box of the tile in it, by dimension.
  llvm::SmallVector<ScalarId, 4> shape, strides, offsets;
  llvm::SmallVector<int64_t, 4> extents;
  // Of elements at addresses: what these depend on, how many there are, and how many lie one after another.
  ScalarId identity = noScalar;
  int64_t count = 0, run = 1;
  // Arrays from this size in bytes on are written past the caches of a CPU; 0: none is.
  int64_t streamBytes = 0;
  // By threads: instructions of a warp, and lines of 128 bytes that each of them touches.
  double requests = 0, lines = 1;
  // Blocks of a cluster that fetch it together where the condition holds, each an equal part.
  unsigned cluster = 1;
  ScalarId isShared = noScalar;
};

constexpr unsigned noValue = ~0u;

struct Step {
  enum class Kind : uint8_t {
    Compute,     // instructions only
    Access,      // of memory, number `index`
    Product,     // on tensor cores
    ProductWait, // until the products of the warp but the last `index` are complete
    Barrier,     // of the threads of the agent
    Commit,      // the copies started so far by this thread are a group
    GroupWait,   // for all groups but the last `index`, and a barrier
    StoreWait,   // until all TMA stores but the last `index` have read their buffers
    Acquire,     // of pipeline `index`: waits for an empty stage
    Full,        // its copies complete the stage
    Wait,        // waits for a full one
    Release,     // it is empty again
    Loop,
    Branch,
  };
  Kind kind = Kind::Compute;
  unsigned index = 0;
  std::array<double, pipeCount> instructions = {}; // of each warp
  double sharedCycles = 0;                         // of shared memory, for each warp
  // Round trips that wait for each other: shuffles, accesses of shared memory, barriers.
  double shuffleWaits = 0, sharedWaits = 0, barriers = 0;
  // A product: operations of the whole tile, and how many groups of four warps share them.
  ProductType type = ProductType::Bits16;
  double operations = 0, parts = 1;
  bool isRunning = false; // asynchronous
  // On a CPU. A product is computed only as far as its operands are inside of arrays, in whole register blocks.
  struct Limit {
    unsigned access, dim;
    int64_t granule;
  };
  llvm::SmallVector<Limit, 3> limits;
  double rows = 0;      // innermost loops
  double chain = 0;     // operations that wait for each other
  double tileBytes = 0; // of tiles in scratch that it reads and writes
  // It fills panels that stay for the next block if that wants the same: the access that it copies.
  std::optional<unsigned> kept;

  llvm::SmallVector<unsigned, 4> uses; // values that it needs
  unsigned result = noValue;

  // A loop or a branch, and their regions.
  ScalarId first = noScalar, last = noScalar, step = noScalar, variable = noScalar; // Branch: `first` is its condition
  llvm::SmallVector<unsigned, 2> regions;
  struct Carried {
    unsigned initial, argument, yielded, result;
  };
  llvm::SmallVector<Carried, 4> carried;
  bool isOverGrid = false; // a loop in which blocks take what a grid has
  std::string place;       // of a loop in the source
};

struct Region {
  std::vector<Step> steps;
};

struct Pipeline {
  unsigned stages = 1;
  double stageBytes = 0;
  // Of the bytes those that blocks of a cluster may fetch together: accesses, and the bytes of each in a stage.
  llvm::SmallVector<std::pair<unsigned, double>, 2> shared = {};
};

struct Agent {
  unsigned warps = 4, region = 0;
};

struct Work {
  std::string name;
  Scalars scalars;
  std::vector<Access> accesses;
  std::vector<Region> regions;
  std::vector<Pipeline> pipelines;
  // The first begins with what all warps do; the second, if there is one, fills pipelines for the first.
  std::vector<Agent> agents;
  unsigned values = 0;
  unsigned threads = 128, blocksPerSm = 0; // 0: a block for each of the grid
  unsigned split = 1;                      // of persistent blocks: so many work on one of the grid
  unsigned joined = 1;                     // on a CPU: neighbouring blocks that one body runs
  double liveRegisters = 0;                // of a thread, for tiles that are live at a time, about
  uint64_t sharedBytes = 0;                // of buffers and pipelines, about
};

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_WORK_H
