// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_CLUSTERS_SPLITSUMS_H
#define TILEWRIGHT_TILEAS_PLAN_CLUSTERS_SPLITSUMS_H

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// The loop with the products of warpgroups, of which the function has one.
mlir::scf::ForOp loopOfProducts(mlir::func::FuncOp function);

/// Why CTAs cannot divide the iterations of the loop among them, as the end of a sentence; empty where they can.
std::string obstacleToSplit(mlir::scf::ForOp loop);

/// Where an exchange is made, and the numbers of a CTA in its cluster and of a tile block among those of the cluster.
struct SplitPlace {
  mlir::Operation *before;
  mlir::Value rank, round;
  int64_t split;
};

/// Each CTA of a cluster adds up the products of a part of the iterations; their sums are added by pairs, those of
/// pairs by pairs, until the CTA of rank 0 has all:
///
///   %sums = scf.for %k = %0 to %n step %1        %part = scf.for %k = %first to %last step %1     // by rank
///     ...                                   -->    ...
///   store %sums                                  %pair = tileas.cluster_sum %part through %x round %round
///                                                %sums = tileas.cluster_sum %pair through %x round %round distance 2
///                                                store %sums
void splitSums(mlir::scf::ForOp loop, SplitPlace place);

} // namespace tilewright::tileas

#endif
