# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation as loops of scalar threads, as they are written without tiles: in Numba on CPUs, in CUDA C++ on GPUs.

Each device has a module of its own with the tables OPERATIONS and SOURCES, imported when the device is used, so that a
CPU needs Numba only and a GPU its own packages only.
"""

DEVICES = ("cpu", "cuda")
MODULES = {"cpu": "cpu", "cuda": "cuda"}
