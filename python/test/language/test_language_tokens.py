# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token ordering through control flow and memory orders; each operation is found by its line in the module's text."""

import re

import tilewright as ct
from language import array, scalar, text_of


def lines_of(kernel, *specs):
    """Lines with tokens, as (result names, operation, rest)."""
    found = []
    for line in text_of(kernel, *specs).splitlines():
        match = re.match(r"\s*(?:(%[\w#:, %]+) = )?(\w+) (.*)", line)
        if match and "token" in line:
            found.append((match[1] or "", match[2], match[3]))
    return found


def operation(lines, name, which=0):
    return [line for line in lines if line[1] == name][which]


def token_operand(line):
    return re.search(r"token ?= ?(%\w+(?:#\d+)?)", line[2])[1]


def token_result(line):
    return line[0].split(", ")[-1]


def test_a_store_in_one_branch_orders_a_load_after_the_if():
    @ct.kernel
    def kernel(x, y, n: int):
        if n > 3:
            ct.store(x, 0, ct.ones((16,), ct.float32))
        ct.store(y, 0, ct.load(x, 0, (16,)))

    lines = lines_of(kernel, array(), array(), scalar())
    # The branch hands on the token of its store; the other one the token from before.
    stored = token_result(operation(lines, "store_view_tko"))
    handed_on = [rest.split(" : ")[0] for _, name, rest in lines if name == "yield"]
    assert stored in handed_on[0] and "%0" in handed_on[1]
    results = operation(lines, "if")[0].split(":")[0]
    assert token_operand(operation(lines, "load_view_tko")).split("#")[0] == results


def test_stores_wait_for_earlier_loads():
    @ct.kernel
    def kernel(x):
        first = ct.load(x, 0, (16,))
        second = ct.load(x, 1, (16,))
        ct.store(x, 0, first + second)

    lines = lines_of(kernel, array())
    loads = [token_result(operation(lines, "load_view_tko", i)) for i in (0, 1)]
    join = operation(lines, "join_tokens")
    assert all(load in join[2] for load in loads)
    assert token_operand(operation(lines, "store_view_tko")) == join[0]
    assert token_operand(operation(lines, "load_view_tko", 1)) == "%0"


def test_loads_after_a_loop_that_stores_wait_for_it():
    @ct.kernel
    def kernel(x, y, n: int):
        for i in range(n):
            ct.store(x, i, ct.ones((16,), ct.float32))
        ct.store(y, 0, ct.load(x, 0, (16,)))

    lines = lines_of(kernel, array(), array(), scalar())
    assert token_operand(operation(lines, "load_view_tko")).split("#")[0] == operation(lines, "for")[0].split(":")[0]


def test_acquire_and_release_order_other_arrays():
    @ct.kernel
    def kernel(data, flag):
        device = ct.MemoryScope.DEVICE
        ct.store(data, 0, ct.ones((16,), ct.float32))
        ct.store(flag, 0, 1, memory_order=ct.MemoryOrder.RELEASE, memory_scope=device)
        seen = ct.load(flag, 1, (), memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=device)
        ct.store(flag, 2, seen + ct.load(data, 1, (1,)).astype(ct.int32).item())

    lines = lines_of(kernel, array(), array(ct.int32))
    data, release, _ = (operation(lines, "store_view_tko", i) for i in range(3))
    acquire, after = (operation(lines, "load_view_tko", i) for i in (0, 1))
    assert "release device" in release[2] and token_operand(release) == token_result(data)
    assert "acquire device" in acquire[2] and token_operand(acquire) == token_result(release)
    join = next(line for line in lines if line[1] == "join_tokens" and line[0] == token_operand(after))
    assert token_result(data) in join[2] and token_result(acquire) in join[2]


def test_prints_keep_their_order():
    @ct.kernel
    def kernel(n: int):
        ct.print("first", n)
        ct.print("second", n)

    lines = lines_of(kernel, scalar())
    first, second = operation(lines, "print_tko", 0), operation(lines, "print_tko", 1)
    assert token_operand(second) == token_result(first)
