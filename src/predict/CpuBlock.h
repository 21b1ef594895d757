// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a tile block on a core. The loops of a block follow one another; within one, instructions and transfers
// overlap.
#ifndef TILEWRIGHT_PREDICT_CPUBLOCK_H
#define TILEWRIGHT_PREDICT_CPUBLOCK_H

#include "predict/Cpu.h"
#include "predict/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::predict {

/// How the bytes of arrays that a launch uses come to a core, as shares of all.
struct CpuSources {
  double beyondL2 = 1, dram = 1;
};

/// Units of a core, as bounds are told.
enum class CpuUnit : uint8_t { Vector, Special, Matrix, Ports };
constexpr unsigned cpuUnitCount = 4;
llvm::StringRef nameOf(CpuUnit unit);

/// Of arrays. Lines that are written through the caches are read into them before.
struct Bytes {
  double cached = 0, streamed = 0;

  void add(const Bytes &other, double times = 1) {
    cached += times * other.cached;
    streamed += times * other.streamed;
  }
  bool any() const { return cached + streamed > 0; }
};

struct CpuBlock {
  double seconds = 0;
  std::array<double, cpuUnitCount> cycles = {}; // of units, were they never idle
  Bytes arrays;                                 // that its loads and stores touch
  double askedBytes = 0;                        // of their elements
  double scratchBytes = 0;                      // of tiles that are beyond the first cache
  double operations = 0, products = 0;          // of elements, and of products
  bool isComplete = true;                       // all trip counts were known

  void add(const CpuBlock &other, double times);
};

/// Whether an access writes past the caches.
bool isStreamed(const Access &access, Evaluator &evaluate);
/// Cycles of the instructions of a step, without products; a loop of a body for several blocks begins once for all.
/// Of a block of so many instructions, others run beside it as far as the core's window reaches.
double instructionCycles(const Step &step, const Cpu &cpu, double ofBlock, unsigned joined = 1);
/// Operations of products of a core per cycle.
double productRate(ProductType type, const CpuPerformance &rates);

class CpuBlockTimer {
public:
  /// `kept`: how many of the blocks fill panels that stay for the next one, by access.
  CpuBlockTimer(const Work &work, const Cpu &cpu, const CpuSources &sources,
                const llvm::DenseMap<unsigned, double> &kept)
      : work(work), cpu(cpu), sources(sources), kept(kept) {}

  /// Of the block that the evaluator has entered.
  CpuBlock time(Evaluator &evaluate);

private:
  /// Work whose instructions and transfers overlap.
  struct Phase {
    double cycles = 0, times = 1;
    Bytes bytes;
    double scratch = 0;
  };
  CpuBlock timeRegion(const Region &region, Evaluator &evaluate);
  void addStep(const Step &step, std::vector<Phase> &phases, CpuBlock &sum, Evaluator &evaluate);
  void addAccess(const Step &step, std::vector<Phase> &phases, CpuBlock &sum, Evaluator &evaluate);
  void takeLoaded(const Step &step, Phase &phase);
  double productShare(const Step &step, Evaluator &evaluate) const;
  double secondsOf(const Phase &phase) const;
  Bytes bytesOf(const Access &access, const Tile &tile, Evaluator &evaluate) const;

  double instructions = 0; // of the block
  const Work &work;
  const Cpu &cpu;
  const CpuSources &sources;
  const llvm::DenseMap<unsigned, double> &kept;
  llvm::DenseMap<unsigned, Bytes> loaded;    // bytes of a value that no loop has read so far
  llvm::DenseMap<unsigned, size_t> producer; // the phase of the region that makes a value
};

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_CPUBLOCK_H
