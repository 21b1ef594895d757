# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well the compiler predicts the time of a launch: predicted against measured over many points."""
