# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of `tilewright trace` in a browser: what a click marks, differences, and how long they take to open."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from pages import MOE, ROOT, SCALE, SIGNATURE, lines_of, trace, trace_text

playwright = pytest.importorskip("playwright.sync_api", reason="a browser is driven by playwright")
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
if BROWSER is None:
    pytest.skip("there is no chromium-headless-shell in PATH", allow_module_level=True)

SECONDS = 2
LOAD, STORE = 8, 9


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=BROWSER, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def show(browser):
    """A function that opens a file without a network; whatever a page complains about fails the test."""
    context = browser.new_context(offline=True)
    complaints = []

    def show(path):
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(path.as_uri())
        page.wait_for_function("globalThis.page")
        return page

    yield show
    context.close()
    assert complaints == []


def open_view(page, title):
    page.locator("nav button", has_text=title).first.click()
    return page.locator("section", has=page.locator(f"header b:text-is('{title}')"))


def marked(section):
    return [text.strip() for text in section.locator(".row.marked").all_text_contents()]


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    return trace_text(tmp_path_factory.mktemp("scale"), SCALE, target="cpu:x86-64-v3")


def test_a_click_on_a_line_of_the_source(show, scale):
    page = show(scale.path)
    assert page.locator("section header b").all_text_contents() == ["kernel.py", "Tile IR", "assembly"]
    page.locator("section .row.linked", has_text="ct.load").click()
    tile_ir = page.locator("section").nth(1)
    expected = [text.strip() for text in lines_of(scale.packed(), "Tile IR", LOAD)]
    assert marked(tile_ir) == expected and any("load_view_tko" in text for text in expected)
    assert marked(page.locator("section").nth(2))
    counts = page.locator("nav button .count").all_text_contents()
    assert counts[0] == "1" and counts[1] == str(len(expected))
    assert counts.count("") == 1  # of the plan
    page.keyboard.press("Escape")
    assert page.locator(".row.marked").count() == 0


def test_a_click_on_an_operation(show, scale):
    page = show(scale.path)
    page.locator("section").nth(1).locator(".row", has_text="addf").click()
    assert marked(page.locator("section").first) == ["return tile + tile", lines_of_source(STORE)]
    assert any("vaddps" in text for text in marked(page.locator("section").nth(2)))


def lines_of_source(number):
    return SCALE.splitlines()[number - 1].strip()


def test_differences_of_passes(show, scale):
    page = show(scale.path)
    section = open_view(page, "tileaa-to-linalg")
    assert section.locator(".row.removed").count() or section.locator(".row.added").count()
    hidden = section.locator(".row.alike").count()
    assert hidden
    section.locator(".row.alike").first.click()
    assert section.locator(".row.alike").count() == hidden - 1
    section.get_by_text("whole text").click()
    assert section.locator(".row.alike, .row.removed").count() == 0
    assert section.locator(".row").count() == len(lines_of_stage(scale.packed(), "tileaa-to-linalg"))


def lines_of_stage(packed, title):
    return next(stage["texts"] for stage in packed["stages"] if stage["title"] == title)


@pytest.mark.parametrize("left, right", [("abc", "abc"), ("abcd", "axcd"), ("", "ab"), ("ab", ""), ("abab", "baba")])
@pytest.mark.parametrize("cells", [0, 4e6])
def test_differences_rebuild_both_texts(show, scale, left, right, cells):
    """Also those that are too large for the exact way."""
    rows = show(scale.path).evaluate(
        "([left, right, cells]) => { const rows = (text) => [...text].map((text) => ({ text, origins: [] }));"
        " return differences(rows(left), rows(right), cells).map(({ text, change }) => [text, change]); }",
        [left, right, cells],
    )
    assert "".join(text for text, change in rows if change != "added") == left
    assert "".join(text for text, change in rows if change != "removed") == right


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_90a"])
def test_a_large_kernel_opens_soon(show, tmp_path, target):
    made = trace(tmp_path, *MOE, target)
    began = time.monotonic()
    page = show(made.path)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert time.monotonic() - began < SECONDS
    page.locator("section .row.linked", has_text="ct.mma").click()
    assert page.locator("section").last.locator(".row.marked").count()


@pytest.fixture(scope="module")
def hopper(tmp_path_factory):
    return trace(tmp_path_factory.mktemp("hopper"), *MOE, "nvidia:sm_90a")


