# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow, the grid, assert and print in the interpreter."""

import signal
import threading

import numpy as np
import pytest
import tilewright as ct

from interpreter import run

CONSTANTS = "".join(f"  %c{i} = constant <i32: {i}> : tile<i32>\n" for i in range(11))


def module(body: str, parameters: str = "%out: tile<ptr<i32>>") -> str:
    return f"cuda_tile.module @m {{ entry @main({parameters}) {{\n{CONSTANTS}{body}\n}} }}"


def store(value: str, at: str, suffix: str = "") -> str:
    return f"""
  %p{suffix} = offset %out, {at} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %done{suffix} = store_ptr_tko weak %p{suffix}, {value} : tile<ptr<i32>>, tile<i32> -> token
"""


def result(body: str, count: int = 4, grid=(1, 1, 1), **options) -> list[int]:
    out = np.zeros(count, np.int32)
    run(module(body), out, grid=grid, **options)
    return out.tolist()


def test_for_with_carried_values():
    body = f"""
  %sum, %last = for %i in (%c2 to %c9, step %c3) : tile<i32> iter_values(%s = %c0, %l = %c10) -> \
(tile<i32>, tile<i32>) {{
    %next = addi %s, %i : tile<i32>
    continue %next, %i : tile<i32>, tile<i32>
  }}
  {store("%sum", "%c0", "a")} {store("%last", "%c1", "b")} return"""
    assert result(body)[:2] == [2 + 5 + 8, 8]


def test_for_that_never_runs_gives_what_came_in():
    body = f"""
  %sum = for %i in (%c9 to %c9, step %c1) : tile<i32> iter_values(%s = %c7) -> (tile<i32>) {{
    continue %i : tile<i32>
  }}
  {store("%sum", "%c0")} return"""
    assert result(body)[0] == 7


@pytest.mark.parametrize("unsigned, count", [("", 0), ("unsigned ", 3)])
def test_for_compares_signed_or_unsigned(unsigned, count):
    body = f"""
  %low = constant <i8: 126> : tile<i8>
  %high = constant <i8: -127> : tile<i8>
  %one = constant <i8: 1> : tile<i8>
  %n = for {unsigned}%i in (%low to %high, step %one) : tile<i8> iter_values(%s = %c0) -> (tile<i32>) {{
    %next = addi %s, %c1 : tile<i32>
    continue %next : tile<i32>
  }}
  {store("%n", "%c0")} return"""
    assert result(body)[0] == count


def test_for_ends_where_its_index_would_wrap():
    body = f"""
  %low = constant <i8: 100> : tile<i8>
  %high = constant <i8: 127> : tile<i8>
  %step = constant <i8: 20> : tile<i8>
  %n = for %i in (%low to %high, step %step) : tile<i8> iter_values(%s = %c0) -> (tile<i32>) {{
    %next = addi %s, %c1 : tile<i32>
    continue %next : tile<i32>
  }}
  {store("%n", "%c0")} return"""
    assert result(body)[0] == 2


@pytest.mark.parametrize("element", ["i8", "i32"])
@pytest.mark.parametrize("step", [0, -3])
def test_a_step_that_leads_nowhere_gives_one_iteration(element, step):
    body = f"""
  %low = constant <{element}: 1> : tile<{element}>
  %high = constant <{element}: 100> : tile<{element}>
  %step = constant <{element}: {step}> : tile<{element}>
  %n = for %i in (%low to %high, step %step) : tile<{element}> iter_values(%s = %c0) -> (tile<i32>) {{
    %next = addi %s, %c1 : tile<i32>
    continue %next : tile<i32>
  }}
  {store("%n", "%c0")} return"""
    assert result(body)[0] == 1


@pytest.mark.parametrize("element, high, step, count", [("i1", "true", "true", 1), ("i8", "-6", "-56", 2)])
def test_unsigned_steps_may_have_the_highest_bit(element, high, step, count):
    body = f"""
  %low = constant <{element}: {"false" if element == "i1" else "0"}> : tile<{element}>
  %high = constant <{element}: {high}> : tile<{element}>
  %step = constant <{element}: {step}> : tile<{element}>
  %n = for unsigned %i in (%low to %high, step %step) : tile<{element}> iter_values(%s = %c0) -> (tile<i32>) {{
    %next = addi %s, %c1 : tile<i32>
    continue %next : tile<i32>
  }}
  {store("%n", "%c0")} return"""
    assert result(body)[0] == count


def test_break_and_continue_out_of_branches():
    # The first multiple of 7 above 10 in steps of one, and how many odd numbers were passed.
    body = f"""
  %found, %odd = loop iter_values(%i = %c10, %n = %c0) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {{
    %j = addi %i, %c1 : tile<i32>
    %rest = remi %j, %c7 signed : tile<i32>
    %hit = cmpi equal %rest, %c0, signed : tile<i32> -> tile<i1>
    if %hit {{
      break %j, %n : tile<i32>, tile<i32>
    }}
    %bit = andi %j, %c1 : tile<i32>
    %even = cmpi equal %bit, %c0, signed : tile<i32> -> tile<i1>
    if %even {{
      continue %j, %n : tile<i32>, tile<i32>
    }}
    %m = addi %n, %c1 : tile<i32>
    continue %j, %m : tile<i32>, tile<i32>
  }}
  {store("%found", "%c0", "a")} {store("%odd", "%c1", "b")} return"""
    assert result(body)[:2] == [14, 2]


