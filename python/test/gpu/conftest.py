# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that need a GPU: `./dev test --gpu`, or TILEWRIGHT_TEST_GPU=1 and pytest on this folder with the wheel
installed. Without that they are not collected."""

import os

collect_ignore_glob = [] if os.environ.get("TILEWRIGHT_TEST_GPU") else ["test_*.py"]
