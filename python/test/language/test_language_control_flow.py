# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""if, for, while, and every way to leave them: a kernel does what the same Python function does."""

import linecache

import numpy as np
import pytest
import tilewright as ct
from language import array, constant, ints, ops_of, run_block, scalar, text_of
from tilewright._frontend.trace.tracer import Tracer


def check(kernel, python, *values):
    """`kernel(out, n)` leaves in `out` what `python(n)` returns."""
    for n in values:
        out = ints()
        run_block(kernel, out, n)
        expected = python(n)
        np.testing.assert_array_equal(out[: len(expected)], expected, err_msg=f"n = {n}")


def test_if_else_merges_what_both_branches_assign():
    @ct.kernel
    def kernel(out, n: int):
        if n > 3:
            x = n * 2
            y = 1
        else:
            x = n + 100
            y = 2
        ct.store(out, 0, x)
        ct.store(out, 1, y)

    check(kernel, lambda n: [n * 2, 1] if n > 3 else [n + 100, 2], 5, 2)


def test_elif_chain_keeps_the_value_from_before():
    @ct.kernel
    def kernel(out, n: int):
        x = 7
        if n == 1:
            x = 10
        elif n == 2:
            x = 20
        ct.store(out, 0, x)

    check(kernel, lambda n: [{1: 10, 2: 20}.get(n, 7)], 0, 1, 2)


def test_compile_time_condition_leaves_one_branch():
    @ct.kernel
    def kernel(out, FLAG: ct.Constant[bool]):
        if FLAG:
            ct.store(out, 0, 1)
        else:
            undefined_name  # noqa: B018, F821

    out = ints()
    run_block(kernel, out, True)
    assert out[0] == 1


def sum_with(n, stop, skip):
    total = 0
    for i in range(n):
        if i == skip:
            continue
        if i == stop:
            break
        total += i
    return total


@pytest.mark.parametrize(("stop", "skip"), [(4, 1), (100, 100), (0, 5), (3, 3)])
def test_break_and_continue(stop, skip):
    @ct.kernel
    def kernel(out, n: int, stop: int, skip: int):
        total = 0
        for i in range(n):
            if i == skip:
                continue
            if i == stop:
                break
            total += i
        ct.store(out, 0, total)

    out = ints()
    run_block(kernel, out, 10, stop, skip)
    assert out[0] == sum_with(10, stop, skip)


def test_break_inside_nested_ifs_skips_the_rest_of_the_body():
    def python(n):
        total = 0
        for i in range(n):
            if i > 2:
                if i == 5:
                    total += 1000
                    break
                total += 10
            total += 1
        return [total]

    @ct.kernel
    def kernel(out, n: int):
        total = 0
        for i in range(n):
            if i > 2:
                if i == 5:
                    total += 1000
                    break
                total += 10
            total += 1
        ct.store(out, 0, total)

    check(kernel, python, 2, 4, 10)


def test_a_for_without_break_stays_a_for():
    @ct.kernel
    def kernel(out, n: int, STOP: ct.Constant[bool]):
        for i in range(n):
            if STOP:
                break
            ct.store(out, i, i)

    from language import constant

    assert "for" in ops_of(kernel, array(ct.int32), scalar(), constant(False))
    assert "loop" in ops_of(kernel, array(ct.int32), scalar(), constant(True))


def test_while_with_continue_and_break():
    def python(n):
        total = i = 0
        while i < n:
            i += 1
            if i == 3:
                continue
            if i == 8:
                break
            total += i
        return [total, i]

    @ct.kernel
    def kernel(out, n: int):
        total = 0
        i = 0
        while i < n:
            i += 1
            if i == 3:
                continue
            if i == 8:
                break
            total += i
        ct.store(out, 0, total)
        ct.store(out, 1, i)

    check(kernel, python, 0, 5, 20)


