# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: functions of the language, helpers (inlined), and Python at compile time."""
