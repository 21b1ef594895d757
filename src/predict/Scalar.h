// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integers of a kernel on which its control flow and its addresses depend, as expressions in what is known at a
// launch: trip counts and coordinates of tiles are evaluated without executing the kernel.
//
// Example: the blocks of a loop `for k = 0 to ceildiv(%depth, 64)` have Constant 0 and CeilDivS(Parameter 2, Constant
// 64); for a launch with depth 4096 that is 64.
#ifndef TILEWRIGHT_PREDICT_SCALAR_H
#define TILEWRIGHT_PREDICT_SCALAR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::predict {

using ScalarId = uint32_t;
constexpr ScalarId noScalar = ~ScalarId(0);

enum class ScalarKind : uint8_t {
  Constant,  // `number`
  Parameter, // of the kernel, `number` counts
  Grid,      // the extent of the grid of tile blocks along axis `number`
  Blocks,    // how many blocks are launched along axis `number`: fewer than the grid has where they take several
  BlockId,   // along axis `number`
  Variable,  // of a loop at depth `number`
  Mix,       // a value that depends on the operands and is not known itself, as one loaded from memory
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  RemS,
  RemU,
  MinS,
  MaxS,
  MinU,
  MaxU,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightS,
  ShiftRightU,
  CompareEq,
  CompareNe,
  CompareSlt,
  CompareSle,
  CompareUlt,
  CompareUle,
  Select,
  ZeroExtend, // from `number` bits
};

struct Scalar {
  ScalarKind kind = ScalarKind::Mix;
  uint8_t bits = 64; // of the result, to which it wraps
  int64_t number = 0;
  llvm::SmallVector<ScalarId, 3> operands; // lower ones
};

/// A number, or where none is known one that is equal for values that are equal.
struct ScalarValue {
  int64_t number = 0;
  bool isKnown = false;

  std::optional<int64_t> known() const { return isKnown ? std::optional(number) : std::nullopt; }
};

class Scalars {
public:
  ScalarId add(Scalar scalar);
  ScalarId constant(int64_t number) { return add({ScalarKind::Constant, 64, number, {}}); }
  ScalarId make(ScalarKind kind, int64_t number = 0, llvm::ArrayRef<ScalarId> operands = {}, unsigned bits = 64) {
    return add({kind, uint8_t(bits), number, llvm::SmallVector<ScalarId, 3>(operands)});
  }
  const Scalar &operator[](ScalarId id) const { return list[id]; }
  size_t size() const { return list.size(); }
  /// The reason for it to change: 0 none within a launch, 1 the block, 2 + d the variable of a loop at depth d.
  unsigned levelOf(ScalarId id) const { return levels[id]; }

private:
  std::vector<Scalar> list;
  std::vector<uint8_t> levels;
};

/// The facts of a launch. A parameter that is not an integer, or not given, is unknown.
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<std::optional<int64_t>> parameters;
};

class Evaluator {
public:
  Evaluator(const Scalars &scalars, const Launch &launch, std::array<int64_t, 3> blocks);

  void enterBlock(std::array<int64_t, 3> id);
  /// That of the number, counted along the first axis first.
  void enterBlock(int64_t number) {
    enterBlock({number % blocks[0], number / blocks[0] % blocks[1], number / blocks[0] / blocks[1]});
  }
  /// From now on the variable, a scalar of that kind, has this value.
  void setVariable(ScalarId variable, ScalarValue value);
  ScalarValue operator()(ScalarId id);
  /// The number, or the largest of those among which an unknown condition chooses: no block of a kernel of experts
  /// knows which is its own, and only those beyond the last one have nothing to do.
  std::optional<int64_t> most(ScalarId id);

private:
  static constexpr unsigned mostLevels = 18;
  ScalarValue compute(const Scalar &scalar);
  void change(unsigned level);

  const Scalars &scalars;
  const Launch &launch;
  std::array<int64_t, 3> blocks, block = {0, 0, 0};
  std::vector<ScalarValue> values;
  std::vector<uint64_t> stamps;                  // when each was computed
  std::array<uint64_t, mostLevels> changed = {}; // when what it depends on last changed
  uint64_t now = 1;
};

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_SCALAR_H
