/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module of Tile IR compiled and launched by a program in C: the installed header, library and CMake package are all
 * that it needs. The module is that of kernels/vector_add, and the target any that the library has:
 *
 *   tilewright compile kernels/vector_add/kernel.py:vector_add_kernel --emit=tilebc -o add.tilebc \
 *       --signature 'float32[::1], float32[::1], float32[::1], 4096'
 *   cmake -S examples -B embed -DCMAKE_PREFIX_PATH=$(tilewright prefix) && cmake --build embed
 *   embed/embed add.tilebc cpu && embed/embed add.tilebc nvidia
 */
#include <tilewright.h>

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 100000, TILE = 4096 };

static void check(tilewright_error *error) {
  if (!error)
    return;
  fprintf(stderr, "error %d: %s\n", tilewright_error_status(error), tilewright_error_message(error));
  exit(1);
}

int main(int argc, char **argv) {
  static char module[1 << 20];
  static float host[LENGTH];
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return fprintf(stderr, "usage: embed MODULE TARGET\n"), 2;
  size_t size = fread(module, 1, sizeof(module), file);
  fclose(file);

  tilewright_session *session;
  tilewright_entry *add;
  check(tilewright_session_open(argv[2], &session));
  check(tilewright_entry_load(session, module, size, NULL, &add));
  printf("%s (%s) has %zu parameters\n", tilewright_entry_name(add), tilewright_entry_origin(add),
         tilewright_entry_num_parameters(add));

  void *arrays[3]; /* x, y, out */
  for (int i = 0; i < LENGTH; ++i)
    host[i] = (float)i;
  for (int i = 0; i < 3; ++i) {
    check(tilewright_memory_allocate(session, sizeof(host), &arrays[i]));
    check(tilewright_memory_write(session, arrays[i], host, sizeof(host)));
  }
  int32_t length = LENGTH, stride = 1; /* an array is its address, extents and strides */
  void *values[] = {&arrays[0], &length, &stride, &arrays[1], &length, &stride, &arrays[2], &length, &stride};
  const int64_t grid[3] = {(LENGTH + TILE - 1) / TILE, 1, 1};
  check(tilewright_entry_launch(add, grid, values, sizeof(values) / sizeof(*values), NULL));
  check(tilewright_memory_read(session, host, arrays[2], sizeof(host)));
  for (int i = 0; i < LENGTH; ++i)
    if (host[i] != 2 * (float)i)
      return fprintf(stderr, "out[%d] is %g\n", i, host[i]), 1;
  printf("%d sums are right\n", LENGTH);

  tilewright_error *error = tilewright_entry_load(session, module, size / 2, NULL, &add); /* half of the file */
  printf("status %d: %s\n", tilewright_error_status(error), tilewright_error_message(error));
  tilewright_error_free(error);
  tilewright_session_close(session);
  return 0;
}
