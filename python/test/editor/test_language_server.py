# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright lsp` over its standard streams, with a file of 1,000 lines as it is typed."""

import statistics
import time

import pytest

pytest.importorskip("pygls", reason="the language server needs pygls")
import large_file
from language_client import Client, Document

SECONDS = 0.4  # 0.05 to 0.12 on a machine without other work, where 0.2 are asked
TEXT = large_file.make()
HINTS = 14  # of a kernel
STATEMENT = "    scaled = activate_17(total * scale)\n"
LINE = large_file.line_of(TEXT, STATEMENT)


@pytest.fixture(scope="module")
def client():
    client = Client()
    yield client
    assert client.close() == 0


@pytest.fixture
def document(client, tmp_path):
    document = Document(client, (tmp_path / "large.py").as_uri(), TEXT)
    assert document.errors() == []
    return document


def test_the_file_is_large():
    assert TEXT.count("\n") == 1000 and TEXT.count("@ct.kernel") == 30


def test_capabilities(client):
    offered = client.capabilities["capabilities"]
    assert offered["hoverProvider"] and offered["inlayHintProvider"]


def test_types_of_variables(document):
    hints = document.hints()
    assert len(hints) == 30 * HINTS
    name = STATEMENT.index("scaled") + len("scaled")
    assert (LINE, name, ": float32[64, 64]") in hints
    assert document.hints(LINE - 1, LINE) == [hint for hint in hints if hint[0] in (LINE, LINE + 1)]


def test_code_of_a_line(document):
    text = document.hover(LINE)
    assert text.startswith("`scaled: float32[64, 64]`")
    assert "mulf" in text and "tanh" in text and "exp" not in text
    assert document.hover(1) == ""


def test_errors_come_and_go(document):
    document.change(TEXT.replace(STATEMENT, STATEMENT.replace("total", "totl")))
    assert document.errors() == [(LINE, "undefined name 'totl'; it is neither a local name, a parameter, nor a global")]
    document.change("\n\n" + TEXT.replace(STATEMENT, STATEMENT.replace("activate_17(", "ct.reshape((3, 3), ")))
    ((line, _),) = document.errors()
    assert line == LINE + 2
    assert (LINE + 2 - 1, 9, ": float32[64, 64]") not in document.hints()
    document.change(TEXT)
    assert document.errors() == []


def test_an_error_in_a_helper(document):
    document.change(TEXT.replace("y = ct.tanh(x)\n    return ct.where(x > 0.0, y, y * 0.5)\n",
                                 "y = ct.tanh(x)\n    return ct.reshape(y, (7,))\n", 1))  # fmt: skip
    found = document.client.diagnostics(document.version, document.uri)
    (error,) = (each for each in found if each["severity"] == 1)
    assert "called from here, in product_0" in error["relatedInformation"][0]["message"]


def test_half_typed_statements(document):
    """Each beginning of a statement; the other kernels keep their types."""
    for end in range(1, len(STATEMENT) - 1, 3):
        document.change(TEXT.replace(STATEMENT, STATEMENT[:end] + "\n"))
        errors = document.errors()
        assert all(line >= LINE - 12 for line, _ in errors), STATEMENT[:end]
        hints = document.hints()
        assert len([hint for hint in hints if not LINE - 12 <= hint[0] <= LINE + 12]) >= 28 * HINTS
    document.change(TEXT)
    assert document.errors() == []


@pytest.mark.parametrize("typed", ['"""', "(", "def f(:", "@", "\0", "class", "\ud83d\ude00 = (", "import"])
def test_what_is_no_python(document, typed):
    document.change(TEXT.replace(STATEMENT, STATEMENT + typed + "\n"))
    assert document.errors()
    document.change(TEXT)
    assert document.errors() == []


def test_columns_are_those_of_the_protocol(document):
    """They count characters outside of the basic plane twice."""
    wrong = STATEMENT.replace("total * scale", "('\U0001f600', totl)")
    document.change(TEXT.replace(STATEMENT, wrong))
    found = document.client.diagnostics(document.version, document.uri)
    assert found[0]["range"]["start"]["character"] == wrong.index("totl") + 1
    assert found[0]["range"]["end"]["character"] == wrong.index("totl") + 1 + len("totl")


def test_a_kernel_that_ends_the_worker(document):
    text = TEXT.replace(STATEMENT, "    ct.static_eval(os.abort())\n" + STATEMENT).replace(
        "import tilewright", "import os\nimport tilewright"
    )
    document.change(text)
    ((_, message),) = document.errors()
    assert message == "checking kernel 'product_17' ended with SIGABRT"
    document.change(TEXT)
    assert document.errors() == []


def test_changes_faster_than_checks(document):
    for end in range(len(STATEMENT)):
        document.change(TEXT.replace(STATEMENT, STATEMENT[:end] + "\n"))
    document.change(TEXT)
    assert document.errors() == []


def test_time(client, document, tmp_path, record_property):
    """From opening to the diagnostics of all kernels, from a change to those of one, and to hints and code that have
    it. The least of several is compared, since the machine may do other work."""
    times = {"opening": [], "diagnostics": [], "hints": [], "hover": []}
    for number in range(5):
        begin = time.perf_counter()
        assert Document(client, (tmp_path / f"opened{number}.py").as_uri(), TEXT).errors() == []
        times["opening"].append(time.perf_counter() - begin)
    for number in range(8):
        text = TEXT.replace(STATEMENT, STATEMENT.replace("scale)", f"scale + {number})"))
        begin = time.perf_counter()
        document.change(text)
        assert document.errors() == []
        times["diagnostics"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        document.change(text + "\n")
        assert len(document.hints()) == 30 * HINTS
        times["hints"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        document.change(text + "\n\n")
        assert "tanh" in document.hover(LINE)
        times["hover"].append(time.perf_counter() - begin)
    for what, seconds in times.items():
        record_property(what, f"{1000 * statistics.median(seconds):.0f} ms")
        print(f"{what}: median {1000 * statistics.median(seconds):.0f} ms, least {1000 * min(seconds):.0f} ms")
        assert min(seconds) < SECONDS, what


def test_a_closed_document(client, tmp_path):
    document = Document(client, (tmp_path / "closed.py").as_uri(), "import tilewright as ct\nx = (\n")
    assert [message for _, message in document.errors()] == ["'(' was never closed"]
    client.tell("textDocument/didClose", textDocument={"uri": document.uri})
    assert client.diagnostics(None, document.uri) == []
