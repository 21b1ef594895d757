# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch that may never end, tried where it can be given up."""

from __future__ import annotations

import os
import pickle
import select
import signal
import warnings
from collections.abc import Callable

from tilewright.errors import TileFaultError, TileLaunchTimeoutError


def run_in_child(launch: Callable[[], None], kernel: str, limit: float) -> None:
    """Call `launch` in a copy of this process, whose memory is its own. Raises what it raises; TileLaunchTimeoutError
    if it takes more than `limit` seconds, and then it is ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python and JAX warn that threads, which may hold locks, are not in the child. It runs a compiled kernel on the
        # arrays of this process, which another program could not have, and is ended if it waits for such a lock.
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        _report(launch, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        is_late = not select.select([pipe], [], [], limit)[0]
        if is_late:
            os.kill(child, signal.SIGKILL)
        outcome = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if is_late:
        raise TileLaunchTimeoutError(f"{kernel} has run for {limit:g} s, which is the limit, and was ended")
    if not outcome:
        raise TileFaultError(f"{kernel} ended its process with signal {-status}")
    error = pickle.loads(outcome)
    if error is not None:
        raise error


def _report(launch: Callable[[], None], writing: int) -> None:
    """Ends this process; what `launch` raised goes to the file `writing`."""
    outcome: BaseException | None = None
    try:
        launch()
    except BaseException as error:
        outcome = error
    try:
        message = pickle.dumps(outcome)
    except Exception:
        message = pickle.dumps(RuntimeError(f"{type(outcome).__name__}: {outcome}"))
    os.write(writing, message)
    os._exit(0)
