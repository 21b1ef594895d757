# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timelines of the records that agents of a GPU wrote."""

import json

import numpy as np
import pytest
from tilewright._tools.profile.agents import of_agents
from tilewright._tools.profile.events import write_events
from tilewright._tools.profile.summary import _of_timeline
from tilewright._tools.profile.table import _agent_lines

BLOCK = 1 << 30
NAMES = (["consumers", "producer"], [("wait", "k.py", 7), ("product", "/far/k.py", 7), ("copy", "k.py", 6)])


def records(*pairs):
    return np.array(pairs, np.uint32).tobytes()


def track(cta, number, pairs, begin=(1000, 50), end=(2000, 2050), count=None):
    """The clock has two ticks in a nanosecond."""
    return cta, number, begin, end, 9, len(pairs) if count is None else count, records(*pairs)


CONSUMERS = [(150, BLOCK | 4), (250, 0), (450, 1), (850, 0), (1050, 1), (1450, BLOCK | 5), (1650, 0)]


def spans(timeline, number=0):
    return [(span.kind, span.begin, span.end, span.first, span.iteration) for span in timeline.tracks[number].spans]


def test_each_record_ends_the_span_before_it():
    timeline = of_agents((8, 1, 1), NAMES, [track(3, 0, CONSUMERS)])
    assert spans(timeline) == [
        ("setup", 0, 50, 3, -1),
        ("setup", 50, 100, 4, -1),
        ("wait", 100, 200, 4, 0),
        ("product", 200, 400, 4, 0),
        ("wait", 400, 500, 4, 1),
        ("product", 500, 700, 4, 1),
        ("setup", 700, 800, 5, -1),
        ("wait", 800, 1000, 5, 0),
    ]
    assert timeline.nanoseconds == 1000 and timeline.dropped == 0
    assert timeline.tracks[0].name == "SM 9, CTA 3, consumers"
    assert timeline.tracks[0].spans[3].place == "k.py:7"


def test_a_clock_may_overflow():
    pairs = [((2**32 - 40) % 2**32, 0), (60, 1)]
    timeline = of_agents((1, 1, 1), NAMES, [track(0, 0, pairs, (0, 2**32 - 100), (100, 100))])
    assert spans(timeline) == [("setup", 0, 30, 0, -1), ("wait", 30, 80, 0, 0), ("product", 80, 100, 0, 0)]


def test_records_without_room_are_counted():
    timeline = of_agents((8, 1, 1), NAMES, [track(3, 0, CONSUMERS[:3], count=7), track(3, 1, [(50, 2)])])
    assert (timeline.records, timeline.dropped) == (4, 4)
    assert spans(timeline)[-1] == ("wait", 100, 200, 4, 0)  # how long the next one was is not known
    assert timeline.tracks[0].unknown == 800
    assert spans(timeline, 1) == [("copy", 0, 1000, 3, 0)]
    summary = _of_timeline(timeline, {})
    assert summary["tracks"][0]["busy_fraction"] == pytest.approx(0.5)  # of 200 ns
    assert list(_agent_lines(summary | {"prediction": None}))[-1] == (
        "dropped    4 of 8 records, the last, for which the memory had no room"
    )


def test_numbers_of_agents_and_blocks():
    timeline = of_agents((8, 1, 1), NAMES, [track(3, 0, CONSUMERS), track(3, 1, [(50, 2)])])
    bounds = {"tensor cores": 3e-6, "DRAM": 2e-6, "L2": 1e-7, "latency": 5e-6}
    prediction = {"seconds": 8e-6, "blocks_at_a_time": 4, "bounds": bounds}
    summary = _of_timeline(timeline, prediction)
    consumers, producer = summary["agents"]
    assert consumers["fractions"] == {"wait": 0.4, "product": 0.4, "setup": pytest.approx(0.2)}
    assert consumers["busy_fraction"] == pytest.approx(0.6) and producer["busy_fraction"] == 1
    assert consumers["sites"][1] == {"kind": "product", "place": "k.py:7", "fraction": 0.4, "count": 2,
                                     "median_seconds": pytest.approx(2e-7)}  # fmt: skip
    assert summary["blocks"]["predicted_seconds"] == pytest.approx(4e-6)
    assert (consumers["predicted"], producer["predicted"]) == ({"tensor cores": 3e-6}, {"DRAM": 2e-6, "L2": 1e-7})
    lines = list(_agent_lines(summary | {"prediction": prediction}))
    assert lines[0] == "consumers: busy 60.0 %; wait 40.0 %, product 40.0 %, setup 20.0 %"
    assert [line for line in lines if "predicted" in line] == [
        "  predicted tensor cores 3 us, of 8 us", "  predicted DRAM 2 us, of 8 us"
    ]  # fmt: skip


def test_events_name_the_place():
    timeline = of_agents((8, 1, 1), NAMES, [track(3, 0, CONSUMERS)])
    summary = {"kernel": "k", "grid": [8, 1, 1], "prediction": None, "overhead": None, "launches": 1,
               "recorded_launches": 1}  # fmt: skip
    events = json.loads(write_events([(summary, timeline)]))["traceEvents"]
    product = next(event for event in events if event["name"] == "product")
    assert (product["ts"], product["dur"]) == (0.2, 0.2)
    assert product["args"] == {"block": "(4, 0, 0)", "place": "k.py:7", "iteration": 0}


def test_a_launch_without_records():
    assert of_agents((8, 1, 1), NAMES, []).tracks == []


def test_balance_is_of_multiprocessors():
    """CTAs of one multiprocessor overlap: it is idle where it has none."""
    ctas = [(0, 8, 1000, 1400), (1, 9, 1000, 1600), (2, 9, 1200, 1800), (3, 8, 1600, 2000)]
    raw = [(cta, 0, (begin, 2 * begin), (end, 2 * end), sm, 1, records((2 * begin, 1))) for cta, sm, begin, end in ctas]
    timeline = of_agents((4, 1, 1), NAMES, raw)
    assert timeline.busy_processors() == {"SM 8": [(0, 400), (600, 1000)], "SM 9": [(0, 800)]}
    found = _of_timeline(timeline, {})
    assert found["idle_fraction"] == pytest.approx(1 - 1600 / 2000)
    assert found["last_end_seconds"] == pytest.approx(200e-9)
