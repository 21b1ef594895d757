# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The roofline of `tilewright profile`."""

import xml.etree.ElementTree as xml

import pytest
from test_profile_command import profile
from tilewright._tools.profile.roofline import draw_roofline, points_of

NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}


def summary(kernel="gemm", seconds=1e-3, operations=1e9, bytes=1e7):
    prediction = {"device": "H100", "seconds": 0.5e-3, "operations": operations, "dram_bytes": bytes,
                  "intensity": operations / bytes if bytes else 0, "peak_operations": 1e15,
                  "dram_bandwidth": 3e12}  # fmt: skip
    return {"kernel": kernel, "grid": [8, 1, 1], "median_seconds": seconds, "prediction": prediction}


def test_points_are_where_work_and_time_put_them():
    (point,) = points_of([summary()])
    assert (point.intensity, point.measured, point.predicted) == pytest.approx((100, 1e12, 2e12))
    assert points_of([summary(operations=0), summary(bytes=0), {**summary(), "prediction": None}]) == []


def test_the_picture():
    root = xml.fromstring(draw_roofline([summary(), summary("<b>", 2e-3)]))
    dots = [each for each in root.findall("svg:circle", NAMESPACE) if each.get("fill") != "none"]
    assert len(dots) == 2 and float(dots[0].get("cy")) < float(dots[1].get("cy"))  # the faster one is higher
    assert len(root.findall("svg:polyline", NAMESPACE)) == 1  # both have one device and one peak
    texts = [each.text for each in root.findall("svg:text", NAMESPACE)]
    assert "roofline of H100" in texts and "<b> 8x1x1" in texts and "3 TB/s" in texts


def test_a_measured_kernel(tmp_path):
    arguments = ["--grid=256,64", "--arg=float32:4096x1024", "--arg=float32:4096x1024", "--arg=2.0", "--arg=16"]
    made = profile(tmp_path, "kernels.py:scale", *arguments, "--roofline=r.svg", "--launches=2")
    assert made.returncode == 0, made.stderr
    assert any(
        each.text == "scale 256x64x1" for each in xml.parse(tmp_path / "r.svg").iter(f"{{{NAMESPACE['svg']}}}text")
    )


def test_work_that_is_not_known():
    with pytest.raises(ValueError, match="no roofline: of no launch both operations and bytes of DRAM are known"):
        draw_roofline([summary(bytes=0)])
