# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright explain` of a kernel in Python, with the cubin's facts where an assembler is found."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
KERNEL = f"{ROOT / 'kernels/vector_add/kernel.py'}:vector_add_kernel"
SIGNATURE = ["--signature", "float32[::1]@16, float32[::1]@16, float32[::1]@16, 1024"]
ARRAYS = ["--arg=float32:67108864"] * 3 + ["--arg=1024"]
H100_DRAM = 3352e9  # bytes per second


def explain(capsysbinary, *words, signature=SIGNATURE):
    status = main(["explain", KERNEL, *signature, *words])
    captured = capsysbinary.readouterr()
    return status, captured.out.decode(), captured.err.decode()


def test_a_kernel_for_a_gpu(capsysbinary):
    status, text, _ = explain(capsysbinary, "--target=sm_90")
    assert status == 0
    assert "for sm_90a\n" in text
    assert "loads 8192 bytes, stores 4096 bytes, 1024 operations on elements" in text
    assert ("  registers " in text) == bool(_native.find_assemblers(sys.path))
    assert text.endswith("--grid and --arg give the predicted time of a launch.\n")


def test_without_an_assembler(capsysbinary, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", os.fspath(ROOT / "none/ptxas"))
    status, text, _ = explain(capsysbinary, "--target=sm_80")
    assert status == 0
    assert "  no cubin        ptxas " in text and "  registers " not in text


def test_a_kernel_for_a_cpu(capsysbinary):
    status, text, _ = explain(capsysbinary)
    assert status == 0 and "loop_vectors = " in text


def test_the_time_of_a_launch_on_a_cpu(capsysbinary):
    seconds = {}
    for threads in (1, 16):
        words = ["--target=cpu:x86-64-v3", "--grid=65536", "--json", f"--threads={threads}", *ARRAYS]
        prediction = json.loads(explain(capsysbinary, *words)[1])[0]["prediction"]
        assert prediction["device"].startswith(f"{threads} thread")
        assert prediction["bound"] == "DRAM" and prediction["is_complete"]
        assert prediction["fraction_of_dram"] > 0.3
        seconds[threads] = prediction["seconds"]
    assert seconds[16] < seconds[1] / 2


@pytest.mark.parametrize("signature", [SIGNATURE, []])
def test_the_time_of_a_launch(capsysbinary, signature):
    words = ["--target=sm_90", "--grid=65536", "--json", *ARRAYS]
    status, text, _ = explain(capsysbinary, *words, signature=signature)
    (kernel,) = json.loads(text)
    prediction = kernel["prediction"]
    assert status == 0
    assert prediction["grid"] == [65536, 1, 1] and prediction["blocks"] == 65536
    assert prediction["is_complete"] and prediction["is_traffic_complete"]
    # Three arrays of 2^26 elements.
    assert prediction["dram_bytes"] == pytest.approx(3 * 4 * 2**26)
    assert prediction["bound"] == "DRAM" == max(prediction["bounds"], key=prediction["bounds"].get)
    assert 1 < prediction["seconds"] / (prediction["dram_bytes"] / H100_DRAM) < 1.5
    assert 0.6 < prediction["fraction_of_dram"] < 1
    assert prediction["intensity"] == pytest.approx(2**26 / (3 * 4 * 2**26), rel=0.1)


def test_another_product(capsysbinary):
    seconds = {}
    for product in ("H100", "H200"):
        words = ["--target=sm_90", "--grid=65536", "--json", f"--product={product}", *ARRAYS]
        (kernel,) = json.loads(explain(capsysbinary, *words)[1])
        assert kernel["prediction"]["device"] == product
        seconds[product] = kernel["prediction"]["seconds"]
    assert seconds["H200"] < 0.8 * seconds["H100"]


def test_keys_of_json(capsysbinary):
    keys = "name target work decisions facts hints tiles resources instructions prediction".split()
    for target, is_gpu in (("sm_90", True), ("cpu:x86-64-v3", False)):
        (kernel,) = json.loads(explain(capsysbinary, f"--target={target}", "--json")[1])
        assert sorted(kernel) == sorted(keys)
        assert kernel["prediction"] is None
        assert (kernel["resources"] is not None) == (kernel["instructions"] is not None) == is_gpu
        assert kernel["work"][0]["loaded_bytes"] == 8192
        values = {decision["name"]: decision["value"] for decision in kernel["decisions"]}
        assert isinstance(values["warps" if is_gpu else "loop_vectors"], int)
        assert values["persistent" if is_gpu else "pair_dot"] is False


def test_a_decision_of_a_plan_file_is_asked_for(capsysbinary, tmp_path):
    plan = tmp_path / "mine.toml"
    plan.write_text("[vector_add_kernel]\nwarps = 8\n")
    _, text, _ = explain(capsysbinary, "--target=sm_90", "--json", f"--plan={plan}")
    (kernel,) = json.loads(text)
    (warps,) = (decision for decision in kernel["decisions"] if decision["name"] == "warps")
    assert warps["value"] == 8 and warps["asked"] == f"{plan}:2"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--arg=7"], "found 1 --arg, expected 4, one for each of"),
        (["--arg=2.5", *ARRAYS[1:]], "expected a shape as in 4096x4096, or ptr for any address"),
        (["--arg=4x4", *ARRAYS[1:]], "found 2 extents, expected 1 as in the signature"),
        (["--arg=int32:4", *ARRAYS[1:]], "found an array of int32, expected float32 as in the signature"),
        (["--arg=float:4", *ARRAYS[1:]], "unknown dtype 'float', expected one of "),
        (["--arg=a.npy", *ARRAYS[1:]], "--arg a.npy: expected a number, a shape as in 4096x4096"),
        (["--grid=4x4", *ARRAYS], "--grid 4x4: expected one to three positive numbers"),
    ],
)
def test_wrong_facts_are_named(capsysbinary, words, expected):
    status, _, errors = explain(capsysbinary, "--target=sm_90", *words)
    assert status == 1 and expected in errors


