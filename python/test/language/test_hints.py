# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every hint of a Python kernel, for every kind of target: its effect on the code, and the remark that answers it.

Code is PTX, which needs no assembler; where registers are counted, an assembler of NVIDIA's is asked.
"""

import re
import sys

import numpy as np
import pytest
import tilewright as ct
from language import array, compiled, constant, scalar
from tilewright import _native
from tilewright.errors import TileCompilerExecutionError

CPU, AMPERE, HOPPER, BLACKWELL, CONSUMER = "cpu:x86-64-v3", "sm_80", "sm_90", "sm_100", "sm_120"
GPUS = (AMPERE, HOPPER, BLACKWELL, CONSUMER)
ABIS = ("", "portable")

LOAD_BY_TMA, STORE_BY_TMA = "cp.async.bulk.tensor.2d.shared", "cp.async.bulk.tensor.2d.global"


def product_of(left=None, right=None, out=None, **hints):
    """A kernel that multiplies in a loop, with these hints at its loads, at its store, and of its own."""
    left, right, out = left or {}, right or {}, out or {}
    l_tma, l_latency = left.get("allow_tma"), left.get("latency")
    r_tma, r_latency = right.get("allow_tma"), right.get("latency")
    o_tma, o_latency = out.get("allow_tma"), out.get("latency")

    def product(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
        sums = ct.zeros((M, N), ct.float32)
        for k in range(ct.num_tiles(a, 1, (M, K))):
            x = ct.load(a, (ct.bid(0), k), (M, K), padding_mode=ct.PaddingMode.ZERO, latency=l_latency, allow_tma=l_tma)
            y = ct.load(b, (k, ct.bid(1)), (K, N), padding_mode=ct.PaddingMode.ZERO, latency=r_latency, allow_tma=r_tma)
            sums = ct.mma(x, y, sums)
        ct.store(c, (ct.bid(0), ct.bid(1)), sums.astype(c.dtype), latency=o_latency, allow_tma=o_tma)

    return ct.kernel(**hints)(product)


def arrays(dtype=ct.float16, count=3):
    facts = {"base_divisible_by": 16, "stride_divisible_by": (16, 1), "shape_divisible_by": (16, 16)}
    return tuple(array(dtype, 2, **facts) for _ in range(count))


def code_and_remarks(kernel, target, *specs, emit=None, **options):
    """The code, and {"allow_tma = true of the load": [(line of Python, is followed, why), ...]}."""
    emit = emit or ("asm" if target.startswith("cpu") else "ptx")
    module = compiled(kernel, *specs).module
    made = _native.compile_to(module, "test", target, emit, remarks=True, packages=sys.path, **options)
    answers = {}
    pattern = r"remark\[(passed|missed)\]: (\w+ = [\w ]+ of the \w+) at .*test_hints\.py:(\d+): (not )?followed: (.+)"
    for kind, hint, line, no, why in re.findall(pattern, made.optimizations):
        assert (kind == "missed") == bool(no)
        assert "%" not in why and "\n" not in why, "a remark has an operation in it"
        answers.setdefault(hint, []).append((int(line), not no, why))
    assert made.optimizations.count("category: Hints") == bool(answers)
    return made.output.decode() if emit != "cubin" else made.output, answers


def only(answers, hint):
    """Whether that hint is followed, and why; it is answered once."""
    (answer,) = answers[hint]
    return answer[1:]


PRODUCT = (*arrays(), constant(128), constant(128), constant(64))
NEVER, ALWAYS = {"allow_tma": False}, {"allow_tma": True}


@pytest.fixture(params=ABIS, ids=("tilewright", "portable"))
def abi(request, monkeypatch):
    """Both ABIs: the launcher describes arrays to the accelerator, or the kernel does."""
    if request.param:
        monkeypatch.setenv("TILEWRIGHT_LAUNCH_ABI", request.param)


@pytest.mark.parametrize("target", GPUS)
def test_no_tma_where_it_is_forbidden(target, abi):
    text, answers = code_and_remarks(product_of(NEVER, NEVER, NEVER), target, *PRODUCT)
    assert "cp.async.bulk" not in text and "tensormap" not in text
    assert [answer[1] for answer in answers["allow_tma = false of the load"]] == [True, True]
    assert only(answers, "allow_tma = false of the store")[0]


@pytest.mark.parametrize("target", (HOPPER, BLACKWELL))
def test_no_tma_for_the_one_load_where_it_is_forbidden(target, abi):
    text, answers = code_and_remarks(product_of(ALWAYS, NEVER, ALWAYS), target, *PRODUCT)
    assert LOAD_BY_TMA not in text and STORE_BY_TMA in text
    assert only(answers, "allow_tma = false of the load")[0]
    followed, why = only(answers, "allow_tma = true of the load")
    assert not followed and "another operand of its product" in why
    assert only(answers, "allow_tma = true of the store")[0]


@pytest.mark.parametrize("target", (HOPPER, BLACKWELL))
def test_no_tma_for_the_store_where_it_is_forbidden(target, abi, monkeypatch):
    monkeypatch.setenv("TILEIR_PREFER_TMA_FOR_LOAD_STORE", "1")
    text, answers = code_and_remarks(product_of(ALWAYS, ALWAYS, NEVER), target, *PRODUCT)
    assert LOAD_BY_TMA in text and STORE_BY_TMA not in text
    assert [followed for _, followed, _ in answers["allow_tma = true of the load"]] == [True, True]
    assert only(answers, "allow_tma = false of the store")[0]


def test_a_load_before_the_loop_keeps_the_others_with_the_accelerator(abi):
    def attention_like(allow_tma):
        @ct.kernel
        def kernel(q, k, c):
            x = ct.load(q, (ct.bid(0), 0), (128, 64), padding_mode=ct.PaddingMode.ZERO, allow_tma=allow_tma)
            sums = ct.zeros((128, 128), ct.float32)
            for i in range(ct.num_tiles(k, 1, (64, 128))):
                y = ct.load(k, (0, i), (64, 128), padding_mode=ct.PaddingMode.ZERO, allow_tma=True)
                sums = ct.mma(x, y, sums)
            ct.store(c, (ct.bid(0), 0), sums.astype(c.dtype), allow_tma=False)

        return kernel

    for allow_tma in (True, False):
        text, answers = code_and_remarks(attention_like(allow_tma), HOPPER, *arrays())
        assert LOAD_BY_TMA in text
        said = [followed for _, followed, _ in answers["allow_tma = true of the load"]]
        assert said == [True] * (2 if allow_tma else 1)
        assert text.count(LOAD_BY_TMA) == (3 if allow_tma else 2)


@pytest.mark.parametrize("target", GPUS)
def test_gathers_and_element_wise_kernels(target):
    @ct.kernel
    def kernel(x, out):
        i = ct.bid(0)
        rows = ct.arange(32, dtype=ct.int32)
        loaded = ct.load(x, (i, 0), (32, 64), allow_tma=True, latency=3)
        stored = ct.gather(x, (rows[:, None], ct.arange(64, dtype=ct.int32)[None, :]), latency=7)
        ct.store(out, (i, 0), loaded + stored, allow_tma=False, latency=9)

    text, answers = code_and_remarks(kernel, target, *arrays(count=2))
    assert "cp.async.bulk" not in text
    for hint in ("allow_tma = true of the load", "latency = 3 of the load", "latency = 7 of the load"):
        assert not only(answers, hint)[0]
    assert only(answers, "latency = 9 of the store") == (False, "no operation waits for a store")
    assert only(answers, "allow_tma = false of the store")[0]


@pytest.mark.parametrize(("option", "why"), [
    ({"padding_mode": ct.PaddingMode.NAN}, "padded with nan"),
    ({"unaligned": True}, "not known to be a multiple of 16 bytes"),
])  # fmt: skip
def test_tma_that_cannot_be_is_answered_with_the_reason(option, why):
    padding = option.get("padding_mode", ct.PaddingMode.ZERO)

    @ct.kernel
    def kernel(a, b, c):
        sums = ct.zeros((128, 128), ct.float32)
        for k in range(ct.num_tiles(a, 1, (128, 64))):
            x = ct.load(a, (ct.bid(0), k), (128, 64), padding_mode=padding, allow_tma=True)
            y = ct.load(b, (k, ct.bid(1)), (64, 128), padding_mode=ct.PaddingMode.ZERO)
            sums = ct.mma(x, y, sums)
        ct.store(c, (ct.bid(0), ct.bid(1)), sums.astype(c.dtype))

    specs = arrays()
    if "unaligned" in option:
        specs = (array(ct.float16, 2), *specs[1:])
    followed, said = only(code_and_remarks(kernel, HOPPER, *specs)[1], "allow_tma = true of the load")
    assert not followed and why in said


def stages(text):
    """A group of copies for each iteration before the loop, and one in it."""
    return text.count("cp.async.commit_group")


def test_latency_makes_copies_of_threads_come_further_ahead():
    small = (*arrays(), constant(64), constant(64), constant(32))
    plain, _ = code_and_remarks(product_of(), AMPERE, *small)
    deep, answers = code_and_remarks(product_of({"latency": 8}, {"latency": 2}), AMPERE, *small)
    assert stages(plain) == 4 and stages(deep) == 9
    assert only(answers, "latency = 8 of the load") == (True, "the tile is loaded 8 iterations ahead")
    assert only(answers, "latency = 2 of the load") == (True, "the tile is loaded 8 iterations ahead")


@pytest.mark.parametrize("target", (HOPPER, BLACKWELL))
def test_latency_makes_copies_of_the_producer_come_further_ahead(target):
    small = (*arrays(), constant(64), constant(64), constant(64))

    def tileas(kernel):
        return code_and_remarks(kernel, target, *small, emit="tileas")

    assert re.search(r"create_pipeline .*<8 x", tileas(product_of())[0])
    deep, answers = tileas(product_of({"latency": 10}))
    assert re.search(r"create_pipeline .*<11 x", deep)
    assert only(answers, "latency = 10 of the load") == (True, "the tile is loaded 10 iterations ahead")


@pytest.mark.parametrize("target", GPUS)
def test_latency_that_shared_memory_has_no_room_for(target):
    large = (*arrays(), constant(128), constant(256), constant(64))
    followed, why = only(code_and_remarks(product_of({"latency": 10}), target, *large)[1], "latency = 10 of the load")
    assert not followed and "shared memory has" in why


@pytest.mark.parametrize("target", GPUS)
def test_clusters_and_warps(target):
    text, answers = code_and_remarks(product_of(num_ctas=2, num_worker_warps=8), target, *PRODUCT)
    has_clusters = target in (HOPPER, BLACKWELL)
    followed, why = only(answers, "num_cta_in_cga = 2 of the kernel")
    assert followed == has_clusters
    assert has_clusters or "has no clusters" in why or "only persistent kernels have clusters" in why
    assert only(answers, "num_worker_warps_per_cta = 8 of the kernel")[0]
    threads = int(re.search(r"\.reqntid (\d+)", text)[1])
    assert threads == (384 if target in (HOPPER, BLACKWELL) else 256)  # with the agent that copies
    assert ("percluster" in text) == has_clusters


@pytest.mark.parametrize("target", GPUS)
def test_warps_whose_threads_cannot_hold_a_tile_are_declined(target):
    shape = constant(256), constant(256), constant(32)
    text, answers = code_and_remarks(product_of(num_worker_warps=1), target, *arrays(), *shape)
    followed, why = only(answers, "num_worker_warps_per_cta = 1 of the kernel")
    assert not followed
    assert why == (
        "each thread would have 2048 elements of a tile, and has registers for 256 at most; 16 warps work on it"
    )
    assert int(re.search(r"\.reqntid (\d+)", text)[1]) >= 512


def assembled(kernel, target, *specs):
    """Registers, spilled bytes, and the answer to `occupancy` if it was asked for; skips without an assembler."""
    module = compiled(kernel, *specs).module
    try:
        made = _native.compile_to(module, "test", target, "cubin", remarks=True, packages=sys.path)
    except TileCompilerExecutionError as error:
        if "no assembler of PTX found" in str(error) or " is too old: " in str(error):
            pytest.skip(str(error))
        raise
    ((registers, spilled),) = re.findall(r"(\d+) registers.* (\d+) bytes spilled", made.resources)
    said = re.findall(r"occupancy = \d+ of the kernel at .*?: (not )?followed: (.+)", made.optimizations)
    return int(registers), int(spilled), *[(not no, why) for no, why in said]


def rows(**hints):
    """All of a row at a time, several times over: many registers in use at once."""

    @ct.kernel(num_worker_warps=4, **hints)
    def kernel(x, out):
        row = ct.load(x, (ct.bid(0), 0), (1, 4096))
        powers = ct.exp(row - ct.max(row, axis=1, keepdims=True))
        ct.store(out, (ct.bid(0), 0), powers / ct.sum(powers, axis=1, keepdims=True))

    return kernel


@pytest.mark.parametrize("target", GPUS)
def test_occupancy_that_fits_is_followed(target):
    specs = arrays(ct.float32, 2)
    registers, spilled, answer = assembled(rows(occupancy=4), target, *specs)
    assert answer[0], answer
    assert 4 * 128 * registers <= 65536 and spilled == 0
    text, _ = code_and_remarks(rows(occupancy=4), target, *specs)
    assert ".minnctapersm 4" in text


def test_occupancy_leaves_shared_memory_to_other_blocks():
    """Stages of 16 KB: four without the hint, two where three blocks share an SM's memory."""
    specs = (*arrays(), constant(64), constant(64), constant(64))
    plain, shared = (code_and_remarks(product_of(**hints), AMPERE, *specs)[0] for hints in ({}, {"occupancy": 3}))
    assert stages(plain) == 4 and stages(shared) == 2
    registers, spilled, (followed, why) = assembled(product_of(occupancy=3), AMPERE, *specs)
    assert spilled == 0 and followed and why.startswith("3 blocks of an SM at a time"), (registers, why)


