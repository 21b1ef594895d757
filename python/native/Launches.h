// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches by the session, for Python: without the GIL, ended by Ctrl-C, with errors as exceptions.
#ifndef TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H
#define TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H

#include "Text.h"
#include "session/Launch.h"

namespace tilewright::python {

using session::LoadedEntry;

// The entry, or the exception for an error of loading it: ValueError for an unknown name.
LoadedEntry entryOrRaise(llvm::Expected<LoadedEntry> entry);

// Prints the kernel's output, and raises its failure. `arrays` are for checked mode.
void launchEntry(const std::string &kernel, const LoadedEntry &code, llvm::ArrayRef<void *> values, Grid grid,
                 const cuda::LaunchOptions &asked, llvm::function_ref<std::vector<interpreter::CheckedArray>()> arrays);

// A launch that may take long, and that signal handlers and the debugger's user may end: `launch` is called with
// options for both.
LaunchResult launchWatched(const LoadedEntry &code, session::ExecuteOptions options,
                           llvm::function_ref<llvm::Expected<LaunchResult>(const session::ExecuteOptions &)> launch);

// Writes the text of a kernel to Python's stdout.
void showPrinted(const std::string &text);
// Prints the text of prints, then raises the failure.
void reportLaunch(const std::string &kernel, LaunchResult &result);

void bindDebugger(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H
