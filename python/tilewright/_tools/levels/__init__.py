# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The levels of a compilation as text with places: `mlir` and `code` read what the compiler prints with --lineinfo, and
`disassembler` runs NVIDIA's, for the commands `trace` and `lsp` and for documents."""
