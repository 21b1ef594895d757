# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of operators.

python -m bench.operators                 # PyTorch: against the bare launches of their kernels, on one thread
python -m bench.operators gradients       # forward and backward against PyTorch's own functions, on all threads
python -m bench.operators jax             # JAX: against empty calls of XLA's, on one thread
python -m bench.operators jax_gradients   # against functions of JAX's own, on all threads; needs PyTorch as well
"""

import importlib
import sys

MODULES = {"": "calls", "gradients": "gradients", "jax": "jax_calls", "jax_gradients": "jax_gradients"}

importlib.import_module(f"bench.operators.{MODULES[''.join(sys.argv[1:])]}").compare()
