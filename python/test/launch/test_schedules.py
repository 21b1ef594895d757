# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decisions of people on kernels for GPUs: executed on the host their results are the same, or they are refused."""

import re

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from test_gpu_simulator import gemm, highest_of_quarters, normalize
from tilewright.__main__ import main
from tilewright.scheduling import plan_text

SIGNATURE = "bfloat16[:,::1]@16, bfloat16[:,::1]@16, bfloat16[:,::1]@16, 128, 128, 32"


def products(monkeypatch, kernel, architecture):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (192, 160)).astype(ml_dtypes.bfloat16)
    b = random.integers(-3, 4, (160, 208)).astype(ml_dtypes.bfloat16)
    found = np.zeros((192, 208), ml_dtypes.bfloat16)
    kernel[2, 2](a, b, found, 128, 128, 32)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(ml_dtypes.bfloat16)
    assert (found == expected).all()


@pytest.mark.parametrize(
    ("architecture", "decisions"),
    [
        ("sm_90a", {"persistent": False}),
        ("sm_90a", {"producer": "threads"}),
        ("sm_90a", {"producer": "threads", "loop.0.stages": 1}),
        ("sm_90a", {"loop.0.stages": 2, "store.0.way": "threads"}),
        ("sm_90a", {"warps": 4, "product.0.atom": "mma_sync"}),
        ("sm_90a", {"product.0.atom": "fma"}),
        ("sm_90a", {"load.0.way": "threads"}),
        ("sm_90a", {"load.1.way": "cp_async"}),
        ("sm_90a", {"tile_order": 1}),
        ("sm_90a", {"tile_order": 4}),
        ("sm_90a", {"producer_registers": 56}),
        ("sm_90a", {"product.0.lhs": "registers"}),
        ("sm_80", {"occupancy": 2}),
        ("sm_80", {"loop.0.stages": 3, "warps": 16}),
        ("sm_100a", {"product.0.atom": "mma_sync", "producer": "threads"}),
        ("sm_120a", {"loop.0.stages": 1}),
    ],
)
def test_products_as_decided(monkeypatch, architecture, decisions):
    scheduled = ct.schedule(gemm, decisions)
    products(monkeypatch, scheduled.kernel, architecture)


@pytest.mark.parametrize("warps", [1, 4, 32])
def test_rows_as_decided(monkeypatch, warps):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    x = np.random.default_rng(0).standard_normal((3, 512), np.float32)
    plain, found = np.zeros_like(x), np.zeros_like(x)
    normalize[3,](x, plain, 512)
    ct.schedule(normalize).warps(warps).kernel[3,](x, found, 512)
    assert np.allclose(found, plain, rtol=1e-6)
    x, found = x.repeat(4, 1), np.zeros((3, 512), np.float32)
    ct.schedule(highest_of_quarters).warps(warps).way("store.0", "threads").kernel[3,](x, found, 512)
    assert (found == x.reshape(3, 4, 512).max(1)).all()


