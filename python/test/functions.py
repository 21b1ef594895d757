# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of floating-point numbers: name in the language -> the same of NumPy."""

import numpy as np

UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
}
BINARY = {"pow": np.power, "atan2": np.arctan2, "truediv": np.divide}
