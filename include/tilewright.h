/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tilewright from C: compiles Tile IR, keeps the code in a cache, loads it and launches it, on this machine and on GPUs
 * of NVIDIA. No function exits or throws; each that can fail returns an error, or null.
 *
 *   tilewright_session *session;
 *   tilewright_entry *add;
 *   tilewright_error *error = tilewright_session_open("cpu", &session);
 *   error = tilewright_entry_load(session, bytecode, size, "add", &add);
 *   void *values[] = {&a, &b, &c, &n};
 *   error = tilewright_entry_launch(add, grid, values, 4, NULL);
 *
 * Functions may be called by several threads at once, with the same session and the same entry as well, but what is
 * freed or closed must not be in use. The interface grows only: a function keeps its name and meaning within a major
 * version.
 */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILEWRIGHT_API_VERSION 3

typedef struct tilewright_session tilewright_session;
typedef struct tilewright_compilation tilewright_compilation;
typedef struct tilewright_entry tilewright_entry;
typedef struct tilewright_error tilewright_error;

/* The version of the interface that the library has; TILEWRIGHT_API_VERSION or more. */
int tilewright_api_version(void);

/* ---- errors -------------------------------------------------------------------------------------------------- */

typedef enum tilewright_status {
  TILEWRIGHT_OK = 0,
  TILEWRIGHT_BAD_ARGUMENT = 1,  /* a target, an option, an entry or a number that is not there or not allowed */
  TILEWRIGHT_BAD_MODULE = 2,    /* the module is refused; the message has the diagnostics */
  TILEWRIGHT_TIME_LIMIT = 3,    /* compiling took longer than the option time-limit */
  TILEWRIGHT_COMPILER = 4,      /* a failure of the compiler: please report it */
  TILEWRIGHT_NO_DEVICE = 5,     /* no driver, or no GPU of that number */
  TILEWRIGHT_REFUSED = 6,       /* the GPU is of another architecture, or the launch does not fit it */
  TILEWRIGHT_OUT_OF_MEMORY = 7, /* of this machine or of the GPU */
  TILEWRIGHT_ASSERT_FAILED = 8, /* of the kernel */
  TILEWRIGHT_FAULT = 9          /* the kernel accessed memory that it may not, or broke another rule of its IR */
} tilewright_status;

/* TILEWRIGHT_OK for null. */
tilewright_status tilewright_error_status(const tilewright_error *error);
/* For people, in one or more lines; as long as the error lives. Empty for null. */
const char *tilewright_error_message(const tilewright_error *error);
void tilewright_error_free(tilewright_error *error);

/* ---- sessions: a target with options for compiling -------------------------------------------------------------- */

/* Targets: "cpu", "cpu:x86-64-v3" and other levels; "nvidia" for the code of a GPU, or "nvidia:sm_90", ...;
 * "interpreter", which executes Tile IR itself; "tileas:sm_90", ...: that GPU, simulated on this machine. */
tilewright_error *tilewright_session_open(const char *target, tilewright_session **session);
/* Its entries stay. */
void tilewright_session_close(tilewright_session *session);

/* Options, by the names that the command line has: opt-level (0 to 3), time-limit (seconds), device (number of the
 * GPU), cache (a folder; empty: none, as at the beginning), ...: docs/options.md has all. They hold for what is
 * compiled and loaded from then on. */
tilewright_error *tilewright_session_set(tilewright_session *session, const char *option, const char *value);

/* ---- compilations: the code of a module ------------------------------------------------------------------------ */

/* Compiles a module to a level, as `tilewright compile --emit`: "llvm", "asm", "ptx", "cubin", ...; null or empty is
 * the target's code. "so" is linked, which takes a linker in PATH. Since version 2. */
tilewright_error *tilewright_compilation_create(tilewright_session *session, const void *module, size_t size,
                                                const char *level, tilewright_compilation **compilation);
void tilewright_compilation_free(tilewright_compilation *compilation);

/* The code, with a zero behind it for levels that are text; `size`, if not null, receives the number of bytes. It lives
 * as long as the compilation, as do the following texts. */
const char *tilewright_compilation_bytes(const tilewright_compilation *compilation, size_t *size);
/* Warnings, and with the session's option "remarks" the remarks of passes about their decisions and about hints. */
const char *tilewright_compilation_remarks(const tilewright_compilation *compilation);
/* Of "obj" and "so", a header in C that declares the entries and the functions that launch them; else empty. */
const char *tilewright_compilation_header(const tilewright_compilation *compilation);

