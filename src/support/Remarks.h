// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimization remarks, by MLIR's remarks (mlir/IR/Remarks.h): a pass writes
//
//   remark::missed(load.getLoc(), RemarkOpts::name("TmaLoad").category("Memory").function(name))
//       << remark::add("load does not use TMA") << remark::reason("stride not a multiple of 16 bytes");
//
// and nothing is built without a collector. Here they are collected, chosen and written. Categories are Memory and
// TensorCore.
#ifndef TILEWRIGHT_SUPPORT_REMARKS_H
#define TILEWRIGHT_SUPPORT_REMARKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm
namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tilewright {

struct OptimizationRemark {
  enum class Kind { Passed, Missed, Failed, Analysis } kind = Kind::Passed;
  std::string category, name, function;
  std::string file; // empty if it has no place
  unsigned line = 0, column = 0;
  // In the order of writing; the key `Remark` is the message.
  std::vector<std::pair<std::string, std::string>> arguments;

  std::string message() const;
};

// From here on the remarks of a context end up in `remarks`, which lives as long as the context.
void collectRemarks(mlir::MLIRContext &context, std::vector<OptimizationRemark> &remarks);

// Which to show: for each kind the category, or all, or none.
struct RemarkFilter {
  enum class Choice { None, All, Memory, TensorCore };
  Choice choices[4] = {Choice::None, Choice::None, Choice::None, Choice::None}; // by Kind

  bool takesAny() const;
  bool takes(const OptimizationRemark &remark) const;
};

// In blocks by function and category, for a terminal.
void printRemarks(llvm::ArrayRef<OptimizationRemark> remarks, llvm::raw_ostream &os);
// As LLVM's tools read them (llvm-remarkutil, opt-viewer).
llvm::Error writeRemarksAsYaml(llvm::ArrayRef<OptimizationRemark> remarks, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_REMARKS_H
