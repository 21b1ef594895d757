# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process survives every failure of the compiler: an exception that says what and where, then the next kernel."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native

ENTRY = """
llvm.func @kernel(%args: !llvm.ptr, %x: i64, %y: i64, %z: i64, %first: i64, %last: i64, %scratch: !llvm.ptr,
                  %context: !llvm.ptr) attributes {{cpu.scratch_bytes = 64 : i64}} {{
  {body}
  llvm.return
}}
"""


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Where modules of failures are kept."""
    monkeypatch.setenv("TILEWRIGHT_REPRODUCER_DIR", str(tmp_path))
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "off")
    return tmp_path


def check_next_kernel(factor):
    """A kernel that this process has not compiled yet compiles and runs."""

    @ct.kernel
    def scale(a, out, FACTOR: ct.Constant[int]):
        ct.store(out, (0,), ct.load(a, (0,), (16,)) * FACTOR)

    a, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    scale[1](a, out, factor)
    np.testing.assert_array_equal(out, a * factor)


def compile_failing(how, error=ct.TileCompilerExecutionError, **options):
    with pytest.raises(error) as raised:
        _native.compile(ENTRY.format(body=""), entry="kernel", fail_in=how, **options)
    return str(raised.value)


@pytest.fixture(params=["never", "always"])
def isolation(request, monkeypatch):
    """LLVM on a thread of this process, and in a child."""
    monkeypatch.setenv("TILEWRIGHT_ISOLATE", request.param)
    return request.param


@pytest.mark.parametrize(
    "kind, message",
    [
        ("fatal", "the compiler failed: planted"),
        ("crash", "the compiler crashed (signal"),
        ("stack", "the compiler ran out of stack"),
        ("memory", "the compiler ran out of memory"),
    ],
)
def test_code_generation_fails_and_the_next_kernel_compiles(kept, isolation, kind, message):
    text = compile_failing(f"{kind}:code generation of a function")
    assert message in text and "(in pass 'Call before function' on function '@kernel')" in text
    assert f"the module is in {kept}/tilewright-" in text and "to see this again: tilewright compile " in text
    assert len(list(kept.iterdir())) == 1
    check_next_kernel(100 + len(kind) + 10 * len(isolation))


@pytest.mark.parametrize("kind", ["loop", "wait"])
def test_the_time_limit_ends_a_compilation(isolation, kind):
    start = time.monotonic()
    text = compile_failing(f"{kind}:code generation of a function", ct.TileCompilerTimeoutError, time_limit=0.3)
    assert "the compiler was not done after 0.3 s" in text
    assert time.monotonic() - start < 4
    if kind == "loop":
        assert "on function '@kernel')" in text or (isolation == "always" and "child process)" in text)
    check_next_kernel(200 + len(kind) + 10 * len(isolation))


def test_a_child_that_is_killed_is_an_error(monkeypatch):
    """As the system does that runs out of memory."""
    monkeypatch.setenv("TILEWRIGHT_ISOLATE", "always")

    def kill():
        for _ in range(500):
            time.sleep(0.02)
            for thread in os.listdir("/proc/self/task"):
                for child in pathlib.Path(f"/proc/self/task/{thread}/children").read_text().split():
                    if b"--as-child" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                        os.kill(int(child), signal.SIGKILL)
                        return

    thread = threading.Thread(target=kill)
    thread.start()
    text = compile_failing("wait:code generation of a function")
    thread.join()
    assert "the compiler's child process was killed (signal 9; the system may be out of memory)" in text
    check_next_kernel(250)


def test_an_instruction_that_llvm_cannot_select(kept, isolation):
    """A fatal error of LLVM's own: the intrinsic belongs to another machine."""
    body = '%id = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32'
    with pytest.raises(ct.TileCompilerExecutionError) as raised:
        _native.compile(ENTRY.format(body=body + "\n  llvm.store %id, %args : i32, !llvm.ptr"), entry="kernel")
    text = str(raised.value)
    assert "Cannot select: intrinsic %llvm.nvvm.read.ptx.sreg.tid.x" in text
    assert "(in pass 'X86 DAG->DAG Instruction Selection' on function '@kernel')" in text
    check_next_kernel(300 + len(isolation))

    command = text.partition("to see this again: tilewright ")[2].split()
    again = subprocess.run([sys.executable, "-m", "tilewright", *command], capture_output=True, text=True)
    assert again.returncode == 1 and "Cannot select: intrinsic" in again.stderr


