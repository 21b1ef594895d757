// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: not tilewright-c++ --emit=cuda_tile %t/narrows.cpp 2>&1 | FileCheck %s --check-prefix=NARROWS
// RUN: not tilewright-c++ --emit=cuda_tile %t/shapes.cpp 2>&1 | FileCheck %s --check-prefix=SHAPES
// RUN: not tilewright-c++ --emit=cuda_tile %t/class.cpp 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: not tilewright-c++ --emit=cuda_tile %t/recursion.cpp 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not tilewright-c++ --emit=cuda_tile %t/undefined.cpp 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// RUN: not tilewright-c++ --emit=cuda_tile %t/host.cpp 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not tilewright-c++ --emit=cuda_tile %t/jump.cpp 2>&1 | FileCheck %s --check-prefix=JUMP
// RUN: not tilewright-c++ --emit=cuda_tile %t/result.cpp 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tilewright-c++ --emit=cuda_tile %t/extents.cpp 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not tilewright-c++ --emit=cuda_tile -std=c++17 %t/shapes.cpp 2>&1 | FileCheck %s --check-prefix=STD
// RUN: not tilewright-c++ --emit=nothing %t/good.cpp 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tilewright-c++ --emit=cuda_tile 2>&1 | FileCheck %s --check-prefix=NOFILE

// STD: CUDA Tile C++ needs C++20: compile with -std=c++20
// LEVEL: nothing
// NOFILE: tilewright-c++: error: no file given; --help lists the options

//--- good.cpp
#include <cuda_tile.h>
__tile_global__ void k(int *p) { *p = 1; }

//--- narrows.cpp
#include <cuda_tile.h>
namespace ct = cuda::tiles;
__tile_global__ void k(float *p) {
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>() + ct::bid().x;
  // NARROWS: narrows.cpp:4:52: error: overload resolution selected deleted operator '+': an operand does not convert to the element type of the operation without loss
}

//--- shapes.cpp
#include <cuda_tile.h>
namespace ct = cuda::tiles;
__tile_global__ void k(float *p) {
  auto i = ct::zeros<ct::tile<int, ct::shape<8>>>() * ct::zeros<ct::tile<int, ct::shape<4>>>();
  // SHAPES: shapes.cpp:4:53: error: overload resolution selected deleted operator '*': the shapes do not broadcast
}

//--- class.cpp
#include <cuda_tile.h>
struct P { int x; };
// CLASS: class.cpp:4:26: error: the parameter 'p' of a kernel has type 'P', but kernels take numbers, enumerations and pointers
__tile_global__ void k(P p) {}

//--- recursion.cpp
#include <cuda_tile.h>
__tile__ int f(int x) { return x ? f(x - 1) : 0; }
// RECURSION: recursion.cpp:2:36: error: tile code cannot call 'f' recursively
// RECURSION: recursion.cpp:5:46: note: called from here, in 'k'
__tile_global__ void k(int *p, int n) { *p = f(n); }

//--- undefined.cpp
#include <cuda_tile.h>
int f(int x);
// UNDEFINED: undefined.cpp:4:46: error: the function 'f' has no definition in this translation unit
__tile_global__ void k(int *p, int n) { *p = f(n); }

//--- host.cpp
#include <cuda_tile.h>
int counter;
// HOST: host.cpp:4:39: error: 'counter' is a variable of the host
__tile_global__ void k(int *p) { *p = counter; }

//--- jump.cpp
#include <cuda_tile.h>
__tile_global__ void k(int *p) {
again:
  // JUMP: jump.cpp:5:3: error: tile code cannot have goto
  goto again;
}

//--- result.cpp
#include <cuda_tile.h>
// RESULT: result.cpp:3:21: error: the kernel 'k' has to return void
__tile_global__ int k(int *p) { return 1; }

//--- extents.cpp
#include <cuda_tile.h>
// EXTENTS: the extents of a tile are powers of two
__tile_global__ void k(int *p) { cuda::tiles::tile<int, cuda::tiles::shape<3>> t; }
