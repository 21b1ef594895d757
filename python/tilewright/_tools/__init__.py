# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands about the work around a kernel: the state of the installation (`doctor`)."""
