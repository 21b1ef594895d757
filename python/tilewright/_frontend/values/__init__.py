# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that tile code computes with while it is traced, and checks of them."""
