// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures that XLA's foreign function interface (xla/ffi/api/c_api.h in OpenXLA, version 0) passes to a handler,
// in the layout they have there: nothing of XLA is needed to build or to import. Each structure begins with its size,
// and fields are only ever added at an end; those after the last one used are left out.
#ifndef TILEWRIGHT_PYTHON_NATIVE_XLA_INTERFACE_H
#define TILEWRIGHT_PYTHON_NATIVE_XLA_INTERFACE_H

#include <cstddef>
#include <cstdint>

namespace tilewright::python::xla {

enum Stage : int32_t { Execute = 3 };
enum ExtensionKind : int32_t { AsksForMetadata = 1 };
enum AttributeKind : int32_t { ScalarAttribute = 3 };
enum ErrorCode : int32_t { Internal = 13 };
enum ElementType : int32_t { Signed64 = 5 };

struct Extension {
  size_t size;
  int32_t kind;
  Extension *next;
};

struct Head {
  size_t size;
  Extension *extension;
};

struct Version {
  Head head;
  int32_t major, minor;
};

// The oldest version with all that is used here.
constexpr int32_t majorVersion = 0, minorVersion = 1;

struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct Span {
  const char *data;
  size_t size;
};

struct Scalar {
  int32_t type;
  const void *value;
};

struct Buffer {
  Head head;
  int32_t type;
  void *data;
  int64_t rank;
  int64_t *extents;
};

struct Buffers {
  Head head;
  int64_t size;
  int32_t *kinds;
  Buffer **buffers; // the only kind of operand and result
};

struct Attributes {
  Head head;
  int64_t size;
  int32_t *kinds;
  Span **names;
  void **values;
};

struct Error;
struct Context;

struct ErrorCreate {
  Head head;
  const char *message;
  int32_t code;
};

struct StreamGet {
  Head head;
  Context *context;
  void *stream; // is set
};

struct Api {
  Head head;
  Version version;
  void *internal;
  Error *(*createError)(ErrorCreate *);
  void *getMessage, *destroyError, *registerHandler;
  Error *(*getStream)(StreamGet *);
};

struct Frame {
  Head head;
  const Api *api;
  Context *context;
  int32_t stage;
  Buffers operands, results;
  Attributes attributes;
};

using Handler = Error *(Frame *);

} // namespace tilewright::python::xla

#endif // TILEWRIGHT_PYTHON_NATIVE_XLA_INTERFACE_H
