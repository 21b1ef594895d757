// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions on a kernel for a GPU, in the attribute `tileas.plan` of its function. A pass that decides asks for what a
// plan file wants (askedFor), and records what it does (decide) while the part is there; tileas-check-plan refuses a
// kernel where the two differ. A part is known by its number, which tileas-number-parts gives it:
//
//   scf.for ... {tileas.number = 0}           decide(loop, Stages, 4, "...")
//   tileas.plan = [#tileas.decision<loop 0 stages = 4 at "k.py:12" because "...">]
#ifndef TILEWRIGHT_TILEAS_IR_DECISIONS_H
#define TILEWRIGHT_TILEAS_IR_DECISIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// The decisions of a function, and the number of an operation.
constexpr llvm::StringLiteral planAttr = "tileas.plan", numberAttr = "tileas.number";

/// A kind of decision: the parts that have it and its values, which are words, or numbers if there are none.
struct DecisionInfo {
  DecisionKind kind;
  llvm::ArrayRef<Part> parts;
  llvm::ArrayRef<llvm::StringLiteral> words;
  bool (*isLegal)(int64_t value);
  llvm::StringLiteral expected;
};
llvm::ArrayRef<DecisionInfo> knownDecisions();
const DecisionInfo &infoOf(DecisionKind kind);
/// Nothing where the text is no value of that kind.
std::optional<int64_t> parseValue(DecisionKind kind, llvm::StringRef text);
/// As in 4, true or wgmma.
std::string valueText(DecisionKind kind, int64_t value);
/// Likewise as in a plan file, where words other than true and false are in quotes.
std::string quotedText(DecisionKind kind, int64_t value);

/// The values of the kind `producer`.
namespace producer {
constexpr int64_t threads = 0, agent = 1;
} // namespace producer
/// The values of the kind `way`: threads load or store the tile, threads start asynchronous copies of it, or the tensor
/// memory accelerator copies it.
namespace way {
constexpr int64_t threads = 0, cpAsync = 1, tma = 2, turned = 3;
} // namespace way

/// The values of the kind `lhs`: where a product of warpgroups reads its left operand.
namespace lhs {
constexpr int64_t registers = 0, shared = 1;
} // namespace lhs

/// The values of the kind `form`: how the lines of a reduction are combined (tileas-legalize-reduce). Each lies within
/// a warp; or warps reduce their parts, and each thread combines those of all warps, or lanes do by shuffles, or each
/// thread those of other lines, and the results come back through shared memory.
namespace form {
constexpr int64_t warp = 0, registers = 1, lanes = 2, twoSteps = 3;
} // namespace form

/// The part of a kernel that an operation is; nothing if none.
std::optional<Part> partOf(mlir::Operation *op);

llvm::SmallVector<DecisionAttr> decisionsOf(mlir::Operation *function);
void setDecisions(mlir::Operation *function, llvm::ArrayRef<DecisionAttr> decisions);

/// The value that a plan file asks for. The part is a function, or an operation with a number.
std::optional<int64_t> askedFor(mlir::Operation *part, DecisionKind kind);
/// Records a decision. Nothing happens to parts without a number, and to functions without a plan.
void decide(mlir::Operation *part, DecisionKind kind, int64_t value, const llvm::Twine &reason);
/// The decisions of a function while many are recorded: each is found at once, and the attribute is written once.
class DecisionTable {
public:
  explicit DecisionTable(mlir::FunctionOpInterface function);

  /// Whether it is recorded for the part.
  bool isDecided(mlir::Operation *part, DecisionKind kind) const;
  /// As the function `decide`.
  void decide(mlir::Operation *part, DecisionKind kind, int64_t value, const llvm::Twine &reason);
  void write();

private:
  mlir::FunctionOpInterface function;
  llvm::SmallVector<DecisionAttr> decisions;
  llvm::DenseMap<std::tuple<Part, int64_t, DecisionKind>, size_t> places; // in `decisions`
};

/// Whether the tensor memory accelerator may make the access: neither the hint `allow_tma` nor a plan file forbids it.
bool mayUseTma(mlir::Operation *access);

/// Why a part cannot have the value, for the verifier of the attribute and for plan files; empty where it can.
std::string refusalOf(Part part, DecisionKind kind, std::optional<int64_t> value);

} // namespace tilewright::tileas

#endif
