"""The chapters of a report, each of them the sheet and the picture of a command, and the page that they make."""

from __future__ import annotations

import base64
import platform
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from ..assembly.plots import assembly
from ..console.output import load_factor, number
from ..console.sheets import Block, TableBlock, yes_no
from ..inputs import write_whole
from ..plotting.files import save
from ..public_names import with_advice
from ..reliability.command import probability_sheet, tornado_sheet
from ..reliability.plots import limit_histogram, tornado
from ..reliability.probabilities import failure_modes
from ..scenes.command import scene_sheet
from ..sharing import LoadSharing, SharingStatus
from ..sharing.command import share_sheet
from ..sharing.description import advice, sensitivity_or_none, sharing_line
from ..sharing.plots import failure_order, forces_against_factor
from ..statics.command import check_sheet, model_lines
from ..statics.plots import interface_utilisation, utilisation
from ..wrench_spaces.command import space_sheet
from ..wrench_spaces.plots import wrench_space
from .contents import AXES, LoadAnswer, ReportContents
from .markup import POLICY, STYLE, Markup, element, picture, sheet_markup, together

#: Dots per inch of 3D drawings, which are stored as pixels: as vectors, their many facets would make a large page.
DOTS = 110.0

#: Largest number of parameters in the table and the picture of a sensitivity.
MOST_BARS = 15

#: Packages that the results and pictures depend on.
PACKAGES = ("holdfast", "numpy", "scipy", "numba", "highspy", "matplotlib")


@dataclass(frozen=True)
class Chapter:
    """A part of a report.

    Attributes:
        title: of the chapter.
        sheet: its lines and tables.
        pictures: a matplotlib drawing under each caption.
        command: the words after `holdfast` that print the same; "" for none.
    """

    title: str
    sheet: Iterable[Block]
    pictures: dict[str, Any]
    command: str = ""

    @property
    def markup(self) -> Markup:
        """The chapter as HTML."""
        drawn = [picture(address(axes), caption) for caption, axes in self.pictures.items()]
        parts = [element("h2", self.title), sheet_markup(self.sheet)]
        parts += [element("div", *drawn, class_="pair")] if drawn else []
        parts += [element("p", element("code", f"holdfast {self.command}"), class_="quiet")] if self.command else []
        return element("section", *parts)


def address(axes: Any) -> str:
    """A matplotlib drawing as a data address, which contains the whole file: pixels in space, vectors in the plane."""
    suffix, kind = (".png", "png") if axes.name == "3d" else (".svg", "svg+xml")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"drawing{suffix}"
        save(axes, path, dpi=DOTS)
        return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"


def chapters(contents: ReportContents) -> Iterator[Chapter]:
    """The scene, each load, the limits without weight, and what the limit depends on."""
    scene, options, file = contents.scene, contents.options, shlex.quote(contents.asked)
    caption = "The contacts with their frames: shear red, lateral green, normal (into the object) blue."
    yield Chapter(
        "The scene", [*scene_sheet(scene), *model_lines(scene)], {caption: assembly(scene)}, f"scene show {file}"
    )
    for load in contents.loads:
        yield from _load_chapters(contents, load)
    if contents.axes:
        yield Chapter("Limits along the axes", _axes_sheet(contents), {})
    for axes, space in contents.slices.items():
        drawn = {f"Loads that are held, over {axes}.": wrench_space(space)}
        command = f"space {file} --axes {axes} --level {options.level}"
        yield Chapter(f"Wrench space: {axes}", space_sheet(scene.name, "", space), drawn, command)
    if contents.tornado is not None:
        first = contents.loads[0]
        drawn = {"The most important parameters.": tornado(contents.tornado, most=MOST_BARS)}
        wrench = ",".join(f"{part:.10g}" for part in first.case.wrench)
        sheet = tornado_sheet(f"{scene.name}: {first.description}", contents.tornado, MOST_BARS)
        yield Chapter("What the limit depends on", sheet, drawn, f"sensitivity {file} --wrench={wrench}")


def _load_chapters(contents: ReportContents, load: LoadAnswer) -> Iterator[Chapter]:
    """What `check --explain`, `share` and `probability --explain` print about one load."""
    case, answer, options = load.case, load.equilibrium, contents.options
    words = f"{shlex.quote(contents.asked)}{f' --load {shlex.quote(load.name)}' if load.name else ''}{contents.given}"
    moved = "The motion of the certificate: the load does more work in it than contacts and joints can absorb."
    held = "Forces on the object that hold the load; contacts at their limit are highlighted."
    drawn = {moved if answer.forces is None else held: assembly(case.scene, result=answer)}
    if any(not state.idle for state in load.diagnosis.contacts):
        use = interface_utilisation if load.diagnosis.interfaces else utilisation
        when = "when the limit is reached" if load.diagnosis.has_prices else "in these forces"
        drawn[f"How much of its strength each contact uses {when}."] = use(load.diagnosis)
    sheet = check_sheet(case, answer, load.limit, load.diagnosis, load.sharing, verified=answer.verify())
    yield Chapter(f"Load: {load.description}", sheet, drawn, f"check {words} --explain")
    if load.path is not None:
        yield _sharing_chapter(load, load.path, f"share {words}")
    if load.probability is not None:
        chance, samples = load.probability.to_dict(), load.samples
        drawn = {}
        if samples is not None:
            chance |= {"limits": samples.to_dict(), "failure_modes": failure_modes(samples).to_dict()}
            drawn = {"Load limits of the specimens, in multiples of the load.": limit_histogram(samples)}
        title = f"{options.samples} specimens with seed {options.seed}"
        command = f"probability {words} --samples {options.samples} --seed {options.seed} --explain"
        sheet = probability_sheet(title, chance, explain=samples is not None)
        yield Chapter(f"Probability of holding: {load.description}", sheet, drawn, command)


