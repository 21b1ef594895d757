# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site of the documentation: `./dev docs` makes it without warnings, and its links lead somewhere."""

import functools
import http.server
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "docs" / "site"
sys.path.append(str(SITE))

import links  # noqa: E402
import tree_pages  # noqa: E402

needs_sphinx = pytest.mark.skipif(
    not all(map(find_spec, ("sphinx", "furo", "myst_nb", "ipykernel", "matplotlib"))),
    reason="needs Sphinx and what its notebooks use (./dev test --peer)",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    made = subprocess.run([sys.executable, SITE / "build.py", "--parallel", folder], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder / "html"


@needs_sphinx
def test_the_site_is_made_without_warnings(site):
    index = (site / "index.html").read_text()
    assert "The language" in index and 'href="api/memory.html"' in index
    assert "load" in (site / "searchindex.js").read_text()


@needs_sphinx
def test_public_names_are_in_the_reference(site):
    import api
    import tilewright as ct

    reference = "".join(page.read_text() for page in (site / "api").glob("*.html"))
    for name in ct.__all__:
        module = api.module_of(name)
        if module and module != "typing" and not module.endswith("errors"):
            assert f'id="tilewright.{name}"' in reference or f">{name}<" in reference, f"no page has {name}"


def test_links_of_a_site(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">1</a> <a href="b.html#there">2</a> <a href="b.html#nowhere">3</a>'
        '<a href="c.html">4</a> <a href="https://llvm.org">5</a> <img src="https://llvm.org/x.png">'
    )
    (tmp_path / "b.html").write_text('<p id="there">')
    assert list(links.complaints(tmp_path)) == [
        "a.html: b.html#nowhere has no such place",
        "a.html: c.html is not there",
        "a.html: https://llvm.org/x.png is loaded from elsewhere",
    ]


def test_links_that_leave_the_site(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "there.txt").write_text("here")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        (tmp_path / "a.html").write_text(
            f'<a href="{at}/there.txt#x">1</a> <a href="{at}/missing">2</a> <a href="b.html">3</a>'
        )
        (tmp_path / "b.html").write_text(f'<a href="{at}/missing">4</a> <a href="http://127.0.0.1:1/x">5</a>')
        missing, refused = links.external_complaints(tmp_path)
        server.shutdown()
    assert missing == f"a.html: {at}/missing: HTTP Error 404: File not found"
    assert refused.startswith("b.html: http://127.0.0.1:1/x: ")


def test_links_of_the_tree_become_links_of_the_site():
    site = tree_pages.Site()
    text = "[a](debugging.md#7) `[b](c.md)` [`d`](../README.md) [e](../src/options/Table.cpp) [f](../kernels)\n"
    text += "```\n[g](debugging.md)\n```\n[h](https://llvm.org) [i](../src/options)\n"
    assert site.with_links_of_site("docs/reference/x.md", text.replace("(../", "(../../").replace("(d", "(../d")) == (
        "[a](../debugging.md#7) `[b](c.md)` [`d`](../readme.md) [e](../files/src/options/Table.cpp.md)"
        " [f](../kernels.md)\n```\n[g](../debugging.md)\n```\n[h](https://llvm.org) [i](../files/src/options.md)\n"
    )
    assert "#include" in site.texts["files/src/options/Table.cpp.md"]
    assert "src/options/Table.cpp" in site.texts["files/src/options.md"]
    with pytest.raises(FileNotFoundError, match=r"docs/nothing\.md"):
        site.with_links_of_site("docs/x.md", "[a](nothing.md)")
