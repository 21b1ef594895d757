# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many threads run a grid."""


def set_num_threads(count: int) -> None:
    """Run later launches on ``count`` threads, the calling one included. The default is the number of cores this
    process may use, or TILEWRIGHT_NUM_THREADS. Since 0.1."""
    from tilewright import _native

    _native.set_num_threads(count)


def get_num_threads() -> int:
    """The number of threads that launches run on. Since 0.1."""
    from tilewright import _native

    return _native.get_num_threads()
