"""Check a built site from its files: every link and anchor has a target, every picture exists, and no page loads
anything from another machine.

    python tools/check_site.py build/site
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes by which an element makes a browser fetch something, unlike those of <a>, which need a click.
FETCHING = {
    **dict.fromkeys(("img", "source"), ("src", "srcset")),
    **dict.fromkeys(("script", "iframe", "embed", "audio", "track", "input", "frame"), ("src",)),
    "video": ("src", "poster"),
    "object": ("data",),
    "link": ("href",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "form": ("action",),
    "base": ("href",),
}
#: A <link> of these kinds only refers to another page.
TELLING = {
    "next",
    "prev",
    "search",
    "index",
    "author",
    "canonical",
    "contents",
    "copyright",
    "help",
    "license",
    "top",
    "up",
}
IN_STYLE = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
#: Code that fetches from, or adds an element that shows, a written address.
IN_SCRIPT = re.compile(
    r"""(?:fetch|import|importScripts|open|WebSocket|EventSource)\(\s*[^)]{0,40}?['"`]((?:https?:|wss?:)?//[^'"`]+)"""
    r"""|\.(?:src|href)\s*=\s*['"`]((?:https?:)?//[^'"`]+)"""
)


@dataclass
class Page:
    """What one page links to, fetches and offers as anchors."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)


class Reader(HTMLParser):
    """Reads a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.inside = ""
        self.link: str | None = None
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.anchors.update(given[name] for name in ("id", "name") if name in given)
        self.inside = tag if tag in ("style", "script") else self.inside
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
            self.link, self.text = given["href"], ""
        kinds = set(given.get("rel", "").lower().split())
        if tag == "link" and kinds and kinds <= TELLING:
            self.page.links.append(given.get("href", ""))
            return
        for name in FETCHING.get(tag, ()):
            parts = given.get(name, "").split(",") if name == "srcset" else [given.get(name, "")]
            self.page.fetched += [part.split()[0] for part in parts if part.strip()]
        self.page.fetched += addresses(IN_STYLE, given.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag == self.inside else self.inside
        if tag == "a" and self.link is not None:
            self.page.texts.setdefault(" ".join(self.text.split()), self.link)
            self.link = None

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.inside == "style":
            self.page.fetched += addresses(IN_STYLE, data)
        elif self.inside == "script":
            self.page.fetched += addresses(IN_SCRIPT, data)


def addresses(pattern: re.Pattern[str], text: str) -> list[str]:
    """The addresses that `pattern` finds in `text`."""
    return [next(part for part in found if part) for found in pattern.findall(text)]


def read(path: Path) -> Page:
    """The page in a file."""
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


def outside(address: str) -> bool:
    """Whether an address leads to another machine."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data", "mailto", "javascript", "about")


def broken(site: Path, path: Path, address: str, pages: dict[Path, Page]) -> bool:
    """Whether an address of this site, found in `path`, has no target."""
    if outside(address) or urlsplit(address).scheme or address in ("", "#"):
        return False
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(site) or not target.is_file():
        return True
    page = pages.get(target)
    return bool(parts.fragment) and page is not None and unquote(parts.fragment) not in page.anchors


def faults(folder: Path) -> list[str]:
    """Every error of the site in `folder`, one line each; empty if there is none."""
    site = folder.resolve()
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    if site / "index.html" not in pages:
        return ["index.html is missing"]
    found: list[str] = []
    for path, page in pages.items():
        here = path.relative_to(site).as_posix()
        found += [f"{here}: fetches {one} from outside" for one in page.fetched if outside(one)]
        for one in dict.fromkeys([*page.links, *page.fetched]):
            if broken(site, path, one, pages):
                found.append(f"{here}: {one} leads nowhere")
    for ending, pattern in (("*.css", IN_STYLE), ("*.js", IN_SCRIPT)):
        for path in sorted(site.rglob(ending)):
            here = path.relative_to(site).as_posix()
            fetched = addresses(pattern, path.read_text(encoding="utf-8"))
            found += [f"{here}: fetches {one} from outside" for one in fetched if outside(one)]
            if ending == "*.css":
                found += [f"{here}: {one} leads nowhere" for one in fetched if broken(site, path, one, pages)]
    return found


def main() -> int:
    """Print the errors; 1 if there are any."""
    if len(sys.argv) != 2:
        print("usage: python tools/check_site.py FOLDER", file=sys.stderr)
        return 2
    found = faults(Path(sys.argv[1]))
    print("\n".join(found) if found else "every link leads somewhere, and nothing is fetched from outside")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
