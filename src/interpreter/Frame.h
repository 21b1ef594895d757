// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of one running tile block. Every SSA value of the entry has a slot of its own, numbered once per entry,
// so that a reference to a value is valid until that value is set again.
#ifndef TILEWRIGHT_INTERPRETER_FRAME_H
#define TILEWRIGHT_INTERPRETER_FRAME_H

#include "interpreter/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::interpreter {

// The place of each SSA value of an entry.
class Places {
public:
  explicit Places(cuda_tile::EntryOp entry);
  unsigned of(mlir::Value value) const { return places.at(value); }
  unsigned size() const { return places.size(); }
  // Memory that a frame needs once every value is set.
  uint64_t frameBytes() const { return bytes; }
  // Every value of the entry, for debuggers.
  llvm::ArrayRef<mlir::Value> values() const { return all; }

private:
  llvm::DenseMap<mlir::Value, unsigned> places;
  std::vector<mlir::Value> all;
  uint64_t bytes = 0;
};

class Frame {
public:
  explicit Frame(const Places &places) : places(&places), values(places.size()), isSet(places.size(), false) {}

  Value &get(mlir::Value value) { return values[places->of(value)]; }
  Tile &tile(mlir::Value value) { return std::get<Tile>(get(value)); }
  void set(mlir::Value value, Value content) {
    unsigned place = places->of(value);
    values[place] = std::move(content);
    isSet[place] = true;
  }
  // Whether the operation that defines it was executed.
  bool has(mlir::Value value) const { return isSet[places->of(value)]; }
  const Places &getPlaces() const { return *places; }

private:
  const Places *places;
  std::vector<Value> values;
  std::vector<bool> isSet;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_FRAME_H
