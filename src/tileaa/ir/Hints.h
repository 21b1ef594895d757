// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of a program on its kernels, loads and stores. The pass that makes a decision answers its hint: a remark
// (support/Remarks.h) of the category Hints reports the decision and the reason, and the hint is removed from the
// operation. A hint is answered while its operation exists, so that no answer is inferred from later IR.
#ifndef TILEWRIGHT_TILEAA_IR_HINTS_H
#define TILEWRIGHT_TILEAA_IR_HINTS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tilewright::tileaa {

/// The hints (`#tileaa.hints`) of a function; a load or store has them as its own attribute `hints`.
constexpr llvm::StringLiteral hintsAttr = "tileaa.hints";

/// All hints of a function, load or store, by architecture. Null if it has none.
mlir::DictionaryAttr hintsByTarget(mlir::Operation *op);
/// An empty dictionary leaves none.
void setHints(mlir::Operation *op, mlir::DictionaryAttr targets);

namespace hint {
constexpr llvm::StringLiteral allowTma = "allow_tma", latency = "latency", occupancy = "occupancy",
                              blocksOfCluster = "num_cta_in_cga", warps = "num_worker_warps_per_cta";
} // namespace hint

/// Resolves the hints for one architecture, with those of `default` for the missing ones. Without an architecture, as
/// for a CPU, only those of `default`.
void chooseHints(mlir::Operation *root, llvm::StringRef architecture);

/// The hints that are not answered yet; null if there are none.
mlir::Attribute hintOf(mlir::Operation *op, llvm::StringRef name);
std::optional<int64_t> numberHinted(mlir::Operation *op, llvm::StringRef name);
/// In the place of the hint that the program gives, if it does.
void setNumberHinted(mlir::Operation *op, llvm::StringRef name, int64_t value);
/// False where the hint `allow_tma` forbids the tensor memory accelerator.
bool mayUseTma(mlir::Operation *access);

/// Answers, which do nothing where the hint is not there. How, or why not, is the end of a sentence.
void followHint(mlir::Operation *op, llvm::StringRef name, const llvm::Twine &how);
void declineHint(mlir::Operation *op, llvm::StringRef name, const llvm::Twine &why);
/// Of `allow_tma` for an access that threads make; that the accelerator is allowed is no order to use it.
void answerWithoutTma(mlir::Operation *access, const llvm::Twine &why);

/// Whether the operation may give a rough result: a rounding mode `approx` or `full` of the program.
bool mayBeRough(mlir::Operation *op);
/// Answers that permission, which stays.
void answerRounding(mlir::Operation *op, bool isFollowed, const llvm::Twine &why);

/// An answer where the operation is no longer there.
struct HintAnswer {
  mlir::Location place;
  llvm::StringRef kernel, what, name;
  mlir::Attribute value;
  bool isFollowed;
};
void remarkHint(const HintAnswer &answer, const llvm::Twine &why);

} // namespace tilewright::tileaa

#endif
