// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tiles ROWS x COLUMNS by DOWN x ACROSS warps on tensor cores. STAGES tiles of DEPTH elements of K are in
// shared memory, all but one of them under way. Weights of other forms pass through registers, where they become bf16.
#pragma once
#include "forms.cuh"
#include "tiles.cuh"

constexpr int THREADS = DOWN * ACROSS * 32;
constexpr int A_PITCH = DEPTH + PADDING;
constexpr int B_ROWS = TURNED ? DEPTH : COLUMNS, B_WIDTH = TURNED ? COLUMNS : DEPTH, B_PITCH = B_WIDTH + PADDING;
constexpr int A_COPIES = ROWS * DEPTH / 8 / THREADS, B_COPIES = COLUMNS * DEPTH / 8 / THREADS;
constexpr int M = ROWS / DOWN / 16, N = COLUMNS / ACROSS / 8;
static_assert(ROWS * DEPTH / 8 % THREADS == 0 && COLUMNS * DEPTH / 8 % THREADS == 0, "every thread has as many copies");

// Eight elements of x and of the weight for each of a thread's copies, by places in a tile [rows, WIDTH].
template <int COPIES, int WIDTH> struct Copies {
  const unsigned char *from[COPIES];

  static DEVICE int row(int copy) { return (copy * THREADS + threadIdx.x) / (WIDTH / 8); }
  static DEVICE int column(int copy) { return (copy * THREADS + threadIdx.x) % (WIDTH / 8) * 8; }
};

struct Operands {
  Copies<A_COPIES, DEPTH> x;  // at the first element of K
  Copies<B_COPIES, B_WIDTH> weight;
  const float *scales[B_COPIES];  // of int4: a row's
  int columns;                    // of the weight that exist from the first one of the tile, with TURNED
  long stride;                    // between steps of K, with TURNED
  int begin, end, group;          // elements of K, and how many share a scale of int4
};

struct Pipeline {
  const Operands &operands;
  bf16 *a_tiles, *b_tiles;
  Pack<unsigned, BITS / 4> raw[B_COPIES];
  float scales[B_COPIES];

  DEVICE Pipeline(const Operands &operands, unsigned char *memory)
      : operands(operands), a_tiles(reinterpret_cast<bf16 *>(memory)), b_tiles(a_tiles + STAGES * ROWS * A_PITCH) {}

  DEVICE bf16 *b_place(int stage, int i) const {
    return b_tiles + (stage * B_ROWS + operands.weight.row(i)) * B_PITCH + operands.weight.column(i);
  }

  // Begins to load the tile at k.
  DEVICE void begin(int stage, int k) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      bool inside = k + operands.x.column(i) < operands.end;
      copy_async(a_tiles + (stage * ROWS + operands.x.row(i)) * A_PITCH + operands.x.column(i),
                 operands.x.from[i] + (inside ? k * 2l : 0), inside);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i) {
      int row = operands.weight.row(i), column = operands.weight.column(i), along = TURNED ? row : column;
      bool inside = k + along < operands.end && (!TURNED || column < operands.columns);
      const unsigned char *from = operands.weight.from[i];
      if (inside)
        from += bytes_of(TURNED ? k * operands.stride : k);
#if FORM == DENSE
      copy_async(b_place(stage, i), inside ? from : operands.x.from[0], inside);
#else
      raw[i] = inside ? load_pack<unsigned, BITS / 4>(reinterpret_cast<const unsigned *>(from)) : Pack<unsigned, BITS / 4>{};
      scales[i] = FORM == INT4 && inside ? operands.scales[i][(k + column) / operands.group] : 1.0f;
#endif
    }
  }

  // Stores what `begin` loaded into registers.
  DEVICE void end(int stage) {
#if FORM != DENSE
#pragma unroll
    for (int i = 0; i < B_COPIES; ++i)
      *reinterpret_cast<uint4 *>(b_place(stage, i)) = widen(raw[i].at, scales[i]);
#endif
  }

  // total += the products of all K; after(k, total) is called for every tile.
  template <class After> DEVICE void run(float (&total)[M][N][4], After after) {
    int warp = threadIdx.x / 32, row = warp / ACROSS * M * 16, column = warp % ACROSS * N * 8;
    int steps = divide_up(operands.end - operands.begin, DEPTH);
    for (int stage = 0; stage < STAGES - 1; ++stage) {
      if (stage < steps) {
        begin(stage, operands.begin + stage * DEPTH);
        end(stage);
      }
      commit_copies();
    }
    for (int step = 0; step < steps; ++step) {
      wait_copies<STAGES - 2>();
      __syncthreads();  // the tile is there for all, and none reads the one before any more
      int ahead = step + STAGES - 1, stage = step % STAGES;
      if (ahead < steps)
        begin(ahead % STAGES, operands.begin + ahead * DEPTH);
      commit_copies();
      const bf16 *b_tile = b_tiles + stage * B_ROWS * B_PITCH + column * (TURNED ? 1 : B_PITCH);
      multiply_tiles<DEPTH, TURNED>(total, a_tiles + (stage * ROWS + row) * A_PITCH, A_PITCH, b_tile, B_PITCH);
      after(operands.begin + step * DEPTH, total);
      if (ahead < steps)
        end(ahead % STAGES);
    }
  }
};

// Adds sums of a block of 128 to the total, scaled by those of x (of a lane's rows) and of the weight (of its columns).
template <class RowScale, class ColumnScale>
DEVICE void add_block(float (&total)[M][N][4], float (&sums)[M][N][4], RowScale of_row, ColumnScale of_column) {
#pragma unroll
  for (int m = 0; m < M; ++m) {
    float by_row[2] = {of_row(m, 0), of_row(m, 1)};
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        total[m][n][i] += sums[m][n][i] * (by_row[i / 2] * of_column(n));
        sums[m][n][i] = 0.0f;
      }
  }
}

// Where a lane's results lie in the tile: rows for `half` 0 and 1, and the first of two columns.
DEVICE int row_of(int m, int half) {
  return (threadIdx.x / 32 / ACROSS * M + m) * 16 + half * 8 + threadIdx.x % 32 / 4;
}

DEVICE int column_of(int n) { return (threadIdx.x / 32 % ACROSS * N + n) * 8 + threadIdx.x % 4 * 2; }
