# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes over a traced kernel, in the order of `compile.lower`."""