@ct.kernel
def rows_of_products(a, b, y, z, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    total = ct.full((m, n), 0, dtype=ct.float32)
    for i in range(ct.cdiv(a.shape[1], k)):
        total = ct.mma(ct.load(a, (0, i), (m, k)), ct.load(b, (i, 0), (k, n)), total)
    ct.store(y, (0, 0), total)
    tile = ct.load(z, (0, 0), (m, n))
    ct.store(z, (0, 0), tile / ct.max(tile, 1, keepdims=True))


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("elements", [1024, 8192, 32768])
def test_slices_as_decided(monkeypatch, architecture, elements):
    """Of a tile of products and of one that is only loaded and stored, both too large for registers."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (256, 64)).astype(ml_dtypes.bfloat16)
    b = random.integers(-3, 4, (64, 512)).astype(ml_dtypes.bfloat16)
    found, rows = np.zeros((256, 512), np.float32), random.random((256, 512), np.float32)
    expected = rows / rows.max(1, keepdims=True)
    ct.schedule(rows_of_products).slice(elements).kernel[1,](a, b, found, rows, 256, 512, 32)
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()
    assert np.allclose(rows, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("decisions", "error"),
    [
        (
            {"loop.0.stages": 40},
            r"schedule:2: stages = 40 of loop 0 \(.*test_gpu_simulator.py:\d+\) is impossible, it is \d+: of",
        ),
        ({"product.0.atom": "tcgen05"}, r"schedule:2: atom = tcgen05 of product 0 .* is impossible, it is mma_sync"),
        ({"warps": 3}, r"schedule:2: warps is '3', and warps of a kernel is expected to be a power of two"),
        ({"load.5.way": "tma"}, r"schedule:2: a decision on load 5, and the kernel has 2 of them, counted from 0"),
        ({"load.0.wai": "tma"}, r"schedule:2: a plan has no 'load.0.wai', did you mean 'load.N.way'\?"),
    ],
)
def test_what_is_impossible_is_refused(monkeypatch, decisions, error):
    with pytest.raises((ct.TileError, ValueError)) as raised:
        products(monkeypatch, ct.schedule(gemm, decisions).kernel, "sm_90a")
    assert re.search(error, str(raised.value)) and not isinstance(raised.value, ct.TileInternalError)


@ct.kernel
def extremes_of_rows(x, y, places, m: ct.Constant[int], n: ct.Constant[int]):
    tile = ct.load(x, (0, 0), (m, n))
    ct.store(y, (0,), ct.sum(tile, 1) + ct.max(tile, 1))
    ct.store(places, (0,), ct.argmax(tile, 1))


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a", "sm_120a"])
@pytest.mark.parametrize("form", ["registers", "lanes", "two_steps", "warp"])
def test_forms_of_reductions(monkeypatch, architecture, form):
    """Of integers, whose sums are the same in any order."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    x = np.random.default_rng(0).integers(-9, 10, (32, 1024)).astype(np.float32)
    y, places = np.zeros(32, np.float32), np.zeros(32, np.int32)
    made = ct.schedule(extremes_of_rows).warps(8)
    for number in range(3):
        made = made.form(number, form)
    made.kernel[1,](x, y, places, 32, 1024)
    assert (y == x.sum(1) + x.max(1)).all()
    assert (places == x.argmax(1)).all()


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ("warp", r"schedule:4: form = warp of reduction 0 \(.*\) is impossible, it is registers: its tile has 1 lines"),
        ("two_steps", r"form = two_steps of reduction 0 \(.*\) is impossible, it is registers: no thread would have"),
        ("shuffles", r"form is 'shuffles', and form of a reduction is expected to be warp, registers, lanes or two_"),
    ],
)
def test_forms_that_are_refused(monkeypatch, form, error):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    x, y, places = np.zeros((1, 1024), np.float32), np.zeros(1, np.float32), np.zeros(1, np.int32)
    with pytest.raises((ct.TileError, ValueError)) as raised:
        ct.schedule(extremes_of_rows).warps(8).form(0, form).kernel[1,](x, y, places, 1, 1024)
    assert re.search(error, str(raised.value)) and not isinstance(raised.value, ct.TileInternalError)


