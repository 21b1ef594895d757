# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that operators of every framework obey: of what they declare, and of what their kernels do."""
