// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_WORK_DESCRIBESCALARS_H
#define TILEWRIGHT_TILEAS_WORK_DESCRIBESCALARS_H

#include "tileaa/analysis/DescribeScalars.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// Those of a kernel for a GPU, with parameters and descriptors that the launcher adds.
class DescribeScalars : public tileaa::DescribeScalars {
public:
  DescribeScalars(mlir::func::FuncOp function, predict::Scalars &scalars);

  using tileaa::DescribeScalars::of;
  using tileaa::DescribeScalars::viewOf;
  predict::ScalarId of(const LaunchValue &value);
  View viewOf(TmaDescAttr desc);

protected:
  std::optional<predict::ScalarId> makeOfOther(mlir::OpResult value) override;
};

} // namespace tilewright::tileas

#endif
