// Layouts by name, as tables, and what a conversion takes. docs/layouts.md shows some of these.
// RUN: tilewright-layout mma.m16n8k16.f16.c | FileCheck %s --check-prefix=MMA
// RUN: tilewright-layout tma.8x64.f16.128B | FileCheck %s --check-prefix=TMA
// RUN: tilewright-layout ldmatrix.x1.trans | FileCheck %s --check-prefix=MATRIX
// RUN: tilewright-layout tcgen05.16x64b.x2 | FileCheck %s --check-prefix=TENSOR
// RUN: tilewright-layout '{lane: 1 2, warp: 0} -> 8' | FileCheck %s --check-prefix=COPIES
// RUN: tilewright-layout wgmma.m64n16k16.f16.c --to '{register: (0,1) (8,0) (0,8), lane: (0,2) (0,4) (1,0) (2,0) (4,0), warp: (16,0) (32,0)} -> 64x16' | FileCheck %s --check-prefix=NOTHING
// RUN: tilewright-layout mma.m16n8k16.f16.c --bits=32 --to '{register: (0,1) (0,2), lane: (0,4) (1,0) (2,0) (4,0) (8,0)} -> 16x8' | FileCheck %s --check-prefix=SHUFFLES
// RUN: tilewright-layout wgmma.m64n64k16.f16.c --to blocked.64x64.f16.w4 | FileCheck %s --check-prefix=SHARED
// RUN: not tilewright-layout mma.m16n8k15.f16.a 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tilewright-layout nma 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tilewright-layout rows.8x9 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not tilewright-layout rows.8x8.f16 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: not tilewright-layout rows.8x8 --to rows.8x8 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not tilewright-layout blocked.8x8.f16.w1 --to blocked.8x16.f16.w1 2>&1 | FileCheck %s --check-prefix=TILES

// MMA: {register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8
// MMA:         |  0-1   2-3   4-5   6-7
// MMA-NEXT:  0 |  0.0   1.0   2.0   3.0
// MMA-NEXT:  1 |  4.0   5.0   6.0   7.0
// MMA:       8 |  0.2   1.2   2.2   3.2
// MMA:      15 | 28.2  29.2  30.2  31.2

// TMA: {offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32)} -> 8x64
// TMA:        | 0-7  8-15  16-23  24-31  32-39  40-47  48-55  56-63
// TMA-NEXT: 0 |   0     8     16     24     32     40     48     56
// TMA-NEXT: 1 |  72    64     88     80    104     96    120    112
// TMA:      7 | 504   496    488    480    472    464    456    448

// MATRIX:       0 | 0.0  4.0   8.0  12.0  16.0  20.0  24.0  28.0
// MATRIX-NEXT:  8 | 0.1  4.1   8.1  12.1  16.1  20.1  24.1  28.1
// MATRIX-NEXT: 16 | 1.0  5.0   9.0  13.0  17.0  21.0  25.0  29.0

// TENSOR:      {register: (0,2), lane: (8,0) (0,1) (1,0) (2,0) (4,0)} -> row:16 x column:4
// TENSOR:       0 |  0.0   2.0   0.1   2.1
// TENSOR:       8 |  1.0   3.0   1.1   3.1

// COPIES:    0 | 0/0+  0/1+  0/2+  0/3+  -  -  -  -

// NOTHING: nothing to do
// SHUFFLES: 4 shuffles, 8 selects
// SHARED: 4 stmatrix of 8 elements in 16 wavefronts, 4 ld.shared of 8 elements in 16 wavefronts, 8192 bytes
// SHARED-NEXT: shared memory: {offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (16,0) (32,0) (8,0) (1,8) (2,16) (4,32)} -> 64x64

// SHAPE: layout 'mma.m16n8k15.f16.a': expected a shape that mma.sync has
// NAME: unknown layout 'nma', expected mma, wgmma, ldmatrix, stmatrix, tcgen05, blocked, rows, columns or tma, as in mma.m16n8k16.f16.a, or a layout's text
// POWER: layout 'rows.8x9': expected a shape of powers of two as 8x64
// MORE: layout 'rows.8x8.f16': expected nothing after '8x8'
// MEMORY: a conversion is between layouts over registers, lanes and warps that hold the whole tile
// TILES: the layouts are of tiles of different shapes
