// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of options in Python: its rows, the environment, and keyword arguments by the names of the table.
#ifndef TILEWRIGHT_PYTHON_NATIVE_OPTIONS_H
#define TILEWRIGHT_PYTHON_NATIVE_OPTIONS_H

#include "Text.h"
#include "session/Settings.h"

namespace tilewright::python {

// Settings of a compilation that Ctrl-C interrupts: of the environment, and the keywords, which are options with _ for
// each -. The module is verified unless a keyword says otherwise.
session::Settings settingsOf(nanobind::kwargs keywords);

void bindOptions(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_OPTIONS_H
