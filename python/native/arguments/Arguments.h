// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the arguments of a launch: NumPy arrays, tensors with DLPack in host memory or on a GPU, other arrays,
// numbers, constants, tuples of these, and lists of arrays. The facts that the compiler may rely on become a key of a
// few words; the values are kept beside it. This is the hot path of a launch.
#ifndef TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTS_H
#define TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTS_H

#include "ArrayValue.h"
#include "Text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::python {

struct ArraySource;

// A list of arrays of one dtype and rank, and the table of it that the kernel reads.
struct ListValue {
  size_t first, count; // in ArgumentList::listArrays
  size_t table;        // in ArgumentList::tables
  ArraySpec spec;
};

// A Python parameter of the kernel: the front end's record of the same name.
struct Parameter {
  explicit Parameter(nanobind::handle record);

  std::string name;
  bool constant = false;
  nanobind::object constantType; // None if any
  unsigned indexBits = 32;
  // Negative axes count from the last; all of an array's are in range once it was read.
  std::vector<int> staticShapeAxes, staticStrideAxes;
  std::optional<DTypeId> scalarDType;
  std::vector<Parameter> items;   // of a tuple
  std::vector<Parameter> each;    // of a tuple of any length: one
  std::vector<Parameter> element; // of a list: one, if it is annotated
  nanobind::object defaultValue;
  bool hasDefault = false;

  // Of a tuple; null if it is not annotated.
  const Parameter *item(size_t i) const { return !each.empty() ? &each.front() : !items.empty() ? &items[i] : nullptr; }
};

// The arguments of one launch. Reading raises TypeError, ValueError or OverflowError naming the argument.
class ArgumentList {
public:
  // args is a tuple or list.
  void read(const std::string &kernel, llvm::ArrayRef<Parameter> parameters, PyObject *args);

  // After reading: all arrays are on that GPU, whatever describes them.
  void moveTo(int gpu);

  llvm::ArrayRef<uint64_t> key() const { return keyWords; }

  // The shape bucket becomes the end of the key, once.
  void addBucket();
  llvm::ArrayRef<uint64_t> keyOfAllBuckets() const { return key().take_front(wordsBeforeBucket); }

  llvm::SmallVector<ArrayValue, 8> arrays;
  llvm::SmallVector<uint64_t, 8> scalars;        // bits of the value in its dtype
  llvm::SmallVector<const char *, 8> arrayNames; // of the parameter, for messages
  std::vector<ListValue> lists;
  std::vector<ArrayValue> listArrays;
  // A row per array of a list: its address, its extents, its strides.
  std::vector<int64_t> tables;

  // Arguments that are the same memory become part of the key. Code may take the others for disjoint.
  void findSame();
  // For each of `arrays` the first of them with the same memory; empty if each is the first one.
  llvm::SmallVector<uint16_t, 0> firstSame;
  // Views of one array that have equal extents and strides, as those of a stencil have, become part of the key. Code
  // may read the extents and strides of the first.
  void findLike();
  // For each of `arrays` the first of them like it; empty if each is the first one.
  llvm::SmallVector<uint16_t, 0> firstLike;
  // Of those in host memory, one that begins less than a cache line from an earlier one, within its rows: code may
  // take its address from the earlier one's.
  struct Neighbour {
    uint16_t array, of;
    int16_t elements; // from `of` to `array`
  };
  llvm::SmallVector<Neighbour, 0> neighbours;
  // For each of `arrays`, then each of `lists`, the group of those that are the same memory as an array of a list; 0 if
  // none is. Empty if all are 0.
  llvm::SmallVector<uint16_t, 0> listGroups;

  // The location of all arrays.
  int device = inHostMemory;
  // The framework of the first array on a GPU, which has the current stream; or null.
  const ArraySource *framework = nullptr;

  size_t numArrays() const { return arrays.size() + listArrays.size(); }
  const ArrayValue &anyArray(size_t i) const { return i < arrays.size() ? arrays[i] : listArrays[i - arrays.size()]; }
  ArrayValue &anyArray(size_t i) { return i < arrays.size() ? arrays[i] : listArrays[i - arrays.size()]; }
  std::string nameOfAnyArray(size_t i) const;

  // The location of a leaf of the argument tree.
  struct Leaf {
    enum Kind : uint8_t { Array, Scalar, Constant, List } kind;
    uint16_t index; // into arrays, scalars or lists
    DTypeId dtype;
    PyObject *constant; // borrowed
  };
  llvm::SmallVector<Leaf, 16> leaves; // in reading order

private:
  friend class Reader;
  void findNeighbour(size_t array);
  void joinGroups(size_t a, size_t b);
  llvm::SmallVector<uint64_t, 32> keyWords;
  size_t wordsBeforeBucket = -1; // all, if there is none
  llvm::SmallVector<const char *, 2> listNames;
  llvm::SmallVector<nanobind::object, 8> keepAlive; // DLPack capsules and defaults
};

// The part of a leaf in the shape bucket of a launch: the extents of an array, an integer, or the length of a list and
// the largest extents of its arrays, each rounded up to a power of two; 0 for numbers below 1. Of constants and other
// numbers nothing.
llvm::SmallVector<uint64_t, maxRank + 1> bucketOf(const ArgumentList &list, const ArgumentList::Leaf &leaf);

// (name of the parameter, its numbers) of each leaf that has some.
nanobind::tuple makeBucket(const ArgumentList &list, llvm::ArrayRef<Parameter> parameters, PyObject *args);

// Of a dataclass.
std::vector<std::string> fieldNames(nanobind::handle type);

// The front end's spec records for what was read, one per parameter.
nanobind::tuple makeSpecs(const ArgumentList &list, llvm::ArrayRef<Parameter> parameters, PyObject *args);

// The leaf at a path of the front end's ParameterSource.argument: index of the argument, then of tuple members or
// dataclass fields.
size_t leafAtPath(llvm::ArrayRef<Parameter> parameters, PyObject *args, nanobind::tuple path);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARGUMENTS_H
