# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed that Tilewright promises, measured: python -m bench cpu|gpu [--json] [--only TEXT] [--rounds N]."""