/* The bytes of a compilation only, which tilewright_bytes_free frees. */
tilewright_error *tilewright_compile(tilewright_session *session, const void *module, size_t size, const char *level,
                                     char **bytes, size_t *num_bytes);
void tilewright_bytes_free(char *bytes);

/* ---- entries: kernels that can be launched ------------------------------------------------------------------- */

/* The module is bytecode of Tile IR, or text or bytecode of MLIR; `name` may be null where it has one entry. */
tilewright_error *tilewright_entry_load(tilewright_session *session, const void *module, size_t size, const char *name,
                                        tilewright_entry **entry);
void tilewright_entry_free(tilewright_entry *entry);

const char *tilewright_entry_name(const tilewright_entry *entry);
/* "memory", "disk" or "compiled": where the code was found; "interpreted" or "simulated" where there is none. */
const char *tilewright_entry_origin(const tilewright_entry *entry);
/* Warnings and remarks of the compiler; empty if there are none. */
const char *tilewright_entry_remarks(const tilewright_entry *entry);

typedef enum tilewright_kind { TILEWRIGHT_POINTER, TILEWRIGHT_INTEGER, TILEWRIGHT_FLOAT } tilewright_kind;

typedef struct tilewright_parameter {
  tilewright_kind kind;
  uint32_t bits;   /* of the value; of an element, for a pointer */
  int32_t written; /* a pointer that the kernel may store through */
} tilewright_parameter;

size_t tilewright_entry_num_parameters(const tilewright_entry *entry);
tilewright_error *tilewright_entry_parameter(const tilewright_entry *entry, size_t index,
                                             tilewright_parameter *parameter);

/* values[i] points at the value of parameter i, an address for a pointer: of memory of this machine, or of the GPU.
 * `stream` is a CUstream; null is the default stream, and on other targets nothing else is allowed. A launch on a GPU
 * may still run when this returns. What the kernel prints goes to stdout. */
tilewright_error *tilewright_entry_launch(const tilewright_entry *entry, const int64_t grid[3], void *const *values,
                                          size_t num_values, void *stream);
/* Waits for all launches on GPUs, and has the error of one of them. */
tilewright_error *tilewright_synchronize(void);

/* ---- memory where the session's kernels run ------------------------------------------------------------------ */

/* A multiple of 256 is its address. */
tilewright_error *tilewright_memory_allocate(tilewright_session *session, size_t bytes, void **memory);
void tilewright_memory_free(tilewright_session *session, void *memory);
/* Copies there, and back once the launches before have ended. */
tilewright_error *tilewright_memory_write(tilewright_session *session, void *memory, const void *from, size_t bytes);
tilewright_error *tilewright_memory_read(tilewright_session *session, void *to, const void *memory, size_t bytes);

/* ---- kernels of programs in CUDA Tile C++ ---------------------------------------------------------------------
 *
 * `tilewright-c++` puts one of these into a program for each kernel, and calls launch where the program calls the
 * kernel; <tilewright/launch.h> is the interface for people. Since version 3. */

typedef struct tilewright_embedded_kernel {
  const char *name;   /* of the entry */
  const void *bundle; /* its code for several targets */
  size_t size;        /* of the bundle, in bytes */
  void *loaded;       /* of the library, null at first */
} tilewright_embedded_kernel;

/* The best code for this machine is chosen and loaded at the first launch: that of GPU 0, if there is one, else that of
 * the CPU. TILEWRIGHT_TARGET restricts the choice. The rest is as tilewright_entry_launch has it, but a stream is
 * ignored where kernels run on no GPU. */
tilewright_error *tilewright_embedded_kernel_launch(tilewright_embedded_kernel *kernel, const int64_t grid[3],
                                                    void *const *values, size_t num_values, void *stream);

/* "nvidia" where there is GPU 0, else "cpu"; TILEWRIGHT_TARGET decides otherwise. It lives as long as the process. */
const char *tilewright_default_target(void);
/* The folder where programs keep compiled kernels, empty for none: TILEWRIGHT_CACHE_DIR, else tilewright in
 * XDG_CACHE_HOME or ~/.cache. Likewise. */
const char *tilewright_default_cache(void);

/* Memory that the program and its kernels access by the same address, on GPUs as well: wait for the kernels
 * (tilewright_synchronize) before the program does. A multiple of 256 is its address. */
tilewright_error *tilewright_shared_memory_allocate(size_t bytes, void **memory);
void tilewright_shared_memory_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_H */