def test_rows_that_are_streamed(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    x = np.random.default_rng(0).standard_normal((3, 512), np.float32)
    plain, found = np.zeros_like(x), np.zeros_like(x)
    normalize[3,](x, plain, 512)
    streamed = ct.schedule(normalize).cache("load.0", "streaming").cache("store.0", "streaming")
    assert streamed.text(name="k") == '["k".load.0]\ncache = "streaming"\n["k".store.0]\ncache = "streaming"\n'
    streamed.kernel[3,](x, found, 512)
    assert (found == plain).all()


def test_streaming_instructions(tmp_path, capsysbinary):
    plan, path = tmp_path / "k.toml", f"{normalize.function.__code__.co_filename}:normalize"
    ct.schedule(normalize).cache("load.0", "streaming").cache("store.0", "streaming").write(plan)
    words = [path, "--signature", "float32[:,::1]@16, float32[:,::1]@16, 512", "--target=sm_90", "--emit=ptx"]
    assert main(["compile", *words, f"--plan={plan}"]) == 0
    code = capsysbinary.readouterr().out.decode()
    assert "ld.global.cs" in code and "st.global.cs" in code
    assert main(["compile", *words]) == 0
    assert "global.cs" not in capsysbinary.readouterr().out.decode()


@ct.kernel
def attend(q, k, v, out, rows: ct.Constant[int], size: ct.Constant[int]):
    queries = ct.load(q, (ct.bid(0), 0), (rows, size))
    highest = ct.full((rows, 1), -1e30, ct.float32)
    total = ct.full((rows, 1), 0, ct.float32)
    sums = ct.full((rows, size), 0, ct.float32)
    for j in range(ct.cdiv(k.shape[1], rows)):
        scores = ct.mma(queries, ct.load(k, (0, j), (size, rows)), ct.full((rows, rows), 0, ct.float32))
        above = ct.maximum(highest, ct.max(scores, 1, keepdims=True))
        powers = ct.exp2(scores - above)
        factor = ct.exp2(highest - above)
        total = total * factor + ct.sum(powers, 1, keepdims=True)
        sums = ct.mma(ct.astype(powers, q.dtype), ct.load(v, (j, 0), (rows, size)), sums * factor)
        highest = above
    ct.store(out, (ct.bid(0), 0), ct.astype(sums / total, out.dtype))


def attended(kernel, tiles=3):
    random = np.random.default_rng(1)
    q, v = (random.standard_normal((rows, 64), np.float32).astype(ml_dtypes.bfloat16) for rows in (128, 128 * tiles))
    k = random.standard_normal((64, 128 * tiles), np.float32).astype(ml_dtypes.bfloat16)
    out = np.zeros((128, 64), np.float32)
    kernel[1,](q, k, v, out, 128, 64)
    return out


SERIAL = "start product.0, wait product.0, work, start product.1, wait product.1"


@pytest.mark.parametrize(
    "items",
    [
        "start product.0, start product.1(i-1), wait product.0, work, wait product.1",
        SERIAL,
        "start product.0, work(i-1), start product.1(i-1), wait product.0, wait product.1",
        "start product.0, wait product.0, do reduction.0, start product.1(i-1), work, wait product.1",
        "start product.0, wait product.0, work(i-1), start product.1(i-1), wait product.1",
    ],
)
@pytest.mark.parametrize("tiles", [1, 4])
def test_schedules_of_a_loop(monkeypatch, items, tiles):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    expected = attended(ct.schedule(attend).order(0, "serial").kernel, tiles)
    assert np.abs(expected).max() > 0
    assert (attended(ct.schedule(attend).order(0, *items.split(", ")).kernel, tiles) == expected).all()


def test_schedules_edited_at_random(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    expected, random, right = attended(attend), np.random.default_rng(2), 0
    for _ in range(40):
        items = SERIAL.split(", ")
        for _ in range(random.integers(1, 4)):
            one, other = random.integers(0, len(items), 2)
            items[one], items[other] = items[other], items[one]
        if random.random() < 0.7:
            items = [item + "(i-1)" if random.random() < 0.4 and "wait" not in item else item for item in items]
        try:
            assert (attended(ct.schedule(attend).order(0, *items).kernel) == expected).all(), items
            right += 1
        except ct.TileError as error:
            assert str(error).startswith("schedule:2: the schedule is impossible: "), items
    assert right >= 5


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (SERIAL.replace("work, ", ""), None),
        (
            SERIAL.replace("wait product.0, work, start product.1", "start product.1, wait product.0"),
            r"it has 'start product.1' at .*schedules.py:\d+ before 'wait product.0' at .*:\d+, for which",
        ),
        (
            "start product.0, wait product.0, start product.1, work(i-1), wait product.1",
            r"it has 'start product.1' at .*:\d+ before '[a-z]+\.[a-z0-9]+' at .*:\d+, for which it has",
        ),
        (
            "start product.0, start product.1(i-2), wait product.0, wait product.1, work",
            r"has 'arith.mulf' at .*:\d+ before 'wait product.1' at .*:\d+ of the iteration before, for which",
        ),
        (SERIAL.replace("product.1", "product.2"), r"the loop has no product.2, did you mean 'product.[01]'\?; it has"),
        (SERIAL.replace("work", "do reductio.0"), r"found 'reductio.0', did you mean 'reduction'\?, expected a part"),
        (SERIAL.replace("work", "wurk"), r"found 'wurk', did you mean 'work'\?, expected start, wait or do"),
    ],
)
def test_schedules_that_are_none_of_the_loop(monkeypatch, items, reason):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    kernel = ct.schedule(attend).order(0, items).kernel
    if reason is None:  # what has to be computed is, wherever it is named
        attended(kernel)
        return
    with pytest.raises((ct.TileError, ValueError), match=f"schedule:2: .*{reason}"):
        attended(kernel)


