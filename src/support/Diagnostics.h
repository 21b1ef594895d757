// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's diagnostics of one compilation as text for a person: the place in the source, the message, the line with a
// caret, and the call sites that inlining left behind.
#ifndef TILEWRIGHT_SUPPORT_DIAGNOSTICS_H
#define TILEWRIGHT_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <string>

namespace tilewright {

// Where a location points in a source file: the innermost place of a chain of inlined calls.
mlir::FileLineColLoc sourceOf(mlir::Location location);
// As in " at kernel.py:12"; nothing where it points nowhere.
std::string placeText(mlir::Location location);

// A text that is no file, or not to be read again.
struct SourceText {
  llvm::StringRef name, text;
};

// "file:line:col: message", the source line and a caret where the file can be read, then one line per call site. Names
// the functions where debug information has them.
std::string render(mlir::Location location, llvm::StringRef severity, llvm::StringRef message,
                   const SourceText &known = {});

// Collects while it lives; the context's own handler prints nothing meanwhile. A remark goes to those who collect the
// optimizer's remarks as well (support/Remarks.h).
class DiagnosticCollector {
public:
  // Lines of the known text are shown from it; it lives as long as the collector.
  explicit DiagnosticCollector(mlir::MLIRContext *context, const SourceText &known = {});

  // The errors if there are any, else the empty string.
  const std::string &errors() const { return errorText; }
  // Warnings and remarks.
  const std::string &remarks() const { return remarkText; }

private:
  std::string errorText, remarkText;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_DIAGNOSTICS_H
