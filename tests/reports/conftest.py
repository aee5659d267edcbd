"""One scene with everything a report may tell, and names that try to break out of the page."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from holdfast.reports.chapters import report_page
from holdfast.reports.contents import ReportContents, ReportOptions, answer_scene

SCENE = """holdfast: 1
name: "<script>alert('x')</script> $\\\\frac{$ & \\"quoted\\""
description: "</pre><img src=x onerror=alert(1)>"
object: {mass: 1.0, com: [0.0, 0.0, 0.05]}
volumes:
  foot: {model: magnet, attraction: 30.0, mu: 0.5, cap: 100.0}
contacts:
  - {name: "<b>a</b>", position: [0.1, 0.0, 0.0], normal: [0, 0, 1], volume: foot}
  - {name: "$\\\\bad{$", position: [-0.05, 0.08, 0.0], normal: [0, 0, 1], volume: foot}
  - {name: "c", position: [-0.05, -0.08, 0.0], normal: [0, 0, 1], volume: foot}
loads:
  "<i>push</i>": {force: [200, 0, 0]}
scatter: {strength: 0.1}
# </pre><script src="https://example.org/evil.js"></script>
"""

#: Elements that have no end.
EMPTY = {"meta", "img", "br", "hr", "link", "input"}


class Reader(HTMLParser):
    """Checks that every element is closed in its order, and keeps what a page is made of."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.words)

    @property
    def cells(self) -> list[str]:
        return [word.strip() for word in self.words]


def read(page: str) -> Reader:
    """The page as a parser sees it; every element is closed."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


@pytest.fixture(scope="session")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "feet.yaml"
    path.write_text(SCENE, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def contents(scene_file: Path) -> ReportContents:
    return answer_scene(scene_file, ReportOptions(("fx,fy,fz",), level=1, seed=3, samples=64))


@pytest.fixture(scope="session")
def page(contents: ReportContents) -> str:
    return report_page(contents, date="2025-01-31")


@pytest.fixture(scope="session")
def reader(page: str) -> Reader:
    return read(page)
