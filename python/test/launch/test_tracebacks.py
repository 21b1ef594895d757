# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tracebacks have the lines of the program, in scripts, tests and notebooks alike: not those of the package."""

import inspect
import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest
import tilewright as ct
from tilewright import compilation, tune
from tilewright._runtime.tracebacks import boundary

PACKAGE = str(Path(ct.__file__).parent)
SCRIPT = """import numpy as np
import tilewright as ct

@ct.kernel
def double(x):
    tile = ct.load(x, index=(0,), shape=(5,))
    ct.store(x, index=(0,), tile=tile * 2)

def start(x):
    double[1](x)

start(np.ones(8, np.float32))
"""


@ct.kernel
def odd(x):
    ct.store(x, index=(0,), tile=ct.load(x, index=(0,), shape=(5,)))


def one_over(number):
    return 1 // number


@ct.kernel
def divide(x):
    ct.store(x, index=(0,), tile=ct.full((4,), ct.static_eval(one_over(0)), ct.float32))


X = np.ones(8, np.float32)
TEXT = "cuda_tile.module @m { entry @f(%x: tile<i32>) { return } }"
CALLS = {
    "launch": lambda: ct.launch(None, (1,), odd, (X,)),
    "kernel[grid]": lambda: odd[1](X),
    "an argument": lambda: odd[1](object()),
    "a grid": lambda: odd["a"](X),
    "no kernel": lambda: ct.launch(None, (1,), print, (X,)),
    "explain": lambda: ct.explain(odd, 1, (X,)),
    "assemble": lambda: ct.assemble("nothing"),
    "load_module": lambda: ct.load_module(b"nothing"),
    "a kernel of a module": lambda: ct.load_module(TEXT.encode())["f"][1](X),
    "export_kernel": lambda: compilation.export_kernel(odd, [], "k.o", output_format="paper"),
    "a search": lambda: tune.exhaustive_search([1], None, lambda _: (1,), odd, lambda _: (X,), quiet=True),
    "a search of plans": lambda: ct.schedule(odd).search(1, (X,), target="paper"),
}


@pytest.mark.parametrize("call", CALLS)
def test_frames_are_those_of_the_program(call):
    with pytest.raises((ct.TileError, TypeError, ValueError)) as raised:
        CALLS[call]()
    assert [Path(frame.filename) for frame in traceback.extract_tb(raised.tb)] == [Path(__file__)] * 2


def test_functions_of_the_program_that_the_compiler_calls_keep_their_frames():
    with pytest.raises(ct.TileStaticEvalError) as raised:
        divide[1](X)
    frames = traceback.extract_tb(raised.value.__cause__.__traceback__)
    assert frames[-1].name == "one_over" and not any(frame.filename.startswith(PACKAGE) for frame in frames)


def run(script, **variables):
    command = [sys.executable, str(script)]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True).stderr


def test_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    shown = run(script)
    assert shown.count("  File ") == 2 and PACKAGE not in shown
    assert 'script.py", line 10, in start\n    double[1](x)\n' in shown
    assert "TileTypeError" in shown and shown.splitlines()[-1].strip().startswith("^")
    full = run(script, TILEWRIGHT_TRACEBACK="full")
    assert full.count(f'  File "{PACKAGE}') > 5 and full.splitlines()[-2:] == shown.splitlines()[-2:]
    assert "expected program or full" in run(script, TILEWRIGHT_TRACEBACK="some")


def test_errors_of_the_compiler_itself_keep_all_frames():
    @boundary
    def fail():
        raise ct.TileInternalError("a rule is broken")

    with pytest.raises(ct.TileInternalError) as raised:
        fail()
    assert [frame.name for frame in traceback.extract_tb(raised.tb)][-1] == "fail"


def test_functions_look_like_functions():
    assert pickle.loads(pickle.dumps(ct.launch)) is ct.launch
    assert list(inspect.signature(ct.launch).parameters)[:4] == ["stream", "grid", "kernel", "kernel_args"]
    assert ct.launch.__name__ == "launch" and ct.launch.__doc__.startswith("Run ``kernel``")
    with pytest.raises(TypeError, match="missing"):
        ct.launch(None)
