// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/DescribeControl.h"

#include "support/Diagnostics.h"

using namespace mlir;
using namespace tilewright;
using predict::ScalarKind;
using predict::Step;

Step tileaa::describeFor(scf::ForOp loop, DescribeScalars &scalars, unsigned depth) {
  Step step;
  step.kind = Step::Kind::Loop;
  step.first = scalars.of(loop.getLowerBound());
  step.last = scalars.of(loop.getUpperBound());
  step.step = scalars.of(loop.getStep());
  step.variable = scalars.addVariable(loop.getInductionVar(), depth);
  step.place = "loop" + placeText(loop.getLoc());
  return step;
}

Step tileaa::describeWhile(scf::WhileOp loop, predict::Scalars &scalars, unsigned depth) {
  Step step;
  step.kind = Step::Kind::Loop;
  step.first = step.last = step.step = scalars.make(ScalarKind::Mix, 1);
  step.variable = scalars.make(ScalarKind::Variable, depth);
  step.place = "loop" + placeText(loop.getLoc());
  return step;
}

Step tileaa::describeIf(scf::IfOp branch, DescribeScalars &scalars) {
  Step step;
  step.kind = Step::Kind::Branch;
  step.first = scalars.of(branch.getCondition());
  return step;
}
