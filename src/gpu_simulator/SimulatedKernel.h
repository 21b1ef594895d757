// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel at the tileas level, prepared to run on the host; all its runs share it.
#ifndef TILEWRIGHT_GPU_SIMULATOR_SIMULATEDKERNEL_H
#define TILEWRIGHT_GPU_SIMULATOR_SIMULATEDKERNEL_H

#include "gpu_simulator/SimulatedValue.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/Image.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::simulator {

/// Few, so that each persistent block processes several tiles, and several blocks have work. A cluster has as many as
/// it has blocks.
constexpr int64_t multiprocessors = 2;

class SimulatedKernel {
public:
  /// The function outlives it. An error names an illegal construct.
  static llvm::Expected<std::unique_ptr<SimulatedKernel>> prepare(mlir::func::FuncOp function);

  mlir::func::FuncOp function;
  /// Groups of warps that hold tiles; whether another actor produces for them.
  unsigned groups = 1, warpsPerGroup = 1;
  bool hasProducer = false;
  /// Of the producer. Where one thread executes it, tiles of it have one element.
  unsigned producerWarps = 0;
  /// Blocks of a cluster, adjacent along x.
  unsigned cluster = 1;
  /// Blocks that work on a tile block.
  unsigned split = 1;
  /// Fewer blocks than the grid has process all of it.
  bool persists = false;
  std::vector<tileas::CreatePipelineOp> pipelines;
  std::vector<tileas::CreateExchangeOp> exchanges;
  int64_t sharedBytes = 0;
  /// Tiles in tensor memory, and the offset of each in one array of bytes.
  std::vector<tileas::TmemAllocOp> tmems;
  llvm::SmallVector<int64_t> tmemOffsets;
  int64_t tmemBytes = 0;
  EntryInfo entry;

  unsigned placeOf(mlir::Value value) const { return places.at(value); }
  unsigned numValues() const { return places.size(); }
  const Holding &holding(mlir::RankedTensorType type, WarpGroup group) { return holdings.of(type, group); }
  /// The offsets assigned to buffers that have none.
  int64_t offsetOf(tileas::AllocOp alloc) const { return offsets.lookup(alloc); }
  int64_t offsetOf(tileas::CreatePipelineOp create) const { return offsets.lookup(create); }
  int64_t offsetOf(tileas::CreateExchangeOp create) const { return offsets.lookup(create); }
  /// The offset in elements of each element of a buffer, by its row-major number.
  llvm::ArrayRef<uint32_t> elementOffsets(tileas::BufferType type);
  /// Data of an operation that is computed once for each group.
  std::vector<int32_t> &indicesFor(mlir::Operation *op, WarpGroup group) { return indices[{op, group.first}]; }
  Tile &constantFor(mlir::Operation *op, WarpGroup group) { return constants[{op, group.first + group.count}]; }

private:
  explicit SimulatedKernel(mlir::func::FuncOp function) : function(function) {}
  void placeBuffers();
  void describeParameters();

  llvm::DenseMap<mlir::Value, unsigned> places;
  llvm::DenseMap<mlir::Operation *, int64_t> offsets;
  llvm::DenseMap<mlir::Type, std::vector<uint32_t>> bufferOffsets;
  Holdings holdings;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::vector<int32_t>> indices;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Tile> constants;
};

} // namespace tilewright::simulator

#endif