def test_words_of_the_file(tmp_path):
    made = ct.schedule(gemm).warps(8).stages(0, 4).persistent(False).way("load.0", "tma").order(1, "serial")
    assert made.text() == (
        '["gemm"]\nwarps = 8\npersistent = false\n["gemm".loop.0]\nstages = 4\n["gemm".load.0]\nway = "tma"\n'
        '["gemm".loop.1]\nschedule = "serial"\n'
    )
    ordered = ct.schedule(gemm).order(0, "start product.0", "work", "wait product.0")
    assert ordered.text(name="k") == '["k".loop.0]\nschedule = "start product.0, work, wait product.0"\n'
    all_others = ct.schedule(gemm).producer("agent").atom(0, "wgmma")
    assert all_others.text(name="k") == '["k"]\nproducer = "agent"\n["k".product.0]\natom = "wgmma"\n'
    registers = ct.schedule(gemm).tile_order(4).occupancy(1).producer_registers(40).slice(4096).lhs(0, "shared")
    assert registers.text(name="k") == (
        '["k"]\ntile_order = 4\noccupancy = 1\nproducer_registers = 40\nslice = 4096\n["k".product.0]\nlhs = "shared"\n'
    )
    assert ct.schedule(gemm).split(2).text(name="k") == '["k"]\nsplit = 2\n'
    assert ct.schedule(gemm).cluster(2).text(name="k") == '["k"]\ncluster = 2\n'
    made.write(tmp_path / "k.toml")
    assert (tmp_path / "k.toml").read_text() == made.text()
    assert made.kernel.replace_hints(occupancy=2).decisions == made.decisions
    assert gemm.decisions == {}
    assert plan_text("k", {}) == ""


def decisions_of(path):
    """The lines of a plan without the reasons."""
    return re.sub("  #.*", "", path.read_text())


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_a_plan_gives_itself_again(tmp_path, capsysbinary, architecture):
    """And a difference of two is shown by kernel and decision."""
    kernel, first, second = f"{gemm.function.__code__.co_filename}:gemm", tmp_path / "a.toml", tmp_path / "b.toml"
    words = [kernel, "--signature", SIGNATURE, f"--target={architecture}"]
    assert main(["plan", *words, "-o", str(first)]) == 0
    assert main(["plan", *words, f"--plan={first}", "-o", str(second)]) == 0
    assert decisions_of(first) == decisions_of(second)
    assert "# the plan file asks for it" in second.read_text()
    assert "[gemm.product.0]" in first.read_text()
    assert main(["plan", "diff", str(first), str(second)]) == 0
    second.write_text(re.sub("(?m)^warps = .*", "warps = 32", first.read_text()))
    capsysbinary.readouterr()
    assert main(["plan", "diff", str(first), str(second)]) == 1
    assert re.fullmatch(r"gemm  warps: \d+ -> 32\n", capsysbinary.readouterr().out.decode())


def test_a_search_ranks_plans_by_predicted_time():
    a, b, c = (np.zeros(shape, np.float16) for shape in ((1024, 256), (256, 1024), (1024, 1024)))
    found = ct.schedule(gemm).persistent(False).search((8, 8), (a, b, c, 128, 128, 64), most=40, target="sm_90")
    seconds = [each.seconds for each in found.candidates]
    assert 0 < seconds[0] and seconds == sorted(seconds)
    assert len(found.candidates) + len(found.refused) <= 41
    assert found.best.decisions["persistent"] is False
    assert any(each.schedule.decisions == {"persistent": False} for each in found.candidates)
    refused, reason = found.refused[0]
    assert len(refused.decisions) > 1 and "is impossible" in reason
    assert str(found).startswith(f"{len(found.candidates)} plans, {len(found.refused)} refused\n")
    named = ct.schedule(gemm).search((8, 8), (a, b, c, 128, 128, 64), most=1, target="sm_90", product="H200")
    assert len(named.candidates) + len(named.refused) <= 2
    with pytest.raises(ValueError, match="plans are searched for GPUs, found the target cpu"):
        ct.schedule(gemm).search((8, 8), (a, b, c, 128, 128, 64), target="cpu")


@ct.kernel
def transposed(a, out, tm: ct.Constant[int], tn: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (j, i), ct.transpose(ct.load(a, (i, j), (tm, tn))))


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float32, np.int8])
@pytest.mark.parametrize("tile", [(64, 64), (128, 64), (128, 128)])
@pytest.mark.parametrize("way", [None, "tma"])
def test_transpositions_are_stored_by_threads(monkeypatch, dtype, tile, way):
    """Unless a plan has it otherwise: writes for the tensor memory accelerator would be of single elements."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    a = np.random.default_rng(0).integers(-50, 50, (256, 128)).astype(dtype)
    found = np.zeros((128, 256), dtype)
    kernel = ct.schedule(transposed).way("store.0", way).kernel if way else transposed
    grid, arguments = (256 // tile[0], 128 // tile[1]), (a, found, *tile)
    kernel[grid](*arguments)
    assert (found == a.T).all()
    (decision,) = (
        each
        for each in ct.explain(kernel, grid, arguments, target="sm_90").data["decisions"]
        if each["name"] == "store.0.way"
    )
    assert decision["value"] == (way or "threads")
