# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright run`: modules on arrays from files, compiled and interpreted."""

import numpy as np
import pytest
from tilewright.__main__ import main

TENSOR = "tensor_view<?x?xf32, strides=[?, 1]>"
VIEW = f"partition_view<tile=(4x4), {TENSOR}>"
# As cuTile writes it: a pointer, extents, strides for each array.
SCALE = f"""entry @scale(%a: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %u: tile<i32>, \
%f: tile<f32>, %o: tile<ptr<f32>>, %om: tile<i32>, %on: tile<i32>, %os: tile<i32>, %ou: tile<i32>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %rows = assume bounded<0, ?>, %m : tile<i32>
  %ta = make_tensor_view %a, shape = [%rows, %n], strides = [%s, 1] : tile<i32> -> {TENSOR}
  %to = make_tensor_view %o, shape = [%om, %on], strides = [%os, 1] : tile<i32> -> {TENSOR}
  %pa = make_partition_view %ta : {VIEW}
  %po = make_partition_view %to : {VIEW}
  %tile, %read = load_view_tko weak %pa[%x, %y] : {VIEW}, tile<i32> -> tile<4x4xf32>, token
  %one = reshape %f : tile<f32> -> tile<1x1xf32>
  %all = broadcast %one : tile<1x1xf32> -> tile<4x4xf32>
  %result = mulf %tile, %all : tile<4x4xf32>
  %done = store_view_tko weak %result, %po[%x, %y] : tile<4x4xf32>, {VIEW}, tile<i32> -> token
  return
}}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scale.mlir"
    path.write_text(SCALE)
    return path


@pytest.fixture
def array(tmp_path):
    a = np.random.default_rng(0).random((10, 7), np.float32)
    np.save(tmp_path / "a.npy", a)
    np.savez(tmp_path / "both.npz", a=a, b=2 * a)
    return a


def run(capsysbinary, *arguments):
    status = main(["run", *map(str, arguments)])
    captured = capsysbinary.readouterr()
    return status, captured.out.decode(), captured.err.decode()


@pytest.mark.parametrize("how", [(), ("--interpret",), ("--target", "cpu:x86-64-v2")])
def test_arrays_and_scalars(file, array, tmp_path, capsysbinary, how):
    arguments = ("--arg", f"tensor:{tmp_path}/a.npy", "--arg", "2.5", "--arg", "tensor:zeros:10x7")
    out = tmp_path / "out.npy"
    status = run(capsysbinary, file, "--entry", "scale", "--grid", "3,2", *arguments, "--out", f"2={out}", *how)
    assert status == (0, "", "")
    np.testing.assert_array_equal(np.load(out), array * np.float32(2.5))


def test_parameters_one_by_one_and_results_shown(file, array, tmp_path, capsysbinary):
    shape = [part for n in (10, 7, 7, 1) for part in ("--arg", n)]
    arguments = ["--arg", f"{tmp_path}/both.npz:b", *shape, "--arg", "-0x1", "--arg", "zeros:10x7", *shape]
    with pytest.raises(SystemExit):  # argparse takes -0x1 for an option
        run(capsysbinary, file, "--grid", "3,2,1", "--interpret", *arguments)
    arguments[arguments.index("-0x1") - 1 : arguments.index("-0x1") + 1] = ["--arg=-1e0"]
    capsysbinary.readouterr()
    status, out, err = run(capsysbinary, file, "--grid", "3,2,1", "--interpret", *arguments)
    assert (status, err) == (0, "")
    assert out.startswith("argument 6: float32 10x7\n[[")
    all_of_them = tmp_path / "all.npz"
    assert run(capsysbinary, file, "--grid", "3,2", *arguments, "--out", all_of_them)[0] == 0
    with np.load(all_of_them) as results:
        assert sorted(results.files) == ["arg0", "arg6"]
        np.testing.assert_array_equal(results["arg6"], -2 * array)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "scale takes 11 values (%arg0: ptr<f32>, %arg1: i32, %arg2: i32, "),
        (("--arg", "5"), "--arg 5 for %arg0: ptr<f32>: expected FILE.npy, FILE.npz:NAME, zeros:SHAPE"),
        (("--arg", "zeros:4xx"), "expected zeros:SHAPE as in zeros:16x32"),
        (("--arg", "zeros:4", "--arg", "x.npy"), "--arg x.npy for %arg1: i32: expected an integer"),
        (("--arg", "zeros:4", "--arg", "5000000000"), "expected a number from -2147483648 to 4294967295"),
        (("--arg", "zeros:4", "--arg", "-3"), "the module assumes 0 to 9223372036854775807, got -3"),
        (("--arg", "{tmp}/b.npy"), "found an array of int8, expected float32"),
        (("--arg", "{tmp}/none.npy"), "No such file"),
        (("--arg", "{tmp}/two.npz"), "two.npz has a, b, name one as in"),
        (("--arg", "tensor:zeros:4x4x4"), "expected an integer parameter for stride 4, found %arg5: f32"),
        (("--entry", "other"), "the module has no entry 'other', expected one of scale"),
        (("--grid", "0,1"), "--grid 0,1: expected one to three positive numbers"),
    ],
)
def test_mistakes(file, tmp_path, capsysbinary, arguments, message):
    np.save(tmp_path / "b.npy", np.zeros(4, np.int8))
    np.savez(tmp_path / "two.npz", a=np.zeros(4), b=np.zeros(4))
    texts = [f"--arg={text.format(tmp=tmp_path)}" if option == "--arg" else f"{option}={text}"
             for option, text in zip(arguments[::2], arguments[1::2], strict=True)]  # fmt: skip
    status, out, err = run(capsysbinary, file, *texts)
    assert (status, out) == (1, "") and message in err


@pytest.mark.parametrize(
    "element, value, expected",
    [("i8", "-1", 255), ("i1", "true", 1), ("f16", "1.5", 0x3E00), ("bf16", "1.0", 0x3F80), ("f64", "0.5", 0x3FE << 52),
     ("f8E4M3FN", "1.0", 0x38), ("tf32", "1.0", 0x3F800000), ("i64", "0x7fffffffffffffff", (1 << 63) - 1)],
)  # fmt: skip
def test_scalars_and_storage_of_every_width(tmp_path, capsysbinary, element, value, expected):
    path = tmp_path / "store.mlir"
    path.write_text(f"""entry @store(%v: tile<{element}>, %o: tile<ptr<{element}>>) {{
  %done = store_ptr_tko weak %o, %v : tile<ptr<{element}>>, tile<{element}> -> token
  return
}}""")
    out = tmp_path / "o.npy"
    arguments = ("--interpret", "--arg", value, "--arg", "zeros:1", "--out", f"1={out}")
    arguments = [f"--arg={argument}" if argument == value else argument for argument in arguments]
    arguments.pop(1)
    assert run(capsysbinary, path, *arguments) == (0, "", "")
    assert np.load(out).view(f"u{np.load(out).itemsize}")[0] == expected


def test_prints_and_failures(tmp_path, capsysbinary):
    path = tmp_path / "check.mlir"
    path.write_text("""entry @check(%v: tile<i1>) {
  %t = print_tko "hello\\0A" -> token
  assert %v, "it is false" : tile<i1>
  return
}""")
    assert run(capsysbinary, path, "--interpret", "--arg", "true") == (0, "hello\n", "")
    status, out, err = run(capsysbinary, path, "--interpret", "--arg", "0")
    assert (status, out) == (1, "hello\n") and "assert failed, tile block: [0, 0, 0], position: []: it is false" in err
    path.write_text("entry @endless() {\n  loop {\n    continue\n  }\n  return\n}")
    status, out, err = run(capsysbinary, path, "--interpret", "--step-limit", "100")
    assert status == 1 and f"{path}:3:5: error: the launch has executed 100 operations" in err
