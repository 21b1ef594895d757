# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each implementation of each operation against the plainest one, on the shapes that models have. TRITON_INTERPRET=1 in
the environment has Triton's kernels run on the CPU, too."""

import contextlib

import pytest

from llm import arrays as memory
from llm import errors
from llm.check_results import check_results
from llm.ops import OPERATIONS, find, load
from llm.ops.works import make_work


def devices():
    """Those that there are, by name."""
    found = {"cpu": memory.device("cpu")}
    with contextlib.suppress(errors.ModelError):
        found["cuda"] = memory.device("cuda")
    return found


def missing(implementation, device):
    """Why it cannot run here, or None."""
    try:
        return load(implementation, device) and None
    except errors.MissingPackage as error:
        return str(error)


ALL = ("tilewright", "torch", "triton", "cutile", "simt", "pallas", "warp")
DEVICES = devices()
PAIRS = [(name, device) for name in ALL for device in DEVICES]
RUNS = [pair for pair in PAIRS if missing(*pair) is None and pair[1] in load(pair[0]).DEVICES]


@pytest.mark.parametrize(("implementation", "device"), PAIRS)
def test_is_installed(implementation, device):
    if missing(implementation, device):
        pytest.skip(missing(implementation, device))


# Of the root of the mean square. A result of bf16 is rounded once here and there, and some inputs of a second product
# before it. Tensor cores round f32 to tf32, of 11 bits, and sums of products of f8 to 14 bits.
ALLOWED = {("cpu", "float32"): 2e-5, ("cuda", "float32"): 5e-3, ("cpu", "bfloat16"): 2e-2, ("cuda", "bfloat16"): 2e-2}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("tokens", [1, 5, 70])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("implementation", "device"), RUNS)
def test_operation(implementation, device, operation, tokens, dtype):
    try:
        run = find(operation, implementation, device)
    except errors.UnknownOperation as error:
        pytest.skip(str(error))
    work = make_work(operation, "tiny", tokens=tokens, cached=37, dtype=dtype)
    found = work.results(run, DEVICES[device])
    check_results(found, work.results(find(operation, "numpy")), operation, dtype, ALLOWED[device, dtype])