def test_the_limit_is_chosen_by_environment_and_context(monkeypatch):
    from tilewright.limits import time_limit

    monkeypatch.delenv("TILEWRIGHT_TIME_LIMIT", raising=False)
    assert time_limit() == 60
    monkeypatch.setenv("TILEWRIGHT_TIME_LIMIT", "2.5")
    assert time_limit() == 2.5
    with ct.compiler_timeout(10):
        assert time_limit() == 10
        seen = []
        thread = threading.Thread(target=lambda: seen.append(time_limit()))
        thread.start()
        thread.join()
        assert seen == [2.5]
    assert time_limit() == 2.5
    monkeypatch.setenv("TILEWRIGHT_TIME_LIMIT", "soon")
    with pytest.raises(
        ValueError, match="environment variable TILEWRIGHT_TIME_LIMIT is 'soon', expected seconds from 0"
    ):
        time_limit()
    with pytest.raises(ValueError, match="timeout_sec is -1, expected seconds from 0"), ct.compiler_timeout(-1):
        pass


# A job in the background of a shell has Ctrl-C ignored, and its children have it from there.
INTERRUPTED = """
import signal, sys, time
from tilewright import _native
signal.signal(signal.SIGINT, signal.default_int_handler)
print("compiling", flush=True)
try:
    _native.compile(sys.stdin.read(), entry="kernel", fail_in=sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("kind", ["loop", "wait"])
def test_an_interrupt_ends_a_compilation(isolation, kind):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, f"{kind}:code generation of a function"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"TILEWRIGHT_CACHE_DIR": "off"},
    )  # fmt: skip
    process.stdin.write(ENTRY.format(body=""))
    process.stdin.close()
    assert process.stdout.readline() == "compiling\n"
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 4
    assert process.wait(timeout=10) == 0, process.stderr.read()


def long_chain(length):
    """An expression of so many operations, each on the one before."""
    lines = ["cuda_tile.module @chain {", "  entry @kernel(%p: tile<ptr<i32>>, %v: tile<i32>) {"]
    lines += ["    %c0 = constant <i32: 3> : tile<i32>"]
    for i in range(length):
        operation = ("addi", "muli", "xori")[i % 3]
        lines.append(f"    %c{i + 1} = {operation} %c{i}, {'%v' if i % 2 else f'%c{i // 2}'} : tile<i32>")
    lines += [
        f"    %t = store_ptr_tko weak %p, %c{length} : tile<ptr<i32>>, tile<i32> -> token",
        "    return",
        "  }",
        "}",
    ]
    return "\n".join(lines)


def test_a_module_of_many_operations_compiles(tmp_path):
    """2,000 operations that depend on each other: nothing recurses along them for long."""
    length = 2_000
    module = ct.load_module(long_chain(length).encode())
    out = np.zeros(1, np.int32)
    module.kernel[1](out, 5)
    values = np.zeros(length + 1, np.uint32)
    values[0] = 3
    with np.errstate(over="ignore"):
        for i in range(length):
            other = np.uint32(5) if i % 2 else values[i // 2]
            values[i + 1] = (np.add, np.multiply, np.bitwise_xor)[i % 3](values[i], other)
    assert out.view(np.uint32)[0] == values[length]


def nested(kind, depth):
    """Loops or branches inside of each other, each of which changes a number of the one around it."""
    heads = {
        "for": "%x{n} = for %i{n} in (%zero to %one, step %one) : tile<i32> "
        "iter_values(%a{n} = %x{o}) -> (tile<i32>) {{",
        "if": "%x{n} = if %yes -> (tile<i32>) {{",
    }
    lines = [
        "cuda_tile.module @m {",
        "  entry @kernel(%p: tile<ptr<i32>>, %x0: tile<i32>) {",
        "    %zero = constant <i32: 0> : tile<i32>",
        "    %one = constant <i32: 1> : tile<i32>",
        "    %yes = cmpi greater_than %x0, %zero, signed : tile<i32> -> tile<i1>",
    ]
    inner = "%x0"
    for n in range(1, depth + 1):
        lines.append(
            heads[kind].format(n=n, o=inner.removeprefix("%x") if kind == "if" else "").replace("%x)", f"{inner})")
        )
        inner = f"%a{n}" if kind == "for" else inner
    lines.append(f"%y = addi {inner}, %one : tile<i32>")
    result = "%y"
    for n in range(depth, 0, -1):
        lines += ["continue " + result + " : tile<i32>", "}"] if kind == "for" else []
        if kind == "if":
            lines += [f"yield {result} : tile<i32>", "} else {", "yield %x0 : tile<i32>", "}"]
        result = f"%x{n}"
    lines += [f"%t = store_ptr_tko weak %p, {result} : tile<ptr<i32>>, tile<i32> -> token", "return", "}", "}"]
    return "\n".join(lines)


@pytest.mark.parametrize("text", [long_chain(500), nested("for", 60), nested("if", 60)], ids=["chain", "for", "if"])
def test_large_and_deep_modules_compile_for_gpus(text):
    made = _native.compile_to(text.encode(), "deep", "nvidia:sm_90", "ptx", time_limit=60)
    assert b".visible .entry kernel" in bytes(made.output)
