// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move nothing between threads, or only inside a warp: their operands have to hold there what the
// result needs. Each predicate gives the fault (Verifier.h), which is empty where the lowering has what it needs.
#ifndef TILEWRIGHT_TILEAS_VERIFY_THREADELEMENTS_H
#define TILEWRIGHT_TILEAS_VERIFY_THREADELEMENTS_H

#include "tileas/verify/Verifier.h"

namespace tilewright::tileas {

/// Whether each register of a tile with the layout `result` is one that the same thread has by `source`. Missing lanes
/// and warps hold copies.
bool picksFrom(const layout::LinearLayout &source, const layout::LinearLayout &result);

// Inside a thread.
Fault faultOf(tileaa::BroadcastOp broadcast);
Fault faultOf(tileaa::ReshapeOp reshape);
Fault faultOf(tileaa::PermuteOp permute);
Fault faultOf(SplitWarpsOp split);
Fault faultOf(tileaa::CatOp cat);
Fault faultOf(tileaa::ExtractOp extract);
Fault faultOf(tileaa::InsertOp insert);

// Inside a warp.
Fault faultOf(tileaa::ReduceOp reduce);
Fault faultOf(tileaa::ScanOp scan);
Fault faultOf(ConvertLayoutOp convert);

// In memory.
Fault faultOf(ReadOp read);
Fault faultOf(tileaa::AtomicRmwOp atomic);

} // namespace tilewright::tileas

#endif