def test_endless_loop_gives_its_names_values():
    @ct.kernel
    def kernel(out, n: int):
        i = 0
        while True:
            i += 1
            x = i * 2
            if i >= n:
                break
        ct.store(out, 0, x)

    check(kernel, lambda n: [max(n, 1) * 2], 5, 0)


def test_loop_carried_names_can_swap():
    @ct.kernel
    def kernel(out, n: int):
        a = 1
        b = 2
        for _ in range(n):
            a, b = b, a
        ct.store(out, 0, a)
        ct.store(out, 1, b)

    check(kernel, lambda n: [2, 1] if n % 2 else [1, 2], 3, 4)


def test_range_with_start_and_step():
    @ct.kernel
    def kernel(out, n: int):
        total = 0
        for i in range(2, n, 3):
            total += i
        ct.store(out, 0, total)

    check(kernel, lambda n: [sum(range(2, n, 3))], 1, 3, 20)


def test_early_return_from_the_kernel():
    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, 1)
        if n > 3:
            ct.store(out, 1, 2)
            return
        ct.store(out, 2, 3)

    check(kernel, lambda n: [1, 2, 0] if n > 3 else [1, 0, 3], 5, 1)


def test_return_from_a_loop_of_the_kernel():
    @ct.kernel
    def kernel(out, n: int):
        for i in range(8):
            if i == n:
                return
            ct.store(out, i, i + 1)
        ct.store(out, 0, 99)

    check(kernel, lambda n: [1, 2, 3, 0] if n == 3 else [99, 2, 3, 4, 5, 6, 7, 8], 3, 100)


def first_square(n):
    for i in range(100):
        if i * i >= n:
            return i
    return -1


def first_product(n):
    for i in range(10):
        for j in range(10):
            if i * j == n:
                return i * 100 + j
            if j > i:
                break
    return 0


def first_multiple(n):
    i = 0
    while True:
        if i * 3 > n:
            return i
        i += 1


def sign(n):
    if n > 0:
        return 1
    elif n == 0:
        return 0
    return -1


@pytest.mark.parametrize(
    ("helper", "values"),
    [(first_square, (50, 20000)), (first_product, (12, 1000)), (first_multiple, (10,)), (sign, (5, 0, -5))],
)
def test_helpers_return_from_loops_and_branches(helper, values):
    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, helper(n))

    check(kernel, lambda n: [helper(n)], *values)


def test_conditional_expression_and_short_circuit():
    @ct.kernel
    def kernel(out, n: int):
        ct.store(out, 0, 1 if n > 2 else 5)
        ct.store(out, 1, n if (n > 2 and n < 6) or n == 9 else -n)
        ct.store(out, 2, ct.astype(1 < n < 5, ct.int32))
        ct.store(out, 3, ct.astype(not n > 2, ct.int32))

    def python(n):
        return [1 if n > 2 else 5, n if (n > 2 and n < 6) or n == 9 else -n, 1 < n < 5, not n > 2]

    check(kernel, python, 3, 9, 1)


def test_the_right_side_of_and_is_not_run_in_vain():
    @ct.kernel
    def kernel(out, n: int):
        if n < 8 and ct.load(out, (n,), ()) == 0:  # the load is out of range for n >= 8
            ct.store(out, 0, 7)

    check(kernel, lambda n: [7] if n < 8 else [0], 3, 1 << 30)


def test_tuples_are_carried():
    @ct.kernel
    def kernel(out, n: int):
        state = (n, (n, 1))
        for i in range(3):
            state = (state[0] + 1, (state[1][0] * 2, state[1][1] + i))
        ct.store(out, 0, state[0])
        ct.store(out, 1, state[1][0])
        ct.store(out, 2, state[1][1])

    check(kernel, lambda n: [n + 3, n * 8, 4], 4)


