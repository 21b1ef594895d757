// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches by the session, as Python sees them: without the GIL, ended by Ctrl-C, with errors as exceptions.
#ifndef TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H
#define TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H

#include "Text.h"
#include "session/Launch.h"

namespace tilewright::python {

using session::LoadedEntry;

// The entry, or the exception that an error of loading it is: ValueError for a name that is not there.
LoadedEntry entryOrRaise(llvm::Expected<LoadedEntry> entry);

// Shows what the kernel printed, and raises what went wrong. `arrays` are for checked mode.
void launchEntry(const std::string &kernel, const LoadedEntry &code, llvm::ArrayRef<void *> values, Grid grid,
                 const cuda::LaunchOptions &onGpu, llvm::function_ref<std::vector<interpreter::CheckedArray>()> arrays);

// A launch that may take long, and of which signal handlers and the debugger's user may have enough: `launch` is called
// with the options, which know both.
LaunchResult launchWatched(const LoadedEntry &code, session::ExecuteOptions options,
                           llvm::function_ref<llvm::Expected<LaunchResult>(const session::ExecuteOptions &)> launch);

// Text of a kernel, where Python's own goes.
void showPrinted(const std::string &text);
// Shows the text of prints, then raises the failure.
void reportLaunch(const std::string &kernel, LaunchResult &result);

void bindDebugger(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_LAUNCHES_H
