// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime of programs in C: the launch of a grid on threads, and what kernels call. It is in the header of every
// library or object that `tilewright compile` writes; one source file of a program defines
// TILEWRIGHT_RUNTIME_IMPLEMENTATION before it includes that header. A program may also define tilewright_print and
// tilewright_assert_fail itself and call kernels as it likes.
#include "abi/CFormat.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

// All tasks of a launch.
struct tilewright_launch_state {
  tilewright_kernel kernel;
  void **args;
  int64_t grid[3], blocks, next;
  size_t scratchBytes;
  int threads, failed, noMemory;
  struct tilewright_failure *failure;
  pthread_mutex_t mutex;
};

// The `context` of a running kernel.
struct tilewright_task {
  struct tilewright_launch_state *launch;
  jmp_buf onFailure;
};

static pthread_mutex_t tilewright_print_mutex = PTHREAD_MUTEX_INITIALIZER;

static void tilewright_put_stdout(void *self, const char *text, size_t size) {
  (void)self;
  fwrite(text, 1, size, stdout);
}

// One call's text stays together; texts of different threads come as they come.
void tilewright_print(void *context, const char *format, int64_t numArgs, const struct tilewright_print_arg *args) {
  const struct tilewright_sink sink = {tilewright_put_stdout, NULL};
  (void)context;
  pthread_mutex_lock(&tilewright_print_mutex);
  tilewright_format(&sink, format, numArgs, args);
  pthread_mutex_unlock(&tilewright_print_mutex);
}

static void tilewright_write_position(char *text, size_t size, const int64_t *position, int64_t rank) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int64_t i = 0; i < rank && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, i ? ", %lld" : "%lld", (long long)position[i]);
  if (used < size)
    snprintf(text + used, size - used, "]");
}

void tilewright_assert_fail(void *context, const char *message, const char *file, int64_t line, int64_t blockX,
                            int64_t blockY, int64_t blockZ, const int64_t *position, int64_t rank) {
  struct tilewright_task *task = (struct tilewright_task *)context;
  if (!task) {
    char where[sizeof(((struct tilewright_failure *)NULL)->position)];
    tilewright_write_position(where, sizeof(where), position, rank);
    fprintf(stderr, "%s:%lld: tile block: [%lld, %lld, %lld], position: %s: %s\n", file, (long long)line,
            (long long)blockX, (long long)blockY, (long long)blockZ, where, message);
    fflush(NULL); // shows earlier output
    abort();
  }
  struct tilewright_launch_state *launch = task->launch;
  pthread_mutex_lock(&launch->mutex);
  launch->failed = 1;
  if (launch->failure) {
    // Of several blocks that fail, the lowest is told.
    struct tilewright_failure *known = launch->failure;
    const int64_t order = blockX + launch->grid[0] * (blockY + launch->grid[1] * blockZ);
    const int64_t before = known->block[0] + launch->grid[0] * (known->block[1] + launch->grid[1] * known->block[2]);
    if (known->block[0] < 0 || order < before) {
      snprintf(known->message, sizeof(known->message), "%s", message);
      snprintf(known->file, sizeof(known->file), "%s", file);
      known->line = line;
      known->block[0] = blockX;
      known->block[1] = blockY;
      known->block[2] = blockZ;
      tilewright_write_position(known->position, sizeof(known->position), position, rank);
    }
  }
  pthread_mutex_unlock(&launch->mutex);
  longjmp(task->onFailure, 1);
}

// The next run of blocks: long at first, short at last, so that uneven blocks even out. Runs are handed out in order,
// so a block may wait for a lower-numbered one.
static int tilewright_claim(struct tilewright_launch_state *launch, int64_t *first, int64_t *last) {
  pthread_mutex_lock(&launch->mutex);
  const int64_t rest = launch->blocks - launch->next;
  const int64_t share = launch->threads == 1 ? rest : rest / (2 * launch->threads);
  const int stop = launch->failed || launch->noMemory || rest <= 0;
  *first = launch->next;
  *last = *first + (share > 1 ? share : 1);
  if (!stop)
    launch->next = *last;
  pthread_mutex_unlock(&launch->mutex);
  return !stop;
}