@ct.kernel(num_worker_warps=4, occupancy=2)
def ragged_product(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    """Loops that are not as long in every tile block, so that the kernel is not persistent."""
    sums = ct.zeros((M, N), ct.float32)
    for k in range(ct.bid(0)):
        x = ct.load(a, (ct.bid(0), k), (M, K), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (k, ct.bid(1)), (K, N), padding_mode=ct.PaddingMode.ZERO)
        sums = ct.mma(x, y, sums)
    ct.store(c, (ct.bid(0), ct.bid(1)), sums.astype(c.dtype))


def test_occupancy_of_agents_that_share_an_sm():
    """Stages have room in half of the shared memory of an SM, and agents hand over half of its registers."""
    specs = (*arrays(), constant(64), constant(64), constant(64))
    text, _ = code_and_remarks(ragged_product, HOPPER, *specs)
    assert "cp.async.bulk.tensor" in text and ".minnctapersm 2\n" in text
    kept, handed = (int(re.search(rf"setmaxnreg.{way}.sync.aligned.u32 \t(\d+)", text)[1]) for way in ("dec", "inc"))
    assert 2 * 128 * (kept + handed) <= 65536
    registers, spilled, (followed, why) = assembled(ragged_product, HOPPER, *specs)
    assert spilled == 0 and followed and why.startswith("2 blocks of an SM at a time"), (registers, why)


@pytest.mark.parametrize("target", (HOPPER, BLACKWELL))
def test_occupancy_of_a_kernel_with_agents(target):
    text, answers = code_and_remarks(product_of(occupancy=2), target, *PRODUCT)
    assert ".minnctapersm 1\n" in text
    assert only(answers, "occupancy = 2 of the kernel") == (False, "the agents of a block share all registers")


@pytest.mark.parametrize("target", GPUS)
def test_occupancy_is_no_ceiling_that_spills(target):
    specs = arrays(ct.float32, 2)
    registers, spilled = assembled(rows(), target, *specs)
    assert spilled == 0
    with_hint, spilled, (followed, why) = assembled(rows(occupancy=12), target, *specs)
    assert (with_hint, spilled) == (registers, 0)
    assert not followed and re.search(r"with fewer the assembler spilled [1-9]\d* bytes, and 0 with these", why)


def test_targets_without_a_gpu_answer_every_hint():
    hints = dict(num_ctas=2, occupancy=3, num_worker_warps=4)
    kernel = product_of({"latency": 2, "allow_tma": True}, NEVER, {"latency": 5}, **hints)
    _, answers = code_and_remarks(kernel, CPU, *PRODUCT)
    assert only(answers, "allow_tma = false of the load")[0]
    assert not only(answers, "allow_tma = true of the load")[0]
    names = ("latency = 2 of the load", "latency = 5 of the store", "num_cta_in_cga = 2 of the kernel")
    for hint in (*names, "occupancy = 3 of the kernel", "num_worker_warps_per_cta = 4 of the kernel"):
        assert not only(answers, hint)[0]
    assert len(answers) == 7


def test_hints_for_other_targets_are_not_answered():
    kernel = product_of(occupancy=ct.ByTarget(sm_80=2), num_worker_warps=ct.ByTarget(sm_90=8, default=4))
    assert not code_and_remarks(kernel, CPU, *PRODUCT)[1].keys() & {"occupancy = 2 of the kernel"}
    answers = code_and_remarks(kernel, HOPPER, *PRODUCT)[1]
    assert only(answers, "num_worker_warps_per_cta = 8 of the kernel")[0] and len(answers) == 1


@pytest.mark.parametrize("target", (CPU, *GPUS))
def test_rough_functions(target):
    @ct.kernel
    def kernel(x, out):
        tile = ct.load(x, (ct.bid(0), 0), (8, 64))
        tile = ct.tanh(tile, rounding_mode=ct.RoundingMode.APPROX)
        tile = ct.truediv(tile, tile + 2, rounding_mode=ct.RoundingMode.FULL)
        ct.store(out, (ct.bid(0), 0), ct.sqrt(tile, rounding_mode=ct.RoundingMode.APPROX))

    text, answers = code_and_remarks(kernel, target, *arrays(ct.float32, 2))
    hints = ["rounding = approx of the tanh", "rounding = approx or full of the divf", "rounding = approx of the sqrt"]
    assert sorted(answers) == sorted(hints)
    assert all(only(answers, hint)[0] == (target != CPU) for hint in hints)
    instructions = ("tanh.approx.f32", "div.full.f32", "sqrt.approx.f32")
    assert all((instruction in text) == (target != CPU) for instruction in instructions)


@pytest.mark.parametrize("target", (CPU, *GPUS))
def test_opt_level_acts_on_every_target(target):
    specs = arrays(ct.float32, 2)
    text = [code_and_remarks(rows(), target, *specs, opt_level=level)[0] for level in (0, 1)]
    assert len(text[0].splitlines()) > 1.2 * len(text[1].splitlines())


@pytest.mark.parametrize("architecture", ("sm_80", "sm_90a", "sm_100a", "sm_120a"))
@pytest.mark.parametrize(
    ("left", "right", "out"),
    [
        (NEVER, {}, {}),
        (NEVER, NEVER, NEVER),
        ({"latency": 10}, {}, NEVER),
        ({"latency": 1}, NEVER | {"latency": 7}, {}),
    ],
    ids=("one operand", "nothing", "far ahead", "far ahead by threads"),
)
def test_kernels_with_hints_compute_the_same(architecture, left, right, out, monkeypatch):
    """Simulated, in several orders of what threads, the producer and the accelerator do."""
    random = np.random.default_rng(len(left) + len(right))
    a, b = (random.integers(-3, 4, (128, 128)).astype(np.float16) for _ in range(2))
    found = np.zeros((128, 128), np.float16)
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "3")
    ct.launch(None, (2, 2), product_of(left, right, out, occupancy=2), (a, b, found, 64, 64, 32))
    np.testing.assert_array_equal(found, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))


def test_a_few_bytes_are_spilled_for_more_blocks():
    """LayerNorm of 8192 bf16 in 8 warps: four blocks with 16 bytes spilled are a third faster than two without."""
    from kernels.layer_norm.kernel import layer_norm_kernel

    kernel = layer_norm_kernel.replace_hints(num_worker_warps=8, occupancy=4)
    facts = {"base_divisible_by": 16, "stride_divisible_by": (16, 1), "shape_divisible_by": (16, 16)}
    rows, weight = array(ct.bfloat16, 2, **facts), array(ct.bfloat16, 1, base_divisible_by=16, shape_divisible_by=(16,))
    specs = (rows, weight, weight, rows, scalar(ct.float32), constant(8192), constant(True))
    registers, spilled, (followed, why) = assembled(kernel, HOPPER, *specs)
    assert registers <= 64 and spilled <= 32 and followed, why
    assert why.startswith("4 blocks of an SM at a time") and ("spilled" in why) == (spilled > 0)
