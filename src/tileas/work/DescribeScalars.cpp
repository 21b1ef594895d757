// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/DescribeScalars.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using predict::ScalarId;

static unsigned firstHiddenOf(func::FuncOp function) {
  return function.getNumArguments() - tmaDescsOf(function).size();
}

static unsigned firstGridOf(func::FuncOp function) {
  CtaAttr cta = ctaOf(function);
  unsigned firstHidden = firstHiddenOf(function);
  return cta && cta.getBlocksPerSm() && firstHidden >= 3 ? firstHidden - 3 : firstHidden;
}

DescribeScalars::DescribeScalars(func::FuncOp function, predict::Scalars &scalars)
    : tileaa::DescribeScalars(function, scalars, firstGridOf(function), firstHiddenOf(function)) {}

ScalarId DescribeScalars::of(const LaunchValue &value) {
  return value.parameter ? of(function.getArgument(*value.parameter)) : scalars.constant(value.constant);
}

DescribeScalars::View DescribeScalars::viewOf(TmaDescAttr desc) {
  View result{of(desc.getBase()), {}, {}};
  for (const LaunchValue &extent : desc.getShape())
    result.shape.push_back(of(extent));
  for (const LaunchValue &stride : desc.getStrides())
    result.strides.push_back(of(stride));
  return result;
}

// A block of a cluster: which one, how many there are, and its number there.
std::optional<ScalarId> DescribeScalars::makeOfOther(OpResult value) {
  using predict::ScalarKind;
  if (!isa<ClusterOp>(value.getOwner()))
    return std::nullopt;
  ScalarId size = scalars.constant(clusterOf(function)), block = scalars.make(ScalarKind::BlockId);
  if (value.getResultNumber() == 1)
    return scalars.make(ScalarKind::DivU, 0, {scalars.make(ScalarKind::Blocks), size}, 32);
  return scalars.make(value.getResultNumber() == 0 ? ScalarKind::DivU : ScalarKind::RemU, 0, {block, size}, 32);
}