def test_return_from_the_depth():
    body = f"""
  %x, %y, %z = get_tile_block_id : tile<i32>
  loop iter_values(%i = %c0) : tile<i32> {{
    loop {{
      %same = cmpi equal %x, %i, signed : tile<i32> -> tile<i1>
      if %same {{
        {store("%i", "%x", "a")}
        return
      }}
      break
    }}
    %next = addi %i, %c1 : tile<i32>
    %end = cmpi equal %next, %c10, signed : tile<i32> -> tile<i1>
    if %end {{
      break
    }}
    continue %next : tile<i32>
  }}
  {store("%c9", "%x", "b")} return"""
    assert result(body, count=12, grid=(12, 1, 1)) == [*range(10), 9, 9]


def test_if_gives_values_of_the_branch_taken():
    body = f"""
  %x, %y, %z = get_tile_block_id : tile<i32>
  %is = cmpi greater_than %x, %c1, signed : tile<i32> -> tile<i1>
  %v = if %is -> (tile<i32>) {{
    yield %c7 : tile<i32>
  }} else {{
    yield %c8 : tile<i32>
  }}
  {store("%v", "%x")} return"""
    assert result(body, grid=(4, 1, 1)) == [8, 8, 7, 7]


def test_the_grid():
    body = f"""
  %x, %y, %z = get_tile_block_id : tile<i32>
  %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
  %a = muli %z, %ny : tile<i32>
  %b = addi %a, %y : tile<i32>
  %c = muli %b, %nx : tile<i32>
  %linear = addi %c, %x : tile<i32>
  {store("%nx", "%linear")} return"""
    assert result(body, count=24, grid=(2, 3, 4)) == [2] * 24


def test_blocks_run_in_order_and_see_what_those_before_wrote():
    body = f"""
  %x, %y, %z = get_tile_block_id : tile<i32>
  %before, %read = load_ptr_tko weak %out : tile<ptr<i32>> -> tile<i32>, token
  %ten = muli %before, %c10 : tile<i32>
  %sum = addi %ten, %x : tile<i32>
  {store("%sum", "%c0")} return"""
    assert result(body, grid=(5, 1, 1))[0] == 1234


ENDLESS = module("  loop {\n    continue\n  }\n  return", "")


def test_a_limit_of_operations_ends_a_loop_without_end():
    with pytest.raises(ct.TileInterpreterError) as caught:
        run(ENDLESS, step_limit=1000)
    assert "error: the launch has executed 1000 operations, the limit it was given" in str(caught.value)
    assert "<bytes>:" in str(caught.value)


def test_the_limit_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_STEP_LIMIT", "500")
    with pytest.raises(ct.TileInterpreterError, match="has executed 500 operations"):
        run(ENDLESS)


def test_control_c_ends_a_loop_without_end():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's jobs in the background ignore it
    timer = threading.Timer(0.2, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(ENDLESS)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_failed_assert_stops_the_launch():
    body = f"""
  %x, %y, %z = get_tile_block_id : tile<i32>
  {store("%c5", "%x", "a")}
  %fine = cmpi less_than %x, %c2, signed : tile<i32> -> tile<i1>
  if %fine {{
    yield
  }} else {{
    assert %fine, "x is too large" : tile<i1>
    yield
  }}
  {store("%c6", "%x", "b")} return"""
    out = np.zeros(4, np.int32)
    with pytest.raises(ct.TileAssertionError) as caught:
        run(module(body), out, grid=(4, 1, 1))
    assert "main: assert failed, tile block: [2, 0, 0], position: []: x is too large" in str(caught.value)
    assert out.tolist() == [6, 6, 5, 0]


PRINTED = """
  %x, %y, %z = get_tile_block_id : tile<i32>
  %i = constant <i8: [[1, -1], [127, -128]]> : tile<2x2xi8>
  %h = constant <f16: [1.5, -0.25]> : tile<2xf16>
  %b = constant <i1: true> : tile<i1>
  %t = print_tko "block %d: %d %u %5.2f %i 100%%\\0A", %x, %i, %i, %h, %b : tile<i32>, tile<2x2xi8>, tile<2x2xi8>, \
tile<2xf16>, tile<i1> -> token
  return"""


def test_print_is_that_of_compiled_kernels(capsys):
    kernel = ct.load_module(module(PRINTED, "").encode()).main
    texts = []
    for target in "interpreter", "cpu":
        kernel.compile(target).run((2, 1, 1), [])
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].splitlines()[0] == "block 0: [[1, -1], [127, -128]] [[1, 255], [127, 128]] [ 1.50, -0.25] 1 100%"


def test_print_of_short_floats(capsys):
    body = """
  %a = constant <f8E4M3FN: [1.5, -448.0]> : tile<2xf8E4M3FN>
  %b = constant <bf16: 3.0> : tile<bf16>
  %c = constant <tf32: 0.5> : tile<tf32>
  %t = print_tko "%g %g %g", %a, %b, %c : tile<2xf8E4M3FN>, tile<bf16>, tile<tf32> -> token
  return"""
    run(module(body, ""))
    assert capsys.readouterr().out == "[1.5, -448] 3 0.5"


def test_a_foreign_function_is_an_error_that_names_it():
    text = module('  "cuda_tile.preview$call"() <{callee = "other", const_args = []}> : () -> ()\n  return', "")
    with pytest.raises(ct.TileInterpreterError, match="cannot call the foreign function 'other'"):
        run(text)


def test_the_number_of_values_is_checked():
    kernel = ct.load_module(module("  return").encode()).main
    with pytest.raises(ValueError, match="entry 'main' has 1 parameters, got 2 values"):
        kernel.compile("interpreter").run((1, 1, 1), [1, 2])


def test_what_was_printed_before_an_error_is_shown(capsys):
    body = '  %t = print_tko "one\\0A" -> token\n  loop {\n    continue\n  }\n  return'
    with pytest.raises(ct.TileInterpreterError):
        run(module(body, ""), step_limit=100)
    assert capsys.readouterr().out == "one\n"
