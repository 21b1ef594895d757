// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a plan, in TOML: a table for each kernel with its decisions, and tables in it for its parts.
//
//   [matmul]
//   warps = 8
//   [matmul.loop.0]
//   stages = 4
#ifndef TILEWRIGHT_SUPPORT_PLANFILE_H
#define TILEWRIGHT_SUPPORT_PLANFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilewright {

/// A line of a plan: `loop.0.stages` is `4`. Words are without their quotes.
struct PlanLine {
  std::string kernel, key, value;
  unsigned number;
};

/// A decision that cannot be made. The text names the plan and the line.
class PlanError : public llvm::ErrorInfo<PlanError> {
public:
  static char ID;
  explicit PlanError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};

/// An error whose text, as a diagnostic of a pass, is about a line of the plan of that name becomes a PlanError.
llvm::Error asPlanError(llvm::Error error, llvm::StringRef name);

/// The part of a key and its decision, as `loop.0` and `stages`; of a kernel's decision the part is empty.
std::pair<llvm::StringRef, llvm::StringRef> splitKey(llvm::StringRef key);

/// The lines of a text, in its order, of these kernels. Errors have the line; `name` is what the text is called.
llvm::Expected<std::vector<PlanLine>> readPlan(llvm::StringRef text, llvm::StringRef name,
                                               llvm::ArrayRef<std::string> kernels);
/// Those of a text for any kernels.
llvm::Expected<std::vector<PlanLine>> readPlan(llvm::StringRef text, llvm::StringRef name);
/// A line for each decision that differs: kernel, name and both values, `-` for none. Empty if there is none.
std::string comparePlans(llvm::ArrayRef<PlanLine> left, llvm::ArrayRef<PlanLine> right);
/// Calls `decide` for each line, with the number of the kernel. Its errors get the line.
llvm::Error forEachDecision(llvm::StringRef text, llvm::StringRef name, llvm::ArrayRef<std::string> kernels,
                            llvm::function_ref<llvm::Error(size_t kernel, const PlanLine &line)> decide);

/// `[kernel]`, or the table of a part of it, as in `[kernel.loop.0]`. A name of other characters is in quotes.
void printPlanTable(llvm::raw_ostream &os, llvm::StringRef kernel, llvm::StringRef part);
/// ", did you mean 'warps'?", or nothing where none of the words is near.
std::string nearestWord(llvm::StringRef word, llvm::ArrayRef<std::string> known);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_PLANFILE_H
