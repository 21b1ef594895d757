// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which events have happened before a point of a run.
//
// Events form chains: each event of a chain waits for the one before. A clock has for every chain the number of
// its events in the past. In a program that passes one token from access to access there is one chain, and a clock is
// one number. Where a token is used twice, a second chain begins:
//
//     %a = make_token             {}
//     %b = store ... token=%a     chain 0, event 1: {0: 1}
//     %c = load  ... token=%b     chain 0, event 2: {0: 2}
//     %d = load  ... token=%b     chain 1, event 1: {0: 1, 1: 1}, which has %b in its past and not %c
//
// A loop may join one more token in every iteration, so clocks grow. They are persistent trees over the number of the
// chain: a new clock shares all but a path with the one it was made from, and joining stops where two trees share.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_CLOCK_H
#define TILEWRIGHT_INTERPRETER_CHECK_CLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include <cstdint>

namespace tilewright::interpreter {

// An event: the `position`th (from 1) of its chain.
struct Epoch {
  uint32_t chain = 0;
  uint32_t position = 0;
};

class Clock {
public:
  Clock() = default;

  // The number of events of the chain in the past.
  uint32_t of(uint32_t chain) const;
  bool includes(Epoch event) const { return of(event.chain) >= event.position; }

  // This past, and the event with those before it in its chain.
  Clock with(Epoch event) const;
  Clock joined(const Clock &other) const;

private:
  // A leaf is one chain; a branch has two subtrees, whose chains agree in the bits of `chain` above `bit` and differ in
  // that bit.
  struct Node : llvm::RefCountedBase<Node> {
    Node(uint32_t chain, uint32_t number) : chain(chain), number(number) {}
    bool isLeaf() const { return !children[0]; }
    bool covers(uint32_t other) const { return ((chain ^ other) & ~(2 * number - 1)) == 0; }
    unsigned side(uint32_t other) const { return (other & number) != 0; }
    uint32_t chain;
    uint32_t number; // of a leaf the position, of a branch the bit
    llvm::IntrusiveRefCntPtr<const Node> children[2];
  };
  using Tree = llvm::IntrusiveRefCntPtr<const Node>;

  explicit Clock(Tree tree) : root(std::move(tree)) {}
  static Tree branch(const Tree &a, const Tree &b);
  static Tree replaced(const Tree &tree, unsigned side, Tree child);
  static Tree insert(const Tree &tree, const Tree &leaf);
  static Tree join(const Tree &a, const Tree &b);

  Tree root;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_CLOCK_H
