// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a launch: words that are equal for arguments that the same code can take.
#ifndef TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTKEY_H
#define TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTKEY_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <nanobind/nanobind.h>

namespace tilewright::python {

// First words of a part of a key; a reader that met other kinds of arguments cannot form an equal key.
enum Tag : uint64_t {
  TagArray = 1,
  TagScalar,
  TagInteger,
  TagFloat,
  TagBool,
  TagNone,
  TagObject,
  TagTuple,
  TagDataclass,
  TagList,
  TagDevice,
  TagSame,
  TagSameList,
  TagLike,
  TagBucket
};

// Numbers objects: equal constants, equal number. Lives as long as the process, as kernels do. Raises TypeError if the
// object is unhashable.
uint64_t numberOf(nanobind::handle value);

// Appends the words of a constant; raises TypeError if it is unhashable.
void appendConstant(llvm::SmallVectorImpl<uint64_t> &key, PyObject *value);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTKEY_H
