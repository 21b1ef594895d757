# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links of the finished site: each leads to a page and a place in it that are there, and nothing is loaded from
elsewhere. Those that leave the site are asked for on request."""

import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

_PATIENCE = 20  # seconds
_LOADS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("object", "data")}


class _Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.places: set[str] = set()
        self.links: list[tuple[str, str, str]] = []  # tag, attribute, target
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.places.add(value)
            if name in ("href", "src", "data") and value:
                self.links.append((tag, name, value))


def _pages(site: Path) -> dict[Path, _Page]:
    return {path: _Page(path.read_text()) for path in sorted(site.rglob("*.html"))}


def external_complaints(site: Path) -> Iterator[str]:
    """Of addresses that answer with an error or not at all, each with the first page that has it."""
    pages: dict[str, Path] = {}
    for path, page in _pages(site).items():
        for tag, _, target in page.links:
            if tag == "a" and urlsplit(target).scheme in ("http", "https"):
                pages.setdefault(target.partition("#")[0], path)
    with ThreadPoolExecutor(8) as pool:
        for (target, path), failure in zip(pages.items(), pool.map(_failure, pages), strict=True):
            if failure:
                yield f"{path.relative_to(site)}: {target}: {failure}"


def _failure(target: str) -> str:
    try:
        with urlopen(Request(target, headers={"User-Agent": "Mozilla/5.0"}), timeout=_PATIENCE):
            return ""
    except (OSError, http.client.HTTPException) as error:
        return str(error)


def complaints(site: Path) -> Iterator[str]:
    pages = _pages(site)
    for path, page in pages.items():
        for tag, attribute, target in dict.fromkeys(page.links):
            said = f"{path.relative_to(site)}: {target}"
            parts = urlsplit(target)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if (tag, attribute) in _LOADS:
                    yield f"{said} is loaded from elsewhere"
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_file():
                yield f"{said} is not there"
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].places:
                yield f"{said} has no such place"
