"""Run the pages that draw their own pictures, and save their pictures in docs/pictures.

A page that shows `![...](pictures/tutorial/pad.png)` and whose code writes "pad.png" is run in an empty folder, and
the file that it writes becomes that picture.

Run from the repository root: python tools/make_page_pictures.py [page ...]
Without names all such pages are run. The same versions give identical files.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from holdfast.cli import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

#: Folders below docs/pictures whose pictures are drawn by the pages that show them.
OWN = ("start", "tutorial", "how-to", "inner-and-outer", "load-sharing", "will-hold")
OWN += ("several-bodies",)

BLOCK = re.compile(r"^```(python|console|[a-z]+ file=(\S+))(?: needs=\S+)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"\]\(((?:\.\./)*pictures/([\w-]+)/[\w.-]+)\)")


def pictures(page: Path) -> dict[str, Path]:
    """The pictures that a page draws itself: the name its code gives each, and where it is kept."""
    text = page.read_text(encoding="utf-8")
    code = "".join(match[3] for match in BLOCK.finditer(text))
    names = {Path(link).name: (page.parent / link).resolve() for link, folder in PICTURE.findall(text) if folder in OWN}
    return {name: target for name, target in names.items() if name in code}


def run(page: Path) -> None:
    """Run the blocks of a page, in order, in the working directory."""
    namespace: dict[str, object] = {"__name__": "document"}
    whole = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(whole):
        kind, file, text = match.groups()
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif kind == "python":
            above = "\n" * whole.count("\n", 0, match.start(3))  # a traceback then points into the page
            exec(compile(above + text, str(page), "exec", dont_inherit=True), namespace)
        else:
            for line in text.replace("\\\n", " ").splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True) if line.startswith("$ holdfast") else []
                if "--plot" in words:
                    app(words[1:], standalone_mode=False)


def main(names: list[str]) -> int:
    """Run every page that draws its pictures, or those named: "tutorial", "how-to/own-gripper"."""
    pages = [page for page in sorted(DOCS.rglob("*.md")) if pictures(page)]
    known = {page.relative_to(DOCS).with_suffix("").as_posix(): page for page in pages}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no such page: {', '.join(unknown)}; known: {', '.join(known)}")
        return 2
    for name in names or known:
        wanted = pictures(known[name])
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            run(known[name])
            for file, target in wanted.items():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
                print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")
            os.chdir(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
