"""The page itself: chapters in their order, how it was made, and the file it becomes."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path

from ..errors import FileError
from .contents import ReportContents
from .limit_chapters import axes_chapter, certainty_chapter, sensitivity_chapter, slice_chapter
from .load_chapters import load_chapter, summary
from .look import STYLE
from .markup import Markup, element, table, together
from .scene_chapter import scene_chapter

#: Packages that answers and pictures depend on.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "matplotlib")


def report_page(contents: ReportContents, *, title: str = "", date: str = "") -> str:
    """A scene and its answers as one self-contained HTML page; the same contents give the same bytes.

    Args:
        contents: what `answer_scene` found.
        title: of the page; the scene's name when left out.
        date: printed as it stands; left out when it is empty.
    """
    named = title or contents.scene.name or contents.asked
    made = f"Holdfast {_version('holdfast')}" + (f", {date}" if date else "")
    head = together(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", named),
        element("style", Markup(STYLE)),
    )
    chapters = [
        element("header", element("h1", named), element("p", f"Does it hold? A report by {made}", class_="quiet")),
        summary(contents),
        scene_chapter(contents),
        *(load_chapter(contents, load) for load in contents.loads),
        axes_chapter(contents),
        *(slice_chapter(found) for found in contents.slices),
        certainty_chapter(contents),
        sensitivity_chapter(contents),
        _making(contents, title=title, date=date),
    ]
    body = element("body", element("main", *(together(chapter, "\n") for chapter in chapters)))
    return f"<!DOCTYPE html>\n{element('html', element('head', head), body, lang='en').text}\n"


def save_report(page: str, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a page to `path`; a file that is there already stays unless `overwrite` says otherwise."""
    target = Path(path)
    try:
        with target.open("w" if overwrite else "x", encoding="utf-8", newline="\n") as file:
            file.write(page)
    except FileExistsError:
        raise FileError("is there already", path=target, fix="name a new file, or say --force") from None
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=target, fix=fix) from None
    return target


def commands(contents: ReportContents, *, title: str = "", date: str = "") -> list[str]:
    """The commands that repeat the report, and its parts one by one."""
    options = contents.options
    scene = shlex.quote(contents.asked)
    again = ["holdfast report", scene, "-o report.html", f"--level {options.level}", f"--seed {options.seed}"]
    again += [f"--slices {axes}" for axes in options.slices] or ["--slices none"]
    if contents.scene.scatter is not None:
        again.append(f"--samples {options.samples}")
    again += [f"--title {shlex.quote(title)}"] if title else []
    again += [f"--date {shlex.quote(date)}"] if date else []
    found = [" ".join(again), f"holdfast scene show {scene}"]
    for load in contents.loads:
        named = f" --load {shlex.quote(load.name)}" if load.name else ""
        found.append(f"holdfast check {scene}{named} --explain")
        if contents.scene.scatter is not None:
            found.append(
                f"holdfast probability {scene}{named} --samples {options.samples} --seed {options.seed} --explain"
            )
    found += [f"holdfast space {scene} --axes {axes} --level {options.level}" for axes in options.slices]
    if contents.tornado is not None:
        named = f" --load {shlex.quote(contents.loads[0].name)}" if contents.loads[0].name else ""
        found.append(f"holdfast sensitivity {scene}{named}")
    return found


def _making(contents: ReportContents, *, title: str, date: str) -> Markup:
    """Versions, seed, commands, and the scene file as it stands."""
    rows = [("Python", platform.python_version()), *((name, _version(name)) for name in PACKAGES)]
    rows += [("scene", contents.asked), ("seed", str(contents.options.seed)), ("date", date or "not given")]
    said = "The exact method, with its own tolerances: verdicts carry their proof, limits are found to a millionth."
    repeat = "\n".join(commands(contents, title=title, date=date))
    return together(
        element("h2", "How this was made"),
        element("p", said),
        table(["what", "which"], rows),
        element("h3", "To repeat it"),
        element("pre", repeat),
        element("h3", "The scene file"),
        element("pre", contents.source),
    )


def _version(package: str) -> str:
    """The version of an installed package; "unknown" where it is not installed as one."""
    if package == "holdfast":
        from .. import __version__

        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