def test_drawings_of_a_gpu(show, hopper):
    page = show(hopper.path)
    section = open_view(page, "plan")
    titles = section.locator("h3").all_text_contents()
    assert titles == ["agents and stages", "shared memory", "layouts", "decisions", "code"]
    (plan,) = hopper.packed()["plans"]
    time_drawing = section.locator("svg", has_text="tensor cores")
    assert time_drawing.locator("rect").count() == sum(len(row["bars"]) for row in plan["timeline"])
    time_drawing.locator("rect", has_text="product").first.click()
    assert "acc = ct.mma(tile_a, tile_b, acc)" in marked(page.locator("section").first)


def test_layouts_as_tiles(show, hopper):
    """Each element is in one bar, whose title has its registers; a choice shows another layout."""
    page = show(hopper.path)
    section = open_view(page, "plan")
    (plan,) = hopper.packed()["plans"]
    tiles = section.locator("div.part", has_text="layouts").locator("svg")
    for number, layout in enumerate(plan["layouts"][:6]):
        section.locator("select").select_option(index=number)
        lines = "\n".join(tiles.locator("title").all_text_contents()).splitlines()
        shape = [int(size) for size in layout["layout"].split(" -> ")[1].split("x")]
        assert len([line for line in lines if line.startswith("[")]) == min(64, *shape[:-1], 64) * min(128, shape[-1])


def test_an_element_of_a_layout(show, scale):
    """Bases are added without carry; (0, 3) is that of register 1 and lane 1."""
    owners = show(scale.path).evaluate("ownersOf(parseLayout('{register: (0,1), lane: (0,2) (1,2)} -> 2x4'))")
    assert owners[3] == [{"register": 1, "lane": 1}] and owners[6] == [{"lane": 2}] and owners[4] == [{"lane": 3}]


def test_drawings_of_a_cpu(show, scale):
    section = open_view(show(scale.path), "plan")
    assert section.locator("h3").all_text_contents()[:2] == ["vectors", "tasks"]
    assert section.locator("svg").first.locator("rect").count() % 8 == 0


def test_a_failure(show, tmp_path):
    made = trace_text(tmp_path, SCALE.replace("tile + tile", "tile + missing"))
    page = show(made.path)
    assert "undefined name 'missing'" in page.locator("pre.error").text_content()
    assert page.locator(".row.failed").first.text_content() == "    return tile + missing"


def test_a_failing_pass(show, tmp_path):
    made = trace_text(tmp_path, SCALE, "scale", SIGNATURE, "cpu", "--fail-in=crash:cpu-plan")
    page = show(made.path)
    assert "(in cpu-plan" in page.locator("pre.error").text_content()
    assert page.locator("section header b").all_text_contents() == ["kernel.py", "Tile IR", "tileaa-to-linalg"]
    assert page.locator("nav small").last.text_content() == "here the compilation failed"


def test_hostile_texts(show, tmp_path):
    """Names of files and texts of kernels run no scripts; `show` notes every dialog and complaint."""
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    text = SCALE.replace("    ct.store", "    ct.printf('</script><img src=x onerror=alert(2)>')\n    ct.store")
    page = show(trace_text(folder, text).path)
    page.locator("nav button").first.click()
    assert page.locator("img").count() == 0


def test_the_predicted_time(show, tmp_path):
    kernel = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"
    arguments = ["--arg=float32:65536"] * 3 + ["--arg=1024"]
    section = open_view(show(trace(tmp_path, kernel, None, "nvidia:sm_90", "--grid=64", *arguments).path), "plan")
    part = section.locator("div.part", has_text="predicted time")
    assert "for a grid of 64x1x1, bound by" in part.locator("p").text_content()
    assert part.locator("rect").count() > 3


def test_the_page_of_a_profile(show, tmp_path):
    kernel = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"
    arguments = ["--arg=float32:65536"] * 3 + ["--arg=1024", "--grid=64", "--launches=2", "--page=page.html"]
    words = [sys.executable, "-m", "tilewright", "profile", kernel, *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(words, env=environment, check=True, cwd=tmp_path)
    page = show(tmp_path / "page.html")
    titles = page.locator("h3").all_text_contents()
    assert titles == ["timeline", "predicted time", "balance", "blocks"]
    drawing = page.locator("div.part", has_text="timeline").locator("svg").last
    before = drawing.locator("rect").count()
    assert before > 1
    drawing.click(position={"x": 800, "y": 5})
    assert drawing.locator("text").first.text_content() != "0 us"
