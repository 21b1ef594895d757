# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's search for garbage in cycles, which rests while a kernel is traced."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """All that tracing makes lives until the module is written: a search for garbage meanwhile finds none of it, and
    took a third of the time. With several threads the first one that ends switches it on again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
