// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Clock.h"

#include "llvm/ADT/bit.h"

namespace tilewright::interpreter {

uint32_t Clock::of(uint32_t chain) const {
  const Node *node = root.get();
  while (node && !node->isLeaf())
    node = node->children[node->side(chain)].get();
  return node && node->chain == chain ? node->number : 0;
}

Clock Clock::with(Epoch event) const {
  return Clock(insert(root, new Node(event.chain, event.position)));
}

Clock Clock::joined(const Clock &other) const {
  return Clock(join(root, other.root));
}

// Of two trees neither of which covers the other.
Clock::Tree Clock::branch(const Tree &a, const Tree &b) {
  uint32_t bit = llvm::bit_floor(a->chain ^ b->chain);
  auto *node = new Node(a->chain, bit);
  unsigned side = node->side(a->chain);
  node->children[side] = a;
  node->children[!side] = b;
  return node;
}

// The same tree if the child is: this is what keeps trees shared.
Clock::Tree Clock::replaced(const Tree &tree, unsigned side, Tree child) {
  if (child == tree->children[side])
    return tree;
  auto *node = new Node(tree->chain, tree->number);
  node->children[side] = std::move(child);
  node->children[!side] = tree->children[!side];
  return node;
}

Clock::Tree Clock::insert(const Tree &tree, const Tree &leaf) {
  if (!tree)
    return leaf;
  if (tree->isLeaf() && tree->chain == leaf->chain)
    return tree->number >= leaf->number ? tree : leaf;
  if (tree->isLeaf() || !tree->covers(leaf->chain))
    return branch(tree, leaf);
  unsigned side = tree->side(leaf->chain);
  return replaced(tree, side, insert(tree->children[side], leaf));
}

Clock::Tree Clock::join(const Tree &a, const Tree &b) {
  if (a == b || !b)
    return a;
  if (!a || a->isLeaf())
    return a ? insert(b, a) : b;
  if (b->isLeaf())
    return insert(a, b);
  if (a->number == b->number && a->covers(b->chain)) {
    Tree left = join(a->children[0], b->children[0]), right = join(a->children[1], b->children[1]);
    if (left == b->children[0] && right == b->children[1])
      return b;
    return replaced(replaced(a, 0, std::move(left)), 1, std::move(right));
  }
  if (a->number > b->number && a->covers(b->chain)) {
    unsigned side = a->side(b->chain);
    return replaced(a, side, join(a->children[side], b));
  }
  if (b->number > a->number && b->covers(a->chain)) {
    unsigned side = b->side(a->chain);
    return replaced(b, side, join(a, b->children[side]));
  }
  return branch(a, b);
}

} // namespace tilewright::interpreter
