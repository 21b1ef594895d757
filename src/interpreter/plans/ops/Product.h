// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_PLANS_OPS_PRODUCT_H
#define TILEWRIGHT_INTERPRETER_PLANS_OPS_PRODUCT_H

#include "interpreter/plans/Actor.h"

namespace tilewright::plans {

/// The elements of a product's result that the group holds.
void multiply(tileas::MmaOp mma, Actor &actor);

} // namespace tilewright::plans

#endif
