// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The leaves of all objects of a kernel, as they are at the point that is being evaluated. A journal of the writes
// gives what a branch or a loop changed, and takes it back.
#ifndef TILEWRIGHT_CPP_VALUES_SLOTS_H
#define TILEWRIGHT_CPP_VALUES_SLOTS_H

#include "cpp/values/Value.h"
#include <map>

namespace tilewright::cpp {

/// Slots in order, so that what is built from them does not depend on chance.
using SlotValues = std::map<unsigned, Leaf>;

class Slots {
public:
  unsigned size() const { return leaves.size(); }
  /// Room for leaves of these types.
  unsigned allocate(llvm::ArrayRef<mlir::Type> types) {
    unsigned first = leaves.size();
    leaves.resize(first + types.size());
    leafTypes.append(types.begin(), types.end());
    return first;
  }

  const Leaf &operator[](unsigned slot) const { return leaves[slot]; }
  mlir::Type type(unsigned slot) const { return leafTypes[slot]; }
  void write(unsigned slot, Leaf leaf) {
    journal.emplace_back(slot, leaves[slot]);
    leaves[slot] = std::move(leaf);
  }
  /// Sets a leaf that is one for all paths of control flow.
  void define(unsigned slot, Leaf leaf) { leaves[slot] = std::move(leaf); }

  size_t mark() const { return journal.size(); }
  /// The leaves that were written since a mark, of the first `count` slots.
  SlotValues changesSince(size_t mark, unsigned count) const {
    SlotValues result;
    for (auto &[slot, before] : llvm::drop_begin(journal, mark))
      if (slot < count)
        result[slot] = leaves[slot];
    return result;
  }
  void rollBack(size_t mark) {
    while (journal.size() > mark) {
      leaves[journal.back().first] = std::move(journal.back().second);
      journal.pop_back();
    }
  }

private:
  std::vector<Leaf> leaves;
  llvm::SmallVector<mlir::Type> leafTypes;
  std::vector<std::pair<unsigned, Leaf>> journal;
};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_SLOTS_H
