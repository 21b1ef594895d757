// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races of one launch, by the memory model of Tile IR: two accesses to a byte, at least one of them a write, race
// unless one happens before the other or both are atomic in scopes that reach each other's block.
//
// Only a token orders two accesses of a block: neither program order does, nor a store of the value that the other one
// loaded. Between blocks there is one way: an acquire reads, element by element, the value of a release, and their
// scopes include each other. So the result does not depend on which block happens to run first:
//
//     block 0:  %1 = store weak %data token=%0          block 1:  %f, %1 = load acquire device %flag
//               %2 = store release device %flag                    ... until it is set
//                          token=%1                                %v, %2 = load weak %data token=%1
//
// has no race, and has one if the tokens are removed, one of the orders is `relaxed`, or one of the scopes is
// `tl_blk`.
//
// The record of a byte is a `History`: the accesses that a later one might race with. Histories are shared by all bytes
// with the same past, so an access compares with each history once, for any number of bytes.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_RACEDETECTOR_H
#define TILEWRIGHT_INTERPRETER_CHECK_RACEDETECTOR_H

#include "interpreter/check/ByteMap.h"
#include "interpreter/check/Clock.h"
#include "llvm/Support/Allocator.h"
#include <optional>
#include <vector>

namespace tilewright::interpreter {

enum class Order : uint8_t { Weak, Relaxed, Acquire, Release, AcquireRelease };
enum class Scope : uint8_t { Block, Device, System };

// One execution of a memory operation.
struct MemoryEvent {
  uint32_t place = 0; // identifies an operation of the program
  uint32_t block = 0;
  Order order = Order::Weak;
  Scope scope = Scope::Block; // no meaning for weak accesses
  uint8_t elementBytes = 1;
};

// Addresses of elements, in any order.
struct Touched {
  llvm::SmallVector<uint64_t> read, written, modified;
};

enum class RaceKind : uint8_t {
  SameStore,  // two elements of one store
  Unordered,  // one block, no token
  Blocks,     // different blocks, nothing synchronizes them
  Scope,      // different blocks, atomic, but a scope ends at the block
  MixedSizes, // atomic elements of different sizes
};

struct Race {
  RaceKind kind;
  MemoryEvent first, second; // in the order in which they ran
  bool firstWrites, secondWrites;
  uint64_t address; // the first byte that was found
  uint64_t count;   // how often this pair of places was found
};

class RaceDetector {
public:
  using Token = uint64_t;
  // Ordered after nothing: that of make_token, and of an operation without a token.
  static constexpr Token none = 0;

  RaceDetector();

  Token join(llvm::ArrayRef<Token> tokens);
  // An event of the block that accesses memory; its token.
  Token perform(const MemoryEvent &event, Token before, Touched touched);

  // These bytes are freed; later memory at these addresses has no past.
  void forget(ByteRange bytes);

  // One per pair of places and kind, in the order in which they were found.
  llvm::ArrayRef<Race> races() const { return found; }

private:
  enum class Use : uint8_t { Read, Write, Modify };
  struct Past {
    Clock clock;
    std::optional<Epoch> tail; // an event that the next one may follow in its chain
  };
  struct Event : MemoryEvent {
    Epoch epoch;
    Use use;
  };
  // Newest first.
  struct Link {
    uint32_t event;
    const Link *next;
    // Of this and all that follow: the narrowest scope, and the size of elements, 0 if they differ.
    Scope scope;
    uint8_t elementBytes;
  };
  struct History {
    const Link *weakWrites = nullptr, *strongWrites = nullptr, *weakReads = nullptr, *strongReads = nullptr;
  };
  // The clock that an acquire which reads this element joins.
  struct Release {
    Clock clock;
    Scope scope;
    uint32_t block;
  };

  Past acquire(const MemoryEvent &event, const Past &before, const Touched &touched) const;
  void release(const Event &event, const Clock &clock, const Touched &touched);
  Epoch advance(Past &past);
  void touch(uint32_t event, const Clock &clock, llvm::SmallVectorImpl<uint64_t> &addresses);
  const History *after(const History *history, uint32_t event, const Clock &clock, uint64_t address);
  std::optional<RaceKind> conflict(const Event &earlier, const Event &later, const Clock &clock) const;
  bool checkAll(const Link *list, uint32_t event, const Clock &clock, uint64_t address);
  const Link *push(const Link *list, uint32_t event, const Clock &clock);
  void report(RaceKind kind, const Event &first, const Event &second, uint64_t address);

  std::vector<Event> events;
  std::vector<Past> tokens;
  std::vector<uint32_t> chainLengths;
  ByteMap memory; // of const History *
  llvm::DenseMap<uint64_t, llvm::SmallVector<Release, 1>> released;
  llvm::BumpPtrAllocator allocator;
  std::vector<Race> found;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> foundAt; // by the two places: indices of `found`
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_RACEDETECTOR_H
