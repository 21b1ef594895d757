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
