# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of tilewright-llm: a module each, with add_options and run."""
