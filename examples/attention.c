/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Causal attention of kernels/attention/kernel.py in a program without Python. The kernel is compiled once, for any
 * machine of the level given, and is then an object and a header like any other:
 *
 *   tilewright compile kernels/attention/kernel.py:attention_kernel --emit=obj -o attention_kernel.o \
 *       --target=cpu:x86-64-v3 \
 *       --signature 'float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32, 2, True, 64, 64, 64'
 *   cc -O2 -I. examples/attention.c attention_kernel.o -lm -pthread -o attention
 *   ./attention
 *
 * --emit=so -o attention_kernel.so makes a library instead: put it in place of the object, with -Wl,-rpath,. as well.
 */
#define TILEWRIGHT_RUNTIME_IMPLEMENTATION /* in one source file of a program */
#include "attention_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 1, HEADS = 4, KV_HEADS = 2, LENGTH = 300, SIZE = 64, TILE_Q = 64 };

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static float *random_values(size_t count) {
  float *values = malloc(count * sizeof(float));
  for (size_t i = 0; values && i < count; ++i)
    values[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
  return values;
}

/* One row of the result, as the definition has it. */
static void naive(const float *q, const float *k, const float *v, int row, double *out) {
  double weights[LENGTH], total = 0, highest = -INFINITY;
  for (int key = 0; key <= row; ++key) {
    double score = 0;
    for (int d = 0; d < SIZE; ++d)
      score += (double)q[row * SIZE + d] * k[key * SIZE + d];
    weights[key] = score / sqrt((double)SIZE);
    highest = fmax(highest, weights[key]);
  }
  for (int key = 0; key <= row; ++key)
    total += weights[key] = exp(weights[key] - highest);
  for (int d = 0; d < SIZE; ++d) {
    out[d] = 0;
    for (int key = 0; key <= row; ++key)
      out[d] += weights[key] / total * v[key * SIZE + d];
  }
}

int main(void) {
  const int matrix = LENGTH * SIZE;
  float *q = random_values((size_t)BATCH * HEADS * matrix), *out = random_values((size_t)BATCH * HEADS * matrix);
  float *k = random_values((size_t)BATCH * KV_HEADS * matrix), *v = random_values((size_t)BATCH * KV_HEADS * matrix);
  if (!q || !k || !v || !out)
    return 2;

  /* An array is its address, its extents and its strides, counted in elements. */
  const float scale = (float)(1 / sqrt((double)SIZE) / log(2.0)); /* the kernel works with powers of two */
  const int64_t grid_x = (LENGTH + TILE_Q - 1) / TILE_Q;
  struct tilewright_failure failure;
  const double begin = seconds();
  int status = attention_kernel_launch(
      q, BATCH, HEADS, LENGTH, SIZE, HEADS * matrix, matrix, SIZE, 1,       /* */
      k, BATCH, KV_HEADS, LENGTH, SIZE, KV_HEADS * matrix, matrix, SIZE, 1, /* */
      v, BATCH, KV_HEADS, LENGTH, SIZE, KV_HEADS * matrix, matrix, SIZE, 1, /* */
      out, BATCH, HEADS, LENGTH, SIZE, HEADS * matrix, matrix, SIZE, 1,     /* */
      scale, grid_x, HEADS, BATCH, /*threads=*/0, &failure);
  const double end = seconds();
  if (status) {
    fprintf(stderr, "the launch failed: %s\n", status == 1 ? failure.message : "no memory");
    return 2;
  }

  double worst = 0;
  for (int head = 0; head < HEADS; ++head) {
    const int kv_head = head / (HEADS / KV_HEADS);
    for (int row = 0; row < LENGTH; ++row) {
      double expected[SIZE];
      naive(q + head * matrix, k + kv_head * matrix, v + kv_head * matrix, row, expected);
      for (int d = 0; d < SIZE; ++d)
        worst = fmax(worst, fabs(expected[d] - out[head * matrix + row * SIZE + d]));
    }
  }
  printf("%d heads, %d positions: %.2f ms, largest error %.1e\n", HEADS, LENGTH, (end - begin) * 1e3, worst);
  free(q);
  free(k);
  free(v);
  free(out);
  return worst < 1e-5 ? 0 : 1;
}