def _sharing_chapter(load: LoadAnswer, path: LoadSharing | str, command: str) -> Chapter:
    """How the contacts share one load by their stiffness; the reason where that is not known."""
    if isinstance(path, str):
        return Chapter(f"Load sharing: {load.description}", [sharing_line(path)], {})
    case, base = load.case, None
    if path is not load.sharing:
        case, base = replace(case, wrench=path.load, description=load.name), case.weight
    drawn = {"Forces while the load grows; colours by order of failure.": forces_against_factor(path)}
    if path.failures:
        drawn["The contacts by the order in which they fail."] = failure_order(path, case.scene)
    sheet = share_sheet(case, base, path, advice(path, sensitivity_or_none(path)))
    return Chapter(f"Load sharing: {load.description}", sheet, drawn if path.events else {}, command)


def _axes_sheet(contents: ReportContents) -> Iterator[Block]:
    """The largest pure forces and torques in both directions of each axis."""
    yield "the largest pure forces and torques on the object, without weight; torques about the world origin"
    rows = [
        (f"{name} [{unit}]", number(-low.value, 6), number(high.value, 6), yes_no(low.verify() and high.verify()))
        for (name, unit), (low, high) in zip(AXES.items(), contents.axes, strict=True)
    ]
    yield TableBlock(["axis", "lowest", "highest", "proof verified"], rows)


def summary(contents: ReportContents) -> Iterator[Block]:
    """One row per load: verdict, load factor, first failure and peak of load sharing, probability."""
    if not contents.loads:
        yield "the scene has neither mass nor loads: only its limits along the axes and its wrench spaces are reported"
        return
    columns = {"load": [], "verdict": [], "load factor": [], "first failure": [], "peak": [], "probability": []}
    columns["proof verified"] = []
    for load in contents.loads:
        shared = load.sharing if isinstance(load.sharing, LoadSharing) else None
        row = {
            "load": load.description,
            "verdict": load.equilibrium.status.value,
            "load factor": load_factor(None if load.limit is None else load.limit.value),
            "first failure": load_factor(None if shared is None else shared.first_failure),
            "peak": "-" if shared is None else _peak(shared),
            "probability": number(None if load.probability is None else load.probability.value),
            "proof verified": yes_no(load.equilibrium.verify() and (load.limit is None or load.limit.verify())),
        }
        for name, cell in row.items():
            columns[name].append(cell)
    shown = {name: cells for name, cells in columns.items() if set(cells) != {"-"}}
    yield TableBlock(list(shown), list(zip(*shown.values(), strict=True)))
    yield "load factor: the largest multiple of the load that admissible forces hold"
    if "peak" in shown:
        yield "by the stiffness of the contacts, the first one fails at the first failure, and the peak is the most"


def _peak(shared: LoadSharing) -> str:
    """The peak of load sharing, and whether the model allows another one."""
    if shared.status is SharingStatus.UNDECIDED:
        return "undecided"
    return load_factor(shared.peak) + ("" if shared.unique else ", not unique")


@with_advice()
def report_page(contents: ReportContents, *, title: str = "", date: str = "") -> str:
    """A scene and its answers as one self-contained HTML page; the same contents give the same bytes.

    Args:
        contents: the result of `answer_scene`.
        title: of the page; the scene's name when left out.
        date: printed unchanged; left out when it is empty.
    """
    named = title or contents.scene.name or contents.asked
    made = f"Holdfast {_version('holdfast')}" + (f", {date}" if date else "")
    head = together(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        element("title", named),
        element("style", Markup(STYLE)),
    )
    parts = [
        element("header", element("h1", named), element("p", f"Does it hold? A report by {made}", class_="quiet")),
        sheet_markup(summary(contents)),
        *(chapter.markup for chapter in chapters(contents)),
        Chapter("How this report was made", _making(contents, date), {}, _again(contents, title, date)).markup,
        element("h3", "The scene file"),
        element("pre", contents.source),
    ]
    body = element("body", element("main", *(together(part, "\n") for part in parts)))
    return f"<!DOCTYPE html>\n{element('html', element('head', head), body, lang='en').text}\n"


@with_advice()
def save_report(page: str, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a page to `path`; an existing file is replaced only with `overwrite`."""
    return write_whole(path, page.encode(), new=not overwrite)


def _again(contents: ReportContents, title: str, date: str) -> str:
    """The words after `holdfast` that repeat the report."""
    options = contents.options
    words = ["report", contents.asked, "-o", "report.html", "--level", str(options.level), "--seed", str(options.seed)]
    words += [word for axes in options.slices or ["none"] for word in ("--slices", axes)]
    names = [load.name for load in contents.loads]
    words += [word for name in names if "" not in names for word in ("--load", name)]
    words += ["--samples", str(options.samples)] if contents.scene.scatter is not None else []
    words += [word for name, text in (("--title", title), ("--date", date)) if text for word in (name, text)]
    return shlex.join(words) + contents.given


def _making(contents: ReportContents, date: str) -> Iterator[Block]:
    """Versions, seed and date."""
    yield "exact method with default tolerances: verdicts have a proof; the relative gap of limits is at most 1e-6"
    rows = [("Python", platform.python_version()), *((name, _version(name)) for name in PACKAGES)]
    rows += [("scene", contents.asked), ("seed", str(contents.options.seed)), ("date", date or "not given")]
    yield TableBlock(["what", "which"], rows)


def _version(package: str) -> str:
    """The version of an installed package; "unknown" where it is not installed as one."""
    if package == "holdfast":
        from .. import __version__

        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
