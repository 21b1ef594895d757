# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan in the pages of `tilewright trace`: agents and stages over time, shared memory, layouts, loops of a CPU."""

import pytest
from pages import MOE, ROOT, rows, trace
from tilewright._tools.trace.program import bytes_of


def plan_of(folder, target):
    packed = trace(folder, *MOE, target).packed()
    (plan,) = packed["plans"]
    return packed, plan


@pytest.fixture(scope="module")
def hopper(tmp_path_factory):
    return plan_of(tmp_path_factory.mktemp("hopper"), "nvidia:sm_90a")


@pytest.fixture(scope="module")
def ampere(tmp_path_factory):
    return plan_of(tmp_path_factory.mktemp("ampere"), "nvidia:sm_80")


def decision(plan, name):
    (value,) = [each["value"] for each in plan["decisions"] if each["name"] == name]
    return value


def bars(plan, name):
    (found,) = [row["bars"] for row in plan["timeline"] if row["name"] == name]
    return found


def stages(plan):
    return [row["bars"] for row in plan["timeline"] if ", stage " in row["name"]]


def test_agents(hopper, ampere):
    _, plan = hopper
    assert [agent["name"] for agent in plan["agents"]] == ["consumers", "producer"]
    assert [agent["warps"] for agent in plan["agents"]] == [decision(plan, "warps"), 4]
    assert [agent["name"] for agent in ampere[1]["agents"]] == ["threads"]


@pytest.mark.parametrize("target", ["hopper", "ampere"])
def test_stages_over_time(target, request):
    _, plan = request.getfixturevalue(target)
    number = decision(plan, "loop.0.stages")
    assert len(stages(plan)) == number
    for stage, found in enumerate(stages(plan)):
        assert found and all(use % number == stage for _, _, _, use, _ in found)
        ends = [end for _, _, end, _, _ in found]
        assert all(begin >= end for (_, begin, *_), end in zip(found[1:], ends, strict=False))
    assert {kind for found in stages(plan) for kind, *_ in found} >= {"copy", "read"}


def test_products_begin_when_their_stage_is_full(hopper):
    _, plan = hopper
    products = [begin for kind, begin, *_ in bars(plan, "tensor cores") if kind == "product"]
    read = sorted(begin for found in stages(plan) for kind, begin, *_ in found if kind == "read")
    assert products == read and len(products) > decision(plan, "loop.0.stages")


def test_a_bar_has_the_line_it_is_from(hopper):
    packed, plan = hopper
    texts = [text for text, _ in rows({**packed, "stages": [packed["stages"][plan["stage"]]]},
                                      packed["stages"][plan["stage"]]["title"])]  # fmt: skip
    assert all("tileas.mma" in texts[row] for *_, row in bars(plan, "tensor cores"))
    assert all(buffer["name"] in texts[buffer["row"]] for buffer in plan["buffers"])


@pytest.mark.parametrize("target", ["hopper", "ampere"])
def test_buffers_do_not_overlap(target, request):
    _, plan = request.getfixturevalue(target)
    buffers = plan["buffers"]
    assert any(buffer["stages"] for buffer in buffers)
    places = [
        (each["offset"], each["offset"] + each["bytes"] * max(1, each["stages"]), *each["life"]) for each in buffers
    ]
    assert all(end <= plan["shared_bytes"] for _, end, *_ in places)
    for i, (begin, end, first, last) in enumerate(places):
        for other_begin, other_end, other_first, other_last in places[i + 1 :]:
            assert end <= other_begin or other_end <= begin or last < other_first or other_last < first


def test_layouts(hopper):
    _, plan = hopper
    assert len({layout["name"] for layout in plan["layouts"]}) == len(plan["layouts"]) > 5
    assert any(layout["layout"].startswith("{offset: ") for layout in plan["layouts"])
    assert "128x128xf32" in [tile for layout in plan["layouts"] for tile in layout["tiles"]]


def test_the_plan_of_a_cpu(tmp_path):
    packed, plan = plan_of(tmp_path, "cpu:x86-64-v4")
    assert decision(plan, "vector_bits") == 512
    assert [loop["name"] for loop in plan["loops"]].count("cpu.mma") == 1
    assert packed["stages"][plan["stage"]]["title"] == "cpu-plan"


@pytest.mark.parametrize("type, expected", [("128x64xbf16", 16384), ("16xf4E2M1FN", 8), ("8xi1", 8), ("2x3xi64", 48)])
def test_bytes_of_a_tile(type, expected):
    assert bytes_of(type) == expected


SCHEDULE = """\
[attention_rows_kernel.loop.0]
schedule = "start product.0, start product.1(i-1), wait product.0, work, wait product.1"
"""


def test_products_run_while_threads_work(tmp_path):
    """In a software-pipelined loop, whose first and last parts are outside of it."""
    (tmp_path / "plan.toml").write_text(SCHEDULE)
    array = "bfloat16[:,:,:,::1]@16"
    signature = ", ".join([array] * 4 + ["float32, 2, False, 128, 128, 64"])
    kernel = f"{ROOT}/kernels/attention/kernel.py:attention_rows_kernel"
    made = trace(tmp_path, kernel, signature, "nvidia:sm_90a", f"--plan={tmp_path}/plan.toml")
    (plan,) = made.packed()["plans"]
    work = [bar for bar in bars(plan, "consumers") if bar[0] == "work"]
    overlaps = [(begin, end) for _, begin, end, *_ in bars(plan, "tensor cores")
                if any(begin < other_end and other_begin < end for _, other_begin, other_end, *_ in work)]  # fmt: skip
    assert len(overlaps) >= 3
    assert bars(plan, "consumers")[-1][0] == "store"


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90"])
def test_the_predicted_time_of_a_launch(tmp_path, target):
    """The arguments are the signature."""
    kernel = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"
    arguments = ["--arg=float32:65536"] * 3 + ["--arg=1024"]
    (plan,) = trace(tmp_path, kernel, None, target, "--grid=64", *arguments).packed()["plans"]
    assert plan["prediction"]["grid"] == [64, 1, 1] and plan["prediction"]["seconds"] > 0
