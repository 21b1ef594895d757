// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nouns and explanations of reports.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_WORDS_H
#define TILEWRIGHT_INTERPRETER_CHECK_WORDS_H

#include "interpreter/check/RaceDetector.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace tilewright::interpreter {

// "load", "store", "atomic addition", "global @table": an operation as a noun.
std::string nameOf(mlir::Operation *op);
// "a store", "an atomic update".
std::string withArticle(llvm::StringRef noun);
// "[2, 7]": the index of an element by its row-major number.
std::string indexText(int64_t element, llvm::ArrayRef<int64_t> shape);
// Why a result of the operation has elements without a value.
std::string whyUndefined(mlir::Operation *op);
// Why two accesses race, and what to do.
std::string whyRace(const Race &race);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_WORDS_H
