// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked mode: monitors an interpreted launch and collects violations of its program. The launch continues after a
// finding; an illegal access is skipped.
//
//   Checker checker(buffers);        // the memory behind the pointers among the arguments
//   Options options;
//   options.monitor = &checker;
//   interpreter.launch("scale", grid, args, options);
//   std::string text = checker.report();      // empty if the program is clean
#ifndef TILEWRIGHT_INTERPRETER_CHECK_CHECKER_H
#define TILEWRIGHT_INTERPRETER_CHECK_CHECKER_H

#include "interpreter/Monitor.h"
#include "interpreter/check/MemoryMap.h"
#include "interpreter/check/RaceDetector.h"
#include "interpreter/check/Report.h"

namespace tilewright::interpreter {

// An array argument.
struct CheckedArray : Buffer {
  // The kernel may write to it; compilers assume that such an array is disjoint from all others.
  bool isWritten = false;
  // Arrays with a name in common were declared to overlap.
  llvm::SmallVector<std::string, 1> aliasGroups;
};

class Checker : public Monitor {
public:
  explicit Checker(llvm::ArrayRef<CheckedArray> arrays);
  ~Checker() override;

  // Also after a launch that ended early. Empty if nothing was found.
  std::string report(const SourceText &known = {});
  const Report &findings();
  // The number of findings so far.
  size_t count() const { return found.size() + (racesSaid ? 0 : races.races().size()); }

  void beginLaunch(cuda_tile::EntryOp entry, llvm::ArrayRef<Value> arguments, std::array<int64_t, 3> grid) override;
  void beginBlock(std::array<int64_t, 3> block) override;
  llvm::Error beforeOp(mlir::Operation *op, Context &context) override;
  llvm::Error afterOp(mlir::Operation *op, Context &context) override;
  uint64_t makeToken() override;
  uint64_t joinTokens(llvm::ArrayRef<uint64_t> tokens) override;
  uint64_t tokenAfter(mlir::Operation *op, std::optional<uint64_t> token) override;
  bool access(const Access &access, std::optional<uint64_t> token) override;
  void allocated(mlir::Operation *op, uint64_t address, uint64_t bytes) override;
  void released(uint64_t address, uint64_t bytes) override;
  void undefinedElements(mlir::Operation *op, llvm::ArrayRef<int64_t> elements) override;
  void violated(mlir::Operation *op, Violation violation, const llvm::Twine &what) override;

private:
  void reportOverlaps(mlir::Operation *entry);
  void reportRaces();
  void reportOutside(const Access &access);
  // Reports the use of an undefined element of the tile; `element` is its row-major number.
  void reportUse(mlir::Operation *op, const Tile &tile, int64_t element, const llvm::Twine &use);
  void requireDefined(mlir::Operation *op, mlir::ValueRange values, Context &context, const llvm::Twine &use);
  uint32_t placeOf(mlir::Operation *op);
  std::string inBlock(uint32_t block) const;

  llvm::SmallVector<CheckedArray> arrays;
  MemoryMap memory;
  ByteMap unwritten; // of allocas: a mark for bytes that were not written
  bool hasAllocas = false;
  RaceDetector races;
  std::vector<std::string> raceElements; // where each race was found
  bool racesSaid = false;
  Report found;

  std::array<int64_t, 3> grid = {1, 1, 1};
  uint32_t block = 0;
  llvm::DenseMap<mlir::Operation *, uint32_t> places;
  std::vector<mlir::Operation *> operations; // by place

  // Of the memory operation that runs.
  struct Current {
    Touched touched;
    Access last;
    const Tile *pointers = nullptr, *value = nullptr; // only if they have undefined elements
    llvm::SmallVector<int64_t> undefined;             // of the result
    mlir::Operation *origin = nullptr;                // of these
  } current;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_CHECKER_H
