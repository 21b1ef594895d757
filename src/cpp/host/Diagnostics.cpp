// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/host/Diagnostics.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Process.h"

using namespace clang;

namespace tilewright::cpp {

DiagnosticsOnce::DiagnosticsOnce() {
  options.ShowPresumedLoc = true;
  options.ShowColors = llvm::sys::Process::StandardErrHasColors();
  printer = std::make_unique<TextDiagnosticPrinter>(llvm::errs(), options);
}

void DiagnosticsOnce::BeginSourceFile(const LangOptions &language, const Preprocessor *preprocessor) {
  printer->BeginSourceFile(language, preprocessor);
}

void DiagnosticsOnce::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  if (level != DiagnosticsEngine::Note) {
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    std::string place;
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid())
      place = diagnostic.getLocation().printToString(diagnostic.getSourceManager());
    isRepeated = !told.insert(place + ": " + text.str().str()).second;
  }
  if (!isRepeated)
    printer->HandleDiagnostic(level, diagnostic);
}

} // namespace tilewright::cpp
