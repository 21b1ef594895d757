# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the site, from the tree's Markdown.

Pages stay as a forge shows them; here a link to a page of the tree becomes one to that page of the site, and a link to
another file one to a page with the file's text. The sections of docs/README.md are those of the site's contents.
"""

import os
import re
import subprocess
from pathlib import Path

from notebooks import notebook

ROOT = Path(__file__).resolve().parents[2]
RENAMED = {
    "docs/README.md": "index.md", "README.md": "readme.md", "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md", "kernels/README.md": "kernels.md", "docs/errors/README.md": "errors/index.md",
}  # fmt: skip
LANGUAGES = {".cpp": "c++", ".h": "c++", ".c": "c", ".py": "python", ".patch": "diff", ".toml": "toml", ".sh": "sh"}
IMAGES = {".svg", ".png"}
_FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)[^\S\n]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`+[^`]*`+")
_NAME = re.compile(r"\[[\w-]+\.md\]\((\S+)\)")  # a link that is called by its file
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def tracked() -> list[str]:
    """The files of the tree, also those that are not committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if (ROOT / name).exists()]


def is_page(name: str) -> bool:
    return name in RENAMED or (name.startswith("docs/") and name.endswith(".md"))


def is_notebook(name: str) -> bool:
    return name.startswith("docs/notebooks/") and name.endswith(".md")


def name_on_site(name: str) -> str:
    """Of a file or a folder of the tree."""
    if is_notebook(name):
        return name.removeprefix("docs/").removesuffix(".md") + ".ipynb"
    if is_page(name):
        return RENAMED.get(name) or name.removeprefix("docs/")
    if f"{name}/README.md" in RENAMED:
        return RENAMED[f"{name}/README.md"]
    if Path(name).suffix in IMAGES:
        return f"images/{Path(name).name}"
    return f"files/{name}.md"


def outside_of(pattern: re.Pattern, text: str, change) -> str:
    """The text with `change` applied to each part between matches of `pattern`."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [change(text[end : match.start()]), match.group()]
        end = match.end()
    return "".join([*parts, change(text[end:])])


class Site:
    """The files of the site's source, by name; `write` makes them."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.titles: dict[str, str] = {}  # of pages
        self.images: dict[str, Path] = {}
        self.names = tracked()

    def add_pages(self) -> None:
        for name in filter(is_page, self.names):
            text = self.with_links_of_site(name, (ROOT / name).read_text())
            self.titles[name_on_site(name)] = re.search(r"^# (.*)", text, re.MULTILINE)[1]
            self.texts[name_on_site(name)] = notebook(text) if is_notebook(name) else text

    def with_links_of_site(self, name: str, text: str) -> str:
        def rewrite(match: re.Match) -> str:
            target, _, anchor = match[1].partition("#")
            if not target or "://" in target:
                return match[0]
            there = os.path.normpath(os.path.join(os.path.dirname(name), target))
            where = os.path.relpath(self.page_of(there), os.path.dirname(name_on_site(name)) or ".")
            return f"]({where}#{anchor})" if anchor else f"]({where})"

        return outside_of(_FENCE, text, lambda prose: outside_of(_CODE, prose, lambda part: _LINK.sub(rewrite, part)))

    def page_of(self, name: str) -> str:
        """Where the site has a file or folder of the tree; its page is made."""
        page, path = name_on_site(name), ROOT / name
        if not path.exists():
            raise FileNotFoundError(f"a page links to {name}, which is not there")
        if path.suffix in IMAGES:
            self.images[page] = path
        elif page.startswith("files/") and page not in self.texts:
            self.texts[page] = self.page_of_folder(name) if path.is_dir() else page_of_file(name)
        return page

    def page_of_folder(self, name: str) -> str:
        files = "\n".join(each for each in self.names if each.startswith(f"{name}/"))
        return f"---\norphan: true\n---\n\n# `{name}`\n\n```\n{files}\n```\n"

    def add_contents(self) -> None:
        """The table of contents in the index: a list of pages for each of its sections."""
        lists = []
        for title, text in sections(self.texts["index.md"]):
            lists.append(contents(title, pages_in(text)))
        errors = pages_in(self.texts["errors/index.md"])
        self.texts["errors/index.md"] += contents("Errors", errors)
        named = _NAME.sub(lambda match: f"[{self.titles[match[1]]}]({match[1]})", self.texts["index.md"])
        self.texts["index.md"] = named + "".join(lists)

    def write(self, folder: Path) -> None:
        """Files that stay the same keep their times, so that Sphinx reads the others only."""
        wanted = {name: text.encode() for name, text in self.texts.items()}
        wanted |= {name: path.read_bytes() for name, path in self.images.items()}
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
        for name, content in wanted.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)


def page_of_file(name: str) -> str:
    text = (ROOT / name).read_text()
    fence = "`" * max(3, *(len(run) + 1 for run in ["", *re.findall(r"`{3,}", text)]))
    language = LANGUAGES.get(Path(name).suffix, "text")
    return f"---\norphan: true\n---\n\n# `{name}`\n\n{fence}{{code-block}} {language}\n:linenos:\n\n{text}\n{fence}\n"


def sections(text: str) -> list[tuple[str, str]]:
    """Title and text of each."""
    return re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", text, re.MULTILINE)


def pages_in(text: str) -> list[str]:
    """Those of the site that the text links to."""
    return [os.path.splitext(page)[0] for page in _LINK.findall(text) if not page.startswith(("files/", "http", ".."))]


def contents(title: str, pages: list[str]) -> str:
    return f"\n```{{toctree}}\n:caption: {title}\n:hidden:\n\n" + "\n".join(dict.fromkeys(pages)) + "\n```\n"
