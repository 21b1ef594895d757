# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of a comparison, and the launches in a trace."""

import xml.etree.ElementTree as xml

from llm.cli.cpp_lines import count_cpp_lines
from llm.cli.launches import Launch, read_trace
from llm.cli.plot import place, svg

SPACE = "{http://www.w3.org/2000/svg}"


def row(operation, implementation, roofline, tokens=1):
    return {"operation": operation, "implementation": implementation, "tokens": tokens, "seconds": 1e-5,
            "roofline": roofline}  # fmt: skip


def test_a_mark_for_each_measurement():
    rows = [row("rope", "a", 0.5), row("rope", "b<c", 0.25), row("linear", "a", 1.0, tokens=512)]
    rows.append({"operation": "linear", "implementation": "b<c", "tokens": 512, "error": "no"})
    root = xml.fromstring(svg(rows, "title & more"))
    titles = [title.text for title in root.iter(f"{SPACE}title")]
    assert titles[2:] == [f"{r['implementation']}: 10 µs, {r['roofline']:.2f} of the roofline" for r in rows[:3]]
    words = [text.text for text in root.iter(f"{SPACE}text")]
    assert {"title & more", "1 token", "512 tokens", "rope", "linear"} <= set(words)


def test_the_axis_is_logarithmic_and_ends_at_its_least():
    assert place(0.1) - place(0.01) == place(1.0) - place(0.1)
    assert place(0.0) == place(1e-3) < place(1e-2)


def test_launches_are_read_from_a_trace():
    kernel = {"cat": "kernel", "name": "late", "ts": 2, "args": {"registers per thread": 32, "shared memory": 0}}
    first = {"cat": "kernel", "name": "first", "ts": 1, "args": {"registers per thread": 64, "shared memory": 1024}}
    copy = {"cat": "gpu_memcpy", "name": "copy", "ts": 0, "args": {}}
    assert read_trace({"traceEvents": [kernel, first, copy]}) == [Launch("first", 64, 1024), Launch("late", 32, 0)]


def test_lines_of_cpp_are_those_of_the_source_and_of_what_it_uses(tmp_path):
    (tmp_path / "base.cuh").write_text("// Used.\n#define SIZE 4\n\n#define OTHER 5\n")
    shared = '#include "base.cuh"\n\nint twice(int x) {\n  int y = x;\n\n  return 2 * y;\n}\n'
    shared = shared.replace("int twice", "DEVICE int twice") + "\nDEVICE int unused() { return OTHER; }\n"
    (tmp_path / "shared.cuh").write_text(shared)
    source = tmp_path / "source.cu"
    source.write_text('// A comment.\n#include "shared.cuh"\n\nKERNEL run(int *x) {\n  x[SIZE] = twice(1);\n}\n')
    assert count_cpp_lines(source) == 3 + 4 + 1
