# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the cases of test_numerics_*.py, each operation by each type on each target, an everyday run takes every fifth,
always the same ones. TILEWRIGHT_NUMERICS=full (`./dev fuzz --numerics`) takes all."""

import os
import zlib

EVERY = 5


def pytest_collection_modifyitems(config, items):
    if os.environ.get("TILEWRIGHT_NUMERICS") == "full" or any("::" in argument for argument in config.args):
        return

    def is_left_out(item):
        cases = item.module.__name__.startswith("test_numerics_") and "target" in getattr(item, "fixturenames", ())
        return cases and zlib.crc32(item.name.encode()) % EVERY

    left_out = [item for item in items if is_left_out(item)]
    items[:] = [item for item in items if not is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
