# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation knows its file, line and column, and through which calls it was inlined."""

import re

import tilewright as ct
from language import array, compiled


def doubled(x):
    return x * 2.0


def test_operations_carry_places_and_call_sites():
    @ct.kernel
    def kernel(x):
        t = ct.load(x, 0, (16,))
        ct.store(x, 0, doubled(t))

    text = compiled(kernel, array()).module.text(debug_info=True)
    first = kernel.function.__code__.co_firstlineno
    helper = doubled.__code__.co_firstlineno + 1
    places = set(re.findall(r"test_language_locations\.py\":(\d+):(\d+)", text))
    assert (str(first + 2), "13") in places  # ct.load
    assert (str(first + 3), "9") in places  # ct.store
    assert (str(helper), "12") in places
    assert "callsite(" in text
    assert re.search(rf'di_subprogram<.*line = {helper - 1}, name = "doubled", linkageName = "doubled@', text)
    assert re.search(rf'di_subprogram<.*line = {first + 1}, name = "kernel", linkageName = "kernel"', text)
