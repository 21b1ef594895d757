// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of expressions.
#ifndef TILEWRIGHT_CPP_VALUES_VALUE_H
#define TILEWRIGHT_CPP_VALUES_VALUE_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Where an object is: its leaves in the slots of a kernel, or its bytes in memory of the device.
struct Place {
  clang::QualType type;
  mlir::Value address;   // of memory; null for an object in slots
  unsigned slot = 0;     // of the first leaf
  unsigned elements = 1; // of an array, from this one to its end: how many there are
  // Of an element that is chosen when the kernel runs: its number, how many leaves lie between elements, and how many
  // there are.
  mlir::Value index;
  unsigned stride = 0, reach = 1;

  bool isInMemory() const { return bool(address); }
  bool operator==(const Place &other) const {
    return address == other.address && slot == other.slot && index == other.index;
  }
};

/// A value of Tile IR; or of a reference, or of a pointer to an object in slots, the place that it refers to.
struct Leaf {
  mlir::Value value;
  std::optional<Place> place;
  bool isUnknown = false; // paths of control flow left different places here

  Leaf() = default;
  Leaf(mlir::Value value) : value(value) {}
  Leaf(Place place) : place(std::move(place)) {}

  bool isSet() const { return value || place || isUnknown; }
  bool operator==(const Leaf &other) const {
    return value == other.value && place == other.place && isUnknown == other.isUnknown;
  }
};

using Leaves = llvm::SmallVector<Leaf, 1>;

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_VALUE_H
