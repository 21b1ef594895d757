/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels in CUDA Tile C++ that a program compiles when it runs: for C below, for C++20 at the end. The functions are
 * of libtilewright-cpp; errors are those of tilewright.h.
 */
#ifndef TILEWRIGHT_PROGRAM_H
#define TILEWRIGHT_PROGRAM_H

#include "../tilewright.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilewright_program tilewright_program;

/* A source with the name that its diagnostics have: of a file, or of none. Headers are sources, too, that it includes
 * by these names. */
tilewright_error *tilewright_program_create(const char *source, const char *name, size_t num_headers,
                                            const char *const *headers, const char *const *header_names,
                                            tilewright_program **program);
void tilewright_program_free(tilewright_program *program);

/* A kernel that the module is to have besides those of the source, as "kernel<float, 1024>". */
tilewright_error *tilewright_program_add_name(tilewright_program *program, const char *expression);

/* Options are Clang's, as "-DSIZE=3", and -ffp-contract=off. An error in the source is TILEWRIGHT_BAD_MODULE with all
 * diagnostics. */
tilewright_error *tilewright_program_compile(tilewright_program *program, size_t num_options,
                                             const char *const *options);

/* All of a program that was compiled: warnings; the module as bytecode of Tile IR, for tilewright_entry_load; and the
 * name of the entry of an expression that was added, null for others. They live as long as the program. */
const char *tilewright_program_log(const tilewright_program *program);
const void *tilewright_program_module(const tilewright_program *program, size_t *size);
const char *tilewright_program_lowered_name(const tilewright_program *program, const char *expression);

#ifdef __cplusplus
}

#if __cplusplus >= 202002L
#include "launch.h"

#include <fstream>
#include <memory>
#include <sstream>

namespace tilewright {

/// A kernel of a Program with parameters of types P, to be called with a grid and arguments.
template <class... P> class Kernel {
public:
  explicit Kernel(std::shared_ptr<tilewright_entry> entry) : entry(std::move(entry)) {
    size_t count = tilewright_entry_num_parameters(this->entry.get());
    if (count != sizeof...(P))
      fail(TILEWRIGHT_BAD_ARGUMENT, name() + " has " + std::to_string(count) + " parameters, get has " +
                                        std::to_string(sizeof...(P)) + " types");
    size_t index = 0;
    (checkParameter<P>(index++), ...);
  }

  void operator()(dim3 grid, P... args) const { launch(grid, nullptr, args...); }
  /// On a stream of the GPU.
  void launch(dim3 grid, void *stream, P... args) const {
    const int64_t extents[] = {grid.x, grid.y, grid.z};
    void *const values[] = {const_cast<std::remove_cv_t<P> *>(&args)..., nullptr};
    check(tilewright_entry_launch(entry.get(), extents, values, sizeof...(P), stream));
  }
  std::string name() const { return tilewright_entry_name(entry.get()); }
  /// "memory", "disk" or "compiled": where the code was found.
  std::string origin() const { return tilewright_entry_origin(entry.get()); }

private:
  template <class T> void checkParameter(size_t index) const {
    tilewright_parameter known;
    check(tilewright_entry_parameter(entry.get(), index, &known));
    bool isPointer = known.kind == TILEWRIGHT_POINTER;
    if (isPointer != std::is_pointer_v<T> || (!isPointer && (known.bits + 7) / 8 != sizeof(T)))
      fail(TILEWRIGHT_BAD_ARGUMENT,
           "parameter " + std::to_string(index) + " of " + name() + " is " +
               (isPointer ? "a pointer" : "a number of " + std::to_string(known.bits) + " bits") +
               ", which the type that get has is not");
  }

  std::shared_ptr<tilewright_entry> entry;
};

struct ProgramOptions {
  std::vector<std::string> clang = {};              // as "-DSIZE=3"
  std::string target = tilewright_default_target(); // as tilewright_session_open has it
  std::string cache = tilewright_default_cache();   // a folder; none if empty
  std::string name = "program.cpp";                 // for diagnostics
};

/// A source whose kernels are compiled when they are asked for, and kept on the disk:
///
///   auto add = tilewright::Program{source}.get<const float *, float *, int>("add<float, 1024>");
///   add(grid, a, b, n);
class Program {
public:
  explicit Program(std::string source, ProgramOptions options = {})
      : source(std::move(source)), options(std::move(options)) {
    tilewright_session *opened = nullptr;
    check(tilewright_session_open(this->options.target.c_str(), &opened));
    session.reset(opened, tilewright_session_close);
    check(tilewright_session_set(opened, "cache", this->options.cache.c_str()));
  }
  static Program fromFile(const std::string &path, ProgramOptions options = {}) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (!file)
      fail(TILEWRIGHT_BAD_ARGUMENT, "cannot read " + path);
    options.name = path;
    return Program(text.str(), options);
  }

  /// A kernel by its name, "add<float, 1024>" or "add", with the types of its parameters.
  template <class... P> Kernel<P...> get(const std::string &expression) const {
    tilewright_program *made = nullptr;
    check(tilewright_program_create(source.c_str(), options.name.c_str(), 0, nullptr, nullptr, &made));
    std::unique_ptr<tilewright_program, void (*)(tilewright_program *)> program(made, tilewright_program_free);
    check(tilewright_program_add_name(made, expression.c_str()));
    std::vector<const char *> words;
    for (const std::string &option : options.clang)
      words.push_back(option.c_str());
    check(tilewright_program_compile(made, words.size(), words.data()));
    size_t size = 0;
    const void *module = tilewright_program_module(made, &size);
    tilewright_entry *entry = nullptr;
    check(tilewright_entry_load(session.get(), module, size, tilewright_program_lowered_name(made, expression.c_str()),
                                &entry));
    return Kernel<P...>(std::shared_ptr<tilewright_entry>(entry, tilewright_entry_free));
  }

private:
  std::string source;
  ProgramOptions options;
  std::shared_ptr<tilewright_session> session;
};

} // namespace tilewright
#endif
#endif

#endif /* TILEWRIGHT_PROGRAM_H */
