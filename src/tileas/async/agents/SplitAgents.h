// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_AGENTS_SPLITAGENTS_H
#define TILEWRIGHT_TILEAS_ASYNC_AGENTS_SPLITAGENTS_H

#include "tileas/async/ProducerSlice.h"
#include "tileas/async/agents/StageRings.h"

namespace tilewright::tileas {

/// A function's body becomes two agents: a producer with the groups' loads and the operations that these need, and the
/// consumers, which read the tiles from the stages of the rings' pipelines.
void splitAgents(mlir::func::FuncOp function, const nvidia::Architecture &architecture,
                 llvm::MutableArrayRef<ProducerGroup> groups, llvm::MutableArrayRef<Ring> rings,
                 const ProducerSlice &slice, int64_t stages);

/// The registers that a thread of the producer is to keep; one of a gatherer has addresses.
/// Registers of a thread of the producer. Those of threads that fill buffers are `forLoads`, or 0 where none does.
int32_t registersOfProducer(mlir::func::FuncOp function, int32_t forLoads);
int32_t registersForLoads(llvm::ArrayRef<ProducerGroup> groups);

} // namespace tilewright::tileas

#endif