def test_arguments_that_need_a_dtype_or_a_signature(capsysbinary):
    status, _, errors = explain(capsysbinary, "--target=sm_90", "--arg=4x4", *ARRAYS[1:], signature=[])
    assert status == 1
    assert "expected a number, or a dtype and a shape as in float32:4096x4096, since there is no --signature" in errors


def test_arguments_that_are_not_known(capsysbinary):
    words = ["--target=sm_90", "--grid=4", "--json", "--arg=ptr", "--arg=-", "--arg=4096", "--arg=-"]
    status, text, _ = explain(capsysbinary, *words)
    assert status == 0
    assert json.loads(text)[0]["prediction"]["blocks"] == 4


@ct.kernel
def add_rows(x, y, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, TILE)) + ct.load(y, (i, 0), (1, TILE))
    ct.store(out, (i, 0), row)


def rows(count=4096, columns=1024):
    return tuple(np.zeros((count, columns), np.float32) for _ in range(3))


def test_a_launch_from_python():
    arrays = rows()
    made = ct.explain(add_rows, (4096, 1), (*arrays, 1024), target="sm_90")
    assert isinstance(made, ct.Explanation)
    assert made.text.startswith("add_rows for sm_90a\n  predicted ") and str(made) == made.text
    assert made.data["prediction"]["dram_bytes"] == pytest.approx(3 * arrays[0].nbytes)
    assert made.data["prediction"]["grid"] == [4096, 1, 1]
    assert made.seconds == made.data["prediction"]["seconds"] > 3 * arrays[0].nbytes / H100_DRAM
    assert made.bound == "DRAM"


def test_a_launch_from_python_for_another_product():
    slower, faster = (ct.explain(add_rows, 4096, (*rows(), 1024), target="sm_90", product=product).seconds
                      for product in ("H100", "H200"))  # fmt: skip
    assert faster < slower
    with pytest.raises(ValueError, match="there is no product 'H300' of sm_90a, expected H100 or H200"):
        ct.explain(add_rows, 4096, (*rows(8), 1024), target="sm_90", product="H300")


def test_a_launch_from_python_on_the_cpu():
    made = ct.explain(add_rows, 8, (*rows(8), 1024))
    assert made.data["target"].startswith("cpu") and made.data["decisions"]
    assert made.seconds > 0 and f"{ct.get_num_threads()} thread" in made.data["prediction"]["device"]


def test_what_launches_refuse_is_refused():
    with pytest.raises(ValueError, match="grid extent 0 on axis 0"):
        ct.explain(add_rows, 0, (*rows(8), 1024))
    with pytest.raises(TypeError, match="add_rows"):
        ct.explain(add_rows, 1, (object(), *rows(8)[1:], 1024))
    with pytest.raises(ValueError, match="unknown target 'tpu'"):
        ct.explain(add_rows, 1, (*rows(8), 1024), target="tpu")


def test_decisions_of_a_schedule_are_explained():
    made = ct.explain(ct.schedule(add_rows).warps(8).kernel, 8, (*rows(8), 1024), target="sm_90")
    (warps,) = (decision for decision in made.data["decisions"] if decision["name"] == "warps")
    assert warps["value"] == 8 and warps["asked"] == "schedule:2"


def test_a_kernel_of_a_module():
    entry = ct.load_module(
        b"""cuda_tile.module @m { entry @fill(%out: tile<ptr<f32>>, %n: tile<i32>) {
        %token = make_token : token
        %view = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
        %x, %y, %z = get_tile_block_id : tile<i32>
        %tiles = make_partition_view %view : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
        %value = constant <f32: 2.5> : tile<1024xf32>
        %done = store_view_tko weak %value, %tiles[%x] token = %token : tile<1024xf32>,
          partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
        return } }"""
    )["fill"]
    out = np.zeros(1 << 20, np.float32)
    made = ct.explain(entry, 1024, (out, out.size), target="sm_90")
    assert made.data["prediction"]["dram_bytes"] == pytest.approx(out.nbytes)
