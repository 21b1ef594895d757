// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_HOST_DIAGNOSTICS_H
#define TILEWRIGHT_CPP_HOST_DIAGNOSTICS_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"

#include <memory>
#include <set>
#include <string>

namespace tilewright::cpp {

/// Prints on stderr, once what two parses of a source both say.
class DiagnosticsOnce : public clang::DiagnosticConsumer {
public:
  DiagnosticsOnce();

  void BeginSourceFile(const clang::LangOptions &language, const clang::Preprocessor *preprocessor) override;
  void EndSourceFile() override { printer->EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override;

private:
  clang::DiagnosticOptions options;
  std::unique_ptr<clang::TextDiagnosticPrinter> printer;
  std::set<std::string> told;
  bool isRepeated = false; // the last one, and the notes that follow
};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HOST_DIAGNOSTICS_H
