// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of the CUDA toolkit's header of that name, for sources that include it. It stands before the toolkit's:
// tile code computes with our classes.
#ifndef TILEWRIGHT_CUDA_FP16_H
#define TILEWRIGHT_CUDA_FP16_H

#pragma GCC system_header

#include "cuda_tile/number_functions.h"

#endif // TILEWRIGHT_CUDA_FP16_H