static void *tilewright_work(void *argument) {
  struct tilewright_launch_state *launch = (struct tilewright_launch_state *)argument;
  char *const scratch = (char *)aligned_alloc(64, (launch->scratchBytes + 63) / 64 * 64);
  if (!scratch) {
    pthread_mutex_lock(&launch->mutex);
    launch->noMemory = 1;
    pthread_mutex_unlock(&launch->mutex);
    return NULL;
  }
  memset(scratch, 0, TILEWRIGHT_SCRATCH_STATE_BYTES);
  struct tilewright_task task;
  task.launch = launch;
  if (!setjmp(task.onFailure)) {
    int64_t first, last;
    while (tilewright_claim(launch, &first, &last))
      launch->kernel(launch->args, launch->grid[0], launch->grid[1], launch->grid[2], first, last, scratch, &task);
  }
  free(scratch);
  return NULL;
}

int tilewright_launch(tilewright_kernel kernel, void **args, int64_t gridX, int64_t gridY, int64_t gridZ,
                      size_t scratchBytes, int threads, struct tilewright_failure *failure) {
  struct tilewright_launch_state launch;
  memset(&launch, 0, sizeof(launch));
  launch.kernel = kernel;
  launch.args = args;
  launch.grid[0] = gridX;
  launch.grid[1] = gridY;
  launch.grid[2] = gridZ;
  launch.blocks = gridX * gridY * gridZ;
  launch.scratchBytes = scratchBytes;
  launch.failure = failure;
  if (failure)
    failure->block[0] = -1;
  if (threads <= 0)
    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (threads > launch.blocks)
    threads = (int)launch.blocks;
  launch.threads = threads < 1 ? 1 : threads;
  pthread_mutex_init(&launch.mutex, NULL);

  // This thread works too. Fewer threads than asked for take longer, and that is all.
  pthread_t *const others = (pthread_t *)malloc(sizeof(pthread_t) * (size_t)launch.threads);
  int started = 0;
  while (others && started + 1 < launch.threads && !pthread_create(&others[started], NULL, tilewright_work, &launch))
    ++started;
  tilewright_work(&launch);
  for (int i = 0; i < started; ++i)
    pthread_join(others[i], NULL);
  free(others);
  pthread_mutex_destroy(&launch.mutex);
  return launch.failed ? 1 : launch.noMemory ? 2 : 0;
}

#ifdef __cplusplus
extern "C" {
#endif

// Conversions that code for old machines calls and old compilers' libraries lack. The narrow float travels in the low
// bits of the register that a float does.
static float tilewright_in_register(uint16_t bits) {
  const uint32_t wide = bits;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

#define TILEWRIGHT_FLOAT_CALL(name, type, result)                                                                      \
  __attribute__((weak)) float name(type value);                                                                        \
  __attribute__((weak)) float name(type value) {                                                                       \
    return result;                                                                                                     \
  }
TILEWRIGHT_FLOAT_CALL(__truncsfhf2, float, tilewright_in_register(tilewright_narrow(value, 5, 10)))
TILEWRIGHT_FLOAT_CALL(__truncdfhf2, double, tilewright_in_register(tilewright_narrow(value, 5, 10)))
TILEWRIGHT_FLOAT_CALL(__truncsfbf2, float, tilewright_in_register(tilewright_narrow(value, 8, 7)))
TILEWRIGHT_FLOAT_CALL(__truncdfbf2, double, tilewright_in_register(tilewright_narrow(value, 8, 7)))
#undef TILEWRIGHT_FLOAT_CALL

__attribute__((weak)) float __extendhfsf2(float value);
__attribute__((weak)) float __extendhfsf2(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return tilewright_widen_half((uint16_t)bits);
}

#ifdef __cplusplus
}
#endif
