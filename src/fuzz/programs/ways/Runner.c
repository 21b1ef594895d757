/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * runner JOB LIBRARY ENTRY: runs a kernel of a library on the arrays of a job, for a processor that is emulated. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "fuzz/programs/ways/Job.h"

#include "abi/CLaunch.h"

static int fail(const char *what, const char *why) {
  fprintf(stderr, "runner: %s: %s\n", what, why ? why : "failed");
  return 2;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return fail("expected JOB LIBRARY ENTRY", "found other arguments");
  const int file = open(argv[1], O_RDWR);
  struct stat about;
  if (file < 0 || fstat(file, &about))
    return fail(argv[1], "cannot be read");
  char *const memory = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return fail(argv[1], "cannot be mapped");
  void *const library = dlopen(argv[2], RTLD_NOW);
  if (!library)
    return fail(argv[2], dlerror());
  tilewright_kernel kernel;
  *(void **)&kernel = dlsym(library, argv[3]);
  if (!kernel)
    return fail(argv[3], dlerror());

  struct tilewright_job *const job = (struct tilewright_job *)memory;
  const struct tilewright_job_argument *const arguments = (const struct tilewright_job_argument *)(job + 1);
  uint64_t *const values = calloc((size_t)job->numArgs + 1, sizeof(uint64_t));
  void **const args = calloc((size_t)job->numArgs + 1, sizeof(void *));
  if (!values || !args)
    return fail(argv[1], "has too many arguments");
  for (int64_t i = 0; i < job->numArgs; ++i) {
    values[i] = arguments[i].isArray ? (uint64_t)(memory + arguments[i].value) : arguments[i].value;
    args[i] = &values[i];
  }
  job->status = tilewright_launch(kernel, args, job->grid[0], job->grid[1], job->grid[2], (size_t)job->scratchBytes,
                                  (int)job->threads, &job->failure);
  free(values);
  free(args);
  return 0;
}
