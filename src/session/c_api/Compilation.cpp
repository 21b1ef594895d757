// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations of the C interface.
#include "session/CompileLevel.h"
#include "session/c_api/Session.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright;
using namespace tilewright::c_api;

struct tilewright_compilation {
  session::CompiledLevel level;
};

// A copy for the caller, who frees it, with a zero behind it: levels may be text.
static tilewright_error *copyBytes(const std::string &from, char **bytes, size_t *numBytes) {
  char *copy = static_cast<char *>(malloc(from.size() + 1));
  if (!copy)
    return makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory for " + llvm::Twine(from.size()) + " bytes of code");
  memcpy(copy, from.c_str(), from.size() + 1);
  *bytes = copy;
  *numBytes = from.size();
  return nullptr;
}

extern "C" {

tilewright_error *tilewright_compilation_create(tilewright_session *session, const void *module, size_t size,
                                                const char *level, tilewright_compilation **compilation) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !module || !compilation)
      return badArgument("a session, a module and a place for the compilation are expected, one of them is null");
    *compilation = nullptr;
    auto compiled =
        session::compileLevel(session->target, level ? level : "",
                              llvm::StringRef(static_cast<const char *>(module), size), session->snapshot().settings);
    if (!compiled)
      return convert(compiled.takeError());
    *compilation = new tilewright_compilation{std::move(*compiled)};
    return nullptr;
  });
}

void tilewright_compilation_free(tilewright_compilation *compilation) {
  delete compilation;
}

const char *tilewright_compilation_bytes(const tilewright_compilation *compilation, size_t *size) {
  if (size)
    *size = compilation ? compilation->level.bytes.size() : 0;
  return compilation ? compilation->level.bytes.c_str() : "";
}

const char *tilewright_compilation_remarks(const tilewright_compilation *compilation) {
  return compilation ? compilation->level.remarks.c_str() : "";
}

const char *tilewright_compilation_header(const tilewright_compilation *compilation) {
  return compilation ? compilation->level.header.c_str() : "";
}

tilewright_error *tilewright_compile(tilewright_session *session, const void *module, size_t size, const char *level,
                                     char **bytes, size_t *numBytes) {
  return guarded([&]() -> tilewright_error * {
    if (!bytes || !numBytes)
      return badArgument("places for the bytes and their number are expected, one of them is null");
    *bytes = nullptr;
    *numBytes = 0;
    tilewright_compilation *compilation = nullptr;
    if (tilewright_error *error = tilewright_compilation_create(session, module, size, level, &compilation))
      return error;
    std::unique_ptr<tilewright_compilation> owned(compilation);
    return copyBytes(compilation->level.bytes, bytes, numBytes);
  });
}

void tilewright_bytes_free(char *bytes) {
  free(bytes);
}

} // extern "C"
