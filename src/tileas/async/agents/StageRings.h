// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_AGENTS_STAGERINGS_H
#define TILEWRIGHT_TILEAS_ASYNC_AGENTS_STAGERINGS_H

#include "machine/Architecture.h"
#include "tileas/async/agents/ProducerGroups.h"

namespace tilewright::tileas {

/// A pipeline, which groups have one after another: none is inside of another's block, so that both agents come to them
/// in one order.
struct Ring {
  llvm::SmallVector<BufferType> buffers;
  // The ones that threads fill: the same threads arrive at a stage in each round.
  llvm::SmallVector<bool> byThreads;
  llvm::SmallVector<mlir::Block *> blocks;
  // A tile that is loaded before the loops that read it, or once, has one stage. Where a loop over tile blocks is
  // around that, it has two if there is room: the producer loads it for the next tile block while this one is computed
  // with.
  bool isOnce, isRepeated;
  mlir::Value pipeline;
  int64_t onceStages = 1;

  PipelineType type(int64_t stages) const {
    return PipelineType::get(buffers.front().getContext(), isOnce ? onceStages : stages, buffers);
  }
  bool takes(const ProducerGroup &group, llvm::ArrayRef<BufferType> types, bool once) const;
};

/// Gives every group a ring.
std::vector<Ring> shareRings(llvm::MutableArrayRef<ProducerGroup> groups);

/// The number of stages of the pipelines of loops, the same for all: `most`, or more where the hint `latency` of a load
/// requests it, within the shared memory of a CTA of as many `blocks` of a multiprocessor. None if there is no room for
/// two. Tiles that are loaded once for a tile block have two stages beside as many of the loops.
std::optional<int64_t> countStages(mlir::func::FuncOp function, const nvidia::Architecture &architecture,
                                   llvm::ArrayRef<ProducerGroup> groups, llvm::MutableArrayRef<Ring> rings,
                                   int64_t most, int64_t blocks);

} // namespace tilewright::tileas

#endif