def test_a_name_may_change_its_type_where_nothing_reads_it():
    @ct.kernel
    def kernel(out, n: int):
        t = ct.zeros((4,), ct.int32)
        ct.store(out, 0, t)
        for i in range(n):
            t = ct.full((2,), i, ct.int32)
            ct.store(out, i, t)

    out = ints()
    run_block(kernel, out, 3)
    np.testing.assert_array_equal(out[:6], [0, 0, 1, 1, 2, 2])


def test_arrays_may_change_where_nothing_reads_them():
    @ct.kernel
    def kernel(out, lists, n: int):
        a = lists[0]
        ct.store(out, 0, ct.load(a, 0, (2,)))
        for i in range(n):
            a = lists[i]
            ct.store(out, i + 1, ct.load(a, 0, (2,)))
            f = lambda: a.shape[0]  # noqa: B023, E731
            ct.store(out, i + 12, f())
        for i in range(n):
            a = lists[i + 1]
            ct.store(out, i + 3, ct.load(a, 0, (2,)))

    out = np.zeros(16, np.int32)
    run_block(kernel, out, [np.full(4 + i, i, np.int32) for i in range(3)], 2)
    np.testing.assert_array_equal(out, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 4, 5, 0, 0])


def test_many_returns_in_ifs_inside_of_ifs():
    """Both branches of each `if` may go on, so that what follows would be traced in both, and doubled each time."""

    def leave(n):
        step = 1
        if n > 0:
            if n % 2 == 0:
                return 0
            step = 2
        if n > 10:
            if n % 3 == 0:
                return 1
            step += 2
        if n > 20:
            if n % 4 == 0:
                return 2
        if n > 30:
            step = step * 2
            if n % 5 == 0:
                return 3
        else:
            step = 7
        if n > 40:
            if n % 6 == 0:
                return 4
        if n > 50:
            if n % 7 == 0:
                return step
        return 10 + step

    @ct.kernel
    def kernel(out, n):
        ct.store(out, 0, leave(n))

    for n in (0, 1, 2, 9, 15, 21, 25, 35, 37, 41, 49, 77, 91, 97):
        check(kernel, lambda n: [leave(n)], n)
    assert len(text_of(kernel, array(ct.int32), scalar()).splitlines()) < 500  # without a limit 1,600


def test_many_ways_to_go_on_with_a_loop():
    def count(n):
        total = 0
        for i in range(8):
            total += 1
            if i > 0:
                if (n + i) % 3 == 0:
                    continue
                total += 10
            if i > 1:
                if (n + i) % 4 == 0:
                    continue
                total += 100
            if i > 2:
                if (n + i) % 7 == 0:
                    break
            if i > 3:
                total += 1000
                if total > n * 1000:
                    return total
            total += 10000
        return -total

    @ct.kernel
    def kernel(out, n):
        ct.store(out, 0, count(n))

    for n in (0, 1, 2, 3, 5, 12, 30, 47):
        check(kernel, lambda n: [count(n)], n)


def test_what_is_assigned_after_a_way_out_of_a_loop():
    """Where the iteration ends early, the names have no value, and need none."""

    def count(n):
        total = 0
        for i in range(9):
            if i > 0:
                if (n + i) % 3 == 0:
                    continue
                a = i * 2
            else:
                a = 100
            if i > 1:
                if (n + i) % 4 == 0:
                    continue
                b = a + 1
            else:
                b = 7 * a
            if i > 2:
                c = a + b
                if (n + i) % 5 == 0:
                    break
            else:
                if n > 90:
                    continue
                c = a - b
            total += c
        return total

    @ct.kernel
    def kernel(out, n):
        ct.store(out, 0, count(n))

    for n in (0, 1, 2, 3, 5, 12, 30, 47, 95):
        check(kernel, lambda n: [count(n)], n)


