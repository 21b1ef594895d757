#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks what is in a wheel, installs it into an environment of its own and does with it what a user does first; exits 1
if that fails.

usage: check_wheel.py WHEEL
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

MOST_BYTES = 35_000_000
MOST_SECONDS = 20  # from `pip install` to the first result
# The files of machine code; one beside them would be of a part that scripts/bill_of_materials.py does not have.
BINARIES = re.compile(
    r"tilewright/(_native\.[\w-]+\.so|libtilewright\.so|libtbb\.so\.12|tilewright|tileiras|tileirdisasm)"
)

MODULE = """entry @double(%p: tile<ptr<f32>>) {
  %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %y = addf %x, %x : tile<f32>
  %u = store_ptr_tko weak %p, %y token=%t : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""

SCRIPT = """import numpy as np
import tilewright as ct

@ct.kernel
def show(x):
    a = ct.load(x, (0,), (4,))
    ct.store(x, (0,), a * 2)

show[1](np.ones(4, np.float32))
"""


def readme_example():
    """The first program of the README and what it prints."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    first = next(i for i, block in enumerate(blocks) if block.startswith("import"))
    return blocks[first], blocks[first + 1]


def complaints_about_contents(wheel):
    """Whether it is small, for systems that pip knows, and says what is inside."""
    if (size := wheel.stat().st_size) > MOST_BYTES:
        yield f"{size} bytes, expected at most {MOST_BYTES}"
    if "-manylinux_" not in wheel.name:
        yield "is not audited: its name has no manylinux tag"
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if archive.read(name)[:4] == b"\x7fELF" and not BINARIES.fullmatch(name):
                yield f"{name} is machine code that the bill of materials does not have"
        info = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
        bill = json.loads(archive.read(f"{info}/sboms/tilewright.cdx.json"))
        notices = [value["value"] for part in bill["components"] for value in part["properties"]]
        for name in {"LICENSE", *notices}:
            if f"{info}/licenses/{name}" not in archive.namelist():
                yield f"the licence {name} is missing"


class Installation:
    def __init__(self, folder):
        self.folder = folder
        self.failed = False
        venv.create(folder / "venv", with_pip=True)

    def fail(self, message):
        self.failed = True
        print(message)

    def run(self, *command, expected="", given="", **variables):
        """Runs a program of the installation, which prints `expected` among other things."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TILEWRIGHT"))
        }
        environment |= {"TILEWRIGHT_CACHE_DIR": tempfile.mkdtemp(dir=self.folder), **variables}
        program = self.folder / "venv" / "bin" / command[0]
        words = " ".join([*(f"{name}={value}" for name, value in variables.items()), *map(str, command)])
        try:
            done = subprocess.run(
                [program, *command[1:]], cwd=self.folder, env=environment, input=given, capture_output=True, text=True
            )
        except OSError as error:
            self.fail(f"{words}: {error}")
            return ""
        if done.returncode or expected not in done.stdout:
            self.fail(
                f"{words}: exit status {done.returncode}, expected {expected!r}, got:\n{done.stdout}{done.stderr}"
            )
        return done.stdout


def check(wheel, folder):
    installed = Installation(folder)
    for complaint in complaints_about_contents(wheel):
        installed.fail(f"{wheel.name}: {complaint}")
    (folder / "example.py").write_text(readme_example()[0])
    start = time.perf_counter()
    installed.run("pip", "install", "-q", "--disable-pip-version-check", wheel.resolve())
    installed.run("python", "example.py", expected=readme_example()[1])
    seconds = time.perf_counter() - start
    print(f"from pip install to the first result: {seconds:.1f} s")
    if seconds > MOST_SECONDS:
        installed.fail(f"that is more than {MOST_SECONDS} s")
    (folder / "double.mlir").write_text(MODULE)
    (folder / "script.py").write_text(SCRIPT)

    installed.run("tilewright", "run", "double.mlir", "--arg", "arange:4", "--check")
    installed.run("tilewright", "run", "double.mlir", "--arg", "arange:4")
    installed.run("tilewright", "compile", "double.mlir", "--emit=obj", "-o", "double.o")
    installed.run(
        "tilewright", "debug", "script.py", given="step\nstep\nprint a\ncontinue\n", expected="tile<4xf32> [1, 1, 1, 1]"
    )

    # The program that compiles large kernels in a process of its own lies beside the library; without it they compile
    # within.
    package = installed.run("python", "-c", "import tilewright; print(tilewright.__path__[0])").strip()
    child = pathlib.Path(package) / "tilewright"
    installed.run(child, "dis", "double.mlir", expected="entry @double")
    for tool in ("tileiras", "tileirdisasm"):
        installed.run(tool, "--version", expected=f"{tool}: Tilewright")
    installed.run("python", "example.py", expected=readme_example()[1], TILEWRIGHT_ISOLATE="always")
    embed(installed)
    run_model(installed, wheel)
    return installed.failed


def run_model(installed, wheel):
    """The application with the packages that it needs, on a model that it writes itself."""
    installed.run("pip", "install", "-q", "--disable-pip-version-check", f"{wheel.resolve()}[llm]")
    installed.run("tilewright-llm", "init", "--arch", "llama3", "tiny", expected="tiny: llama3")
    installed.run("tilewright-llm", "generate", "tiny", "--prompt", "The model", expected="The model")


def embed(installed):
    """A program in C needs the library, header and CMake package of the wheel alone."""
    prefix = installed.run("tilewright", "prefix").strip()
    kernel = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"
    signature = "float32[::1], float32[::1], float32[::1], 4096"
    installed.run("tilewright", "compile", kernel, "--signature", signature, "--emit=tilebc", "-o", "add.tilebc")
    cmake = shutil.which("cmake")
    installed.run(cmake, "-S", ROOT / "examples", "-B", "embed", f"-DCMAKE_PREFIX_PATH={prefix}")
    installed.run(cmake, "--build", "embed")
    installed.run(installed.folder / "embed/embed", "add.tilebc", "cpu", expected="100000 sums are right")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(check(pathlib.Path(sys.argv[1]), pathlib.Path(folder)))
