// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_DESCRIBECONTROL_H
#define TILEWRIGHT_TILEAA_ANALYSIS_DESCRIBECONTROL_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "predict/Work.h"
#include "tileaa/analysis/DescribeScalars.h"

namespace tilewright::tileaa {

/// Steps for control flow without their regions, of a loop inside of `depth` others.
predict::Step describeFor(mlir::scf::ForOp loop, DescribeScalars &scalars, unsigned depth);
/// Its regions count once: how often it runs depends on data.
predict::Step describeWhile(mlir::scf::WhileOp loop, predict::Scalars &scalars, unsigned depth);
predict::Step describeIf(mlir::scf::IfOp branch, DescribeScalars &scalars);

} // namespace tilewright::tileaa

#endif // TILEWRIGHT_TILEAA_ANALYSIS_DESCRIBECONTROL_H