def test_a_condition_of_many_loads_is_traced_once():
    @ct.kernel
    def kernel(out, x):
        if (
            (a := ct.load(x, 0, ())) > 0
            and (b := ct.load(x, 1, ())) > a
            and ct.load(x, 2, ()) > b
            and ct.load(x, 3, ()) > b
        ):
            ct.store(out, 0, a + 6)

    assert ops_of(kernel, array(ct.int32), array(ct.int32)).count("load_view_tko") == 4
    for values, expected in (([1, 2, 3, 4], 7), ([0, 2, 3, 4], 0), ([1, 1, 3, 4], 0), ([1, 2, 3, 2], 0)):
        out = ints(1)
        run_block(kernel, out, np.array(values, np.int32))
        assert out.tolist() == [expected]


def nested_loops(depth):
    """A kernel with loops inside of one another that all may be left."""
    lines = ["def nested(x, n):", "    t = ct.load(x, 0, 4)"]
    for level in range(1, depth + 1):
        indent = "    " * level
        lines += [f"{indent}for i{level} in range(n):", f"{indent}    if t.dtype == ct.float32 and n > i{level}:",
                  f"{indent}        break", f"{indent}    t = t + i{level}"]  # fmt: skip
    source = "\n".join([*lines, "    ct.store(x, 0, t)", ""])
    filename = f"<{depth} loops>"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    names = {"ct": ct}
    exec(compile(source, filename, "exec"), names)
    return ct.kernel(names["nested"])


def test_loops_that_may_be_left_are_traced_once(monkeypatch):
    traced = []
    run_statement = Tracer.run_statement
    monkeypatch.setattr(Tracer, "run_statement", lambda self, node: (traced.append(node), run_statement(self, node))[1])
    for depth in range(1, 9):
        traced.clear()
        text_of(nested_loops(depth), array(ct.float32), scalar())
        assert len(traced) == 2 + 2 * depth  # without those of the `if`, each once


def test_a_break_that_is_known_not_to_happen_leaves_a_for():
    @ct.kernel
    def kernel(out, n: int, STOP: ct.Constant[bool]):
        x = 0
        for i in range(n):
            for j in range(n):
                if STOP:
                    break
                x += j
            x += i
        ct.store(out, 0, x)

    operations = ops_of(kernel, array(ct.int32), scalar(), constant(False))
    assert operations.count("for") == 2 and "loop" not in operations
    operations = ops_of(kernel, array(ct.int32), scalar(), constant(True))
    assert operations.count("for") == 1 and operations.count("loop") == 1


@pytest.mark.parametrize("rows", [(1, 4), (4, 1), (1, 1), (3, 4)])
def test_arrays_chosen_by_control_flow_differ_in_what_is_known_of_them(rows):
    """A launch knows extents and strides of one."""

    @ct.kernel
    def kernel(a, b, out, n: int):
        chosen, _ = (a, 0) if n > 0 else (b, 1)
        ct.store(out, (0,), chosen.shape[0] * 10 + ct.load(chosen, (0, 1), (1, 1)).item())
        x, view = a, b.tiled_view((1, 1))
        for i in range(n):
            ct.store(out, (i + 1,), x.shape[0] * 10 + view.load((0, 1)).item())
            x, view = b, x.tiled_view((1, 1))
        ct.store(out, (6,), x.shape[0] * 10 + view.load((0, 1)).item())

    a, b = (np.zeros((count, 8), np.int32) for count in rows)
    a[0, 1], b = 1, np.asfortranarray(b)
    b[0, 1] = 2
    for n in (0, 1, 3):
        out = np.zeros(8, np.int32)
        ct.launch(None, (1,), kernel, (a, b, out, n))
        pairs = [(a, b)] + [(b, a)] * (n > 0) + [(b, b)] * (n > 1) + [(b, b)] * (n > 2)
        results = [first.shape[0] * 10 + second[0, 1] for first, second in pairs]
        chosen = a if n else b
        assert out[0] == chosen.shape[0] * 10 + chosen[0, 1]
        np.testing.assert_array_equal(out[1 : n + 1], results[:-1])
        assert out[6] == results[-1]
