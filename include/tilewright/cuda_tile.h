// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA Tile C++: tiles, shapes and the functions on them, in the namespace cuda::tiles. `tilewright-c++` compiles
// kernels that include this header, for CPUs and GPUs; docs/cpp.md is the guide. The header needs C++20 and of the
// standard library <cstdint>, <initializer_list> and <type_traits> only.
#ifndef TILEWRIGHT_CUDA_TILE_H
#define TILEWRIGHT_CUDA_TILE_H

#pragma GCC system_header

#include "cuda_tile/annotations.h"
#include "cuda_tile/arithmetic.h"
#include "cuda_tile/assume.h"
#include "cuda_tile/atomics.h"
#include "cuda_tile/constants.h"
#include "cuda_tile/extents.h"
#include "cuda_tile/irange.h"
#include "cuda_tile/math.h"
#include "cuda_tile/matrix.h"
#include "cuda_tile/memory.h"
#include "cuda_tile/modifiers.h"
#include "cuda_tile/numbers.h"
#include "cuda_tile/promotion.h"
#include "cuda_tile/reduce.h"
#include "cuda_tile/shapes.h"
#include "cuda_tile/span.h"
#include "cuda_tile/tile.h"
#include "cuda_tile/views.h"

#endif // TILEWRIGHT_CUDA_TILE_H
