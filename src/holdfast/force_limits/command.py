"""`holdfast models`: the ready contact models; `holdfast decompose`: from measured limit forces to convex pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..checks import Side
from ..console.options import STDOUT, CsvOption, JsonOption, PlotOption, check_distinct, check_target, vector
from ..console.output import counted, number, progress, write_text
from ..console.pictures import FeaturePlots
from ..console.sheets import Block, Line, TableBlock, heading, present, yes_no
from ..errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from .measurements import Beyond, Level, Measurements
    from .models import ModelInfo
    from .samples import Fill
    from .surface import LimitSurface
    from .volume import ForceVolume

plots = FeaturePlots(__package__)


def models(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Model whose details are shown.")] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    csv: CsvOption = None,
) -> None:
    """List the ready contact models; with NAME show its parameters, source, limits of validity and picture."""
    from . import models as room

    check_distinct(plot=plot, csv=csv, json=STDOUT if json else None)
    if name is None:
        if plot is not None:
            raise InputError("needs the name of a model", where="--plot", fix="use holdfast models NAME --plot FILE")
        infos = room.list()
        data = {"models": [info.to_dict() for info in infos]}
        keys = ("name", "convex", "kind", "summary")
        rows = [{key: getattr(info, key) for key in keys} for info in infos]
        present("models", data, sheet=_list_sheet(infos), json=json, csv=csv, rows=lambda: rows)
    info = room.get(name)
    present(
        "models",
        {"model": info.to_dict()},
        sheet=_model_sheet(info),
        json=json,
        csv=csv,
        rows=lambda: [{k: getattr(p, k) for k in ("name", "default", "unit", "meaning")} for p in info.parameters],
        plot=plot,
        picture=lambda: _model_picture(info),
    )


def _list_sheet(infos: tuple[ModelInfo, ...]) -> Iterator[Block]:
    rows = [(info.name, yes_no(info.convex), info.kind, info.summary) for info in infos]
    yield TableBlock(["model", "convex", "kind", "forces in the contact frame (f_z > 0 presses)"], rows)
    yield "holdfast models NAME shows more; in a scene file: volumes: {name: {model: NAME, ...}}"


def _model_sheet(info: ModelInfo) -> Iterator[Block]:
    yield heading(info.name)
    yield info.summary
    yield f"convex: {yes_no(info.convex)}"
    yield f"kind: {'one point' if info.kind == 'point' else 'a pad of points'}"
    yield f"source: {info.source}"
    yield f"valid: {info.validity}"
    gives = info.suspension
    yield f"default stiffness of one unit: normal {gives.normal:g} N/m, tangential {gives.tangential:g} N/m"
    yield f"default failure rule: {gives.rule}"
    yield f"source of the stiffness: {gives.source}"
    yield f"stiffness valid: {gives.validity}"
    rows = [(p.name, _default(p.default), p.unit if p.unit != "1" else "-", p.meaning) for p in info.parameters]
    yield TableBlock(["parameter", "default", "unit", "meaning"], rows)


def _default(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _model_picture(info: ModelInfo) -> Any:
    from .models import PointPatch

    made = info.function()
    if isinstance(made, PointPatch):
        return plots.force_volume(made.volume, title=f"{info.name}, one point of {len(made)}")
    return plots.force_volume(made, title=info.name)


def decompose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of measured limit forces, or JSON of a limit surface.")
    ],
    side: Annotated[
        Side, typer.Option("--side", help="inner: pieces inside the measured limits; outer: pieces around them.")
    ] = "inner",
    pieces: Annotated[int, typer.Option("--pieces", metavar="N", help="Largest number of convex pieces.")] = 6,
    error: Annotated[
        float | None,
        typer.Option(
            "--error",
            metavar="N",
            help="Allowed error [N]: adhesion lost (inner) or added (outer); uses the fewest pieces.",
        ),
    ] = None,
    band: Annotated[
        Literal["inner", "nominal", "outer"],
        typer.Option("--band", help="For repeated trials: use the weakest, the median or the strongest."),
    ] = "nominal",
    compression: Annotated[
        str,
        typer.Option(
            "--compression",
            metavar="WORD|N",
            help="Pressing directions that were not measured: measured, unlimited, or a cap [N].",
        ),
    ] = "measured",
    fill: Annotated[
        Literal["zero", "least"],
        typer.Option("--fill", help="Limit in other directions that were not measured: zero, or the least around."),
    ] = "zero",
    smoothing: Annotated[
        str,
        typer.Option(
            "--smoothing",
            metavar="WORD|SHARE",
            help="Scatter of one trial to smooth for: auto (from repeated trials), none, or a share such as 0.05.",
        ),
    ] = "auto",
    along: Annotated[
        str | None,
        typer.Option(
            "--along", metavar="X,Y,Z", help="Direction of tests along one axis; 0,0,-1 (straight off) by default."
        ),
    ] = None,
    assume: Annotated[
        str | None,
        typer.Option(
            "--assume",
            metavar="WORDS",
            help="Model assumed for tests along one axis: segment, or a contact model such as magnet,mu=0.3.",
        ),
    ] = None,
    preload: Annotated[
        float | None,
        typer.Option(
            "--preload", metavar="N", help="Preload [N], for tests at several preloads: limits are interpolated."
        ),
    ] = None,
    beyond: Annotated[
        Literal["error", "largest"],
        typer.Option("--beyond", help="Above the largest preload tested: an error, or the limits at that preload."),
    ] = "error",
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="S", help="Stop after this time [s] with the best pieces found."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the volume as JSON, for scene files; - for standard output."
        ),
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    csv: CsvOption = None,
) -> None:
    """Turn measured limit forces into a force volume of few convex pieces, and report its errors.

    --csv writes the corners of the pieces and the directions of their rays.
    """
    from .decomposition import decompose as cut

    check_target("--output", output, stdout=True)
    check_distinct(output=output, plot=plot, csv=csv, json=STDOUT if json else None)
    if assume is not None:
        shown: dict[str, Any] = {"json": json, "plot": plot, "csv": csv}
        return _assumed(file, assume, along, preload, beyond, band, compression, output, shown)
    surface = _read_surface(file, compression, fill, smoothing, along, preload, beyond)
    chosen = {"inner": surface.inner, "nominal": surface, "outer": surface.outer}[band]
    with progress("convex pieces, %") as report:
        volume = cut(chosen, side=side, max_pieces=pieces, max_error=error, time_limit=time_limit, progress=report)
    _save(volume, output, f"{file.name}, {band} band, {side} decomposition")
    sizes = [{"vertices": len(p), "rays": len(r)} for p, r in zip(volume.pieces, volume.rays, strict=True)]
    errors = None if volume.report is None else volume.report.to_dict()
    present(
        "decompose",
        {"surface": surface_data(surface), "report": errors, "pieces": sizes, "output": output},
        sheet=[] if output == STDOUT else chain(surface_sheet(file.name, surface), volume_sheet(volume, chosen)),
        json=json,
        csv=csv,
        rows=lambda: _piece_rows(volume),
        metadata={"file": file, "band": band},
        plot=plot,
        picture=lambda: plots.piece_sheet(volume, title=f"{file.stem}: {len(volume)} pieces, {side}"),
    )


def _piece_rows(volume: ForceVolume) -> list[dict[str, Any]]:
    """One row per vertex [N] and ray (a direction without unit) of each piece, in the contact frame."""
    return [
        {"piece": number, "kind": kind, "f_x": float(x), "f_y": float(y), "f_z": float(z)}
        for number, pair in enumerate(zip(volume.pieces, volume.rays, strict=True))
        for kind, points in zip(("vertex", "ray"), pair, strict=True)
        for x, y, z in points
    ]


def _save(volume: ForceVolume, output: Path | None, source: str) -> None:
    """Write the volume where --output says."""
    from .files import volume_text

    if output is not None:
        write_text(output, volume_text(volume, source), "volume")


def _read_tests(file: Path, along: str | None, preload: float | None, beyond: Beyond) -> Measurements:
    """The measurements of a CSV file, at one preload if one is given."""
    from .measurements import read_measurements

    measured = read_measurements(file, along=None if along is None else vector("--along", along, 3))
    return measured if preload is None else measured.at_preload(preload, beyond=beyond)


def _read_surface(
    file: Path, compression: str, fill: Fill, smoothing: str, along: str | None, preload: float | None, beyond: Beyond
) -> LimitSurface:
    """The limit surface of a CSV file of measurements, or of a JSON file that Holdfast wrote."""
    from ..files.reader import check_kind
    from .surface import LimitSurface

    check_kind(file, "table of numbers", "limit surface")
    if file.suffix.lower() == ".json":
        return LimitSurface.load(file)
    return _read_tests(file, along, preload, beyond).surface(
        compression=_word_or_number("--compression", compression, COMPRESSION),
        fill=fill,
        smoothing=_word_or_number("--smoothing", smoothing, {"auto": "auto", "none": None}),
    )


#: Tests whose component along the normal is below this pull straight off, to half a degree.
STRAIGHT = -math.cos(math.radians(0.5))

#: Words of --compression.
COMPRESSION = {"measured": "measured", "unlimited": "unlimited"}


def _assumed(
    file: Path,
    assume: str,
    along: str | None,
    preload: float | None,
    beyond: Beyond,
    band: Level,
    compression: str,
    output: Path | None,
    shown: dict[str, Any],
) -> None:
    """The force volume of tests along one axis and of an assumption."""
    shape, parameters = _assumption(assume)
    measured = _read_tests(file, along, preload, beyond)
    pressing = _word_or_number("--compression", compression, COMPRESSION)
    volume = measured.assuming(shape, level=band, compression=pressing, **parameters)
    _save(volume, output, f"{file.name}, {band} band, assumed: {assume}")
    axis = measured.axis
    assert axis is not None  # `assuming` raises an error
    levels: tuple[Level, ...] = ("inner", "nominal", "outer")
    strengths = {level: measured.strength(axis, level) for level in levels}
    data = {"axis": axis, "tests": len(measured), "strength_newtons": strengths, "assumed": shape}
    sizes = [{"vertices": len(p), "rays": len(r)} for p, r in zip(volume.pieces, volume.rays, strict=True)]
    present(
        "decompose",
        data | {"parameters": parameters, "preload": preload, "pieces": sizes, "output": output},
        sheet=[] if output == STDOUT else _assumed_sheet(file.name, data, assume, volume),
        **shown,
        rows=lambda: _piece_rows(volume),
        metadata={"file": file, "band": band},
        picture=lambda: plots.force_volume(volume, title=f"{file.stem}: {assume}"),
    )


def _assumption(text: str) -> tuple[str, dict[str, Any]]:
    """The value of --assume: the shape, and the parameters of a model."""
    from .measurements import PULL_MODELS
    from .models import get

    shape, *rest = (part.strip() for part in text.split(","))
    known = get(shape).parameter_names if shape in PULL_MODELS else ()
    parameters: dict[str, Any] = {}
    for part in rest:
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"has {part!r}", where="--assume", fix="give segment, or magnet,mu=0.3")
        if name.strip() not in known:
            raise UnknownNameError(f"parameter of {shape}", name.strip(), known, where="--assume")
        try:
            parameters[name.strip()] = int(value) if value.strip().isdigit() else float(value)
        except ValueError:
            parameters[name.strip()] = value.strip()
    return shape, parameters


def _assumed_sheet(name: str, data: dict[str, Any], assume: str, volume: ForceVolume) -> Iterator[Block]:
    where = "straight off" if data["axis"][2] < STRAIGHT else _angles(tuple(data["axis"]))
    yield heading(f"{name}: {counted(data['tests'], 'test')} along one axis, {where}")
    inner, nominal, outer = (number(value, 4) for value in data["strength_newtons"].values())
    yield f"weakest {inner} N, median {nominal} N, strongest {outer} N"
    yield Line(f"tests measure one direction only; the limits in all other directions are assumed: {assume}", "yellow")
    rows = [(axis, number(float(volume.radial(direction)), 4)) for axis, direction in AXES.items()]
    yield TableBlock(["direction", "holds [N]"], rows)


def _word_or_number(option: str, text: str, words: dict[str, Any]) -> Any:
    """The value of an option that takes words or a number."""
    if text in words:
        return words[text]
    try:
        return float(text)
    except ValueError:
        raise InputError(f"is {text!r}", where=option, fix=f"give {', '.join(words)} or a number") from None


def surface_data(surface: LimitSurface) -> dict[str, Any]:
    """Numbers that describe a surface."""
    return {
        "directions": len(surface.radii),
        "assumed": int((~surface.measured).sum()),
        "trials": int(surface.trials.sum()),
        "outliers": len(surface.outliers),
        "largest_newtons": surface.size,
        "smoothing": None if surface.smoothing is None else asdict(surface.smoothing),
        "missing": list(surface.missing),
        "notes": list(surface.notes),
    }


def surface_sheet(name: str, surface: LimitSurface) -> Iterator[Block]:
    """One line about a surface, its outliers, the directions without data and the smoothing."""
    data = surface_data(surface)
    assumed = f", {data['assumed']} of them assumed" if data["assumed"] else ""
    yield heading(f"{name}: {data['trials']} measurements in {data['directions']} directions{assumed}")
    if surface.outliers:
        fits = "does not fit its" if data["outliers"] == 1 else "do not fit their"
        yield Line(f"{counted(data['outliers'], 'measurement')} {fits} neighbours; all are used", "yellow")
    for sentence in surface.notes[: len(surface.missing)]:
        yield Line(f"warning: {sentence}", "bold yellow")
    yield from surface.notes[len(surface.missing) :]


Direction = tuple[float, float, float]

#: Directions for which a sheet compares pieces and measurements.
AXES: dict[str, Direction] = {
    "pull straight off, -z": (0.0, 0.0, -1.0),
    "shear along +x": (1.0, 0.0, 0.0),
    "shear along -x": (-1.0, 0.0, 0.0),
    "shear along +y": (0.0, 1.0, 0.0),
    "shear along -y": (0.0, -1.0, 0.0),
    "press straight on, +z": (0.0, 0.0, 1.0),
}


def volume_sheet(volume: ForceVolume, surface: LimitSurface) -> Iterator[Block]:
    """The pieces of a decomposition, the largest forces that they lose or add, and their directions."""
    yield f"{counted(len(volume), 'convex piece')} of {', '.join(str(len(piece)) for piece in volume.pieces)} vertices"
    report = volume.report
    if report is None:
        return
    inner = report.side == "inner"
    verb, other = ("lost", "no force is added") if inner else ("added", "no force is lost")
    rows = [_row(name, direction, surface, volume) for name, direction in AXES.items()]
    for part, direction in (("pull", report.pull_direction), ("shear", report.shear_direction)):
        if direction is not None:
            x, y, z = direction
            share = abs(z) if part == "pull" else math.hypot(x, y)
            rows.append(_row(f"most {part} {verb}: {_angles(direction)}", direction, surface, volume, share))
    yield TableBlock(
        ["direction", "limit [N]", "pieces [N]", f"{verb} [N]"],
        rows,
        title=f"What the pieces hold ({report.side}: {other})",
    )
    if not report.goal_reached:
        yield Line("the wanted error was not reached with this number of pieces", "yellow")
    if report.time_limit_reached:
        yield Line(report.notes[-1], "yellow")


def _row(
    name: str, direction: Direction, surface: LimitSurface, volume: ForceVolume, share: float = 1.0
) -> tuple[str, ...]:
    """Limit, what the pieces hold, and `share` of their difference (its pull or shear), along a direction [N]."""
    limit, held = (float(thing.radial(direction)) for thing in (surface, volume))
    error = 0.0 if limit == held else share * abs(limit - held)
    rounding = tolerances.MEMBERSHIP * surface.size
    return name, *(number(0.0 if value <= rounding else value, 3) for value in (limit, held, error))


def _angles(direction: Direction) -> str:
    """A direction by the angles of the CSV file."""
    x, y, z = direction
    azimuth, elevation = math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))
    return f"azimuth {round(azimuth)}, elevation {round(elevation)} deg"
