"""`holdfast models`: the ready contact models; `holdfast decompose`: from measured limit forces to convex pieces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..checks import Side
from ..console.options import JsonOption, PlotOption
from ..console.output import emit, note, number, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from .models import ModelInfo
    from .surface import LimitSurface
    from .volume import ForceVolume


# -- holdfast models ------------------------------------------------------------------------------------


def models(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A model, for its details.")] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """The ready contact models; with a name its parameters, source, limits of validity and picture."""
    from . import models as room

    if name is None:
        if plot is not None:
            raise InputError("needs the name of a model", where="--plot", fix="holdfast models NAME --plot FILE")
        _show_all(room.list(), json)
        return
    info = room.get(name)
    if json:
        emit({"command": "models", "model": info.to_dict()})
    else:
        _show_model(info)
    if plot is not None:
        _draw_model(info, plot)


def _show_all(infos: tuple[ModelInfo, ...], json: bool) -> None:
    if json:
        emit({"command": "models", "models": [info.to_dict() for info in infos]})
        return
    rows = [(info.name, "yes" if info.convex else "no", info.kind, info.summary) for info in infos]
    table(["model", "convex", "kind", "forces in the contact frame (f_z > 0 presses)"], rows)
    say("holdfast models NAME shows more; in a scene file: volumes: {name: {model: NAME, ...}}")


def _show_model(info: ModelInfo) -> None:
    say(info.name, style="bold")
    say(info.summary)
    say(f"convex: {'yes' if info.convex else 'no'}")
    say(f"kind: {'one point' if info.kind == 'point' else 'a pad of points'}")
    say(f"source: {info.source}")
    say(f"valid: {info.validity}")
    rows = [(p.name, _default(p.default), p.unit if p.unit != "1" else "-", p.meaning) for p in info.parameters]
    table(["parameter", "default", "unit", "meaning"], rows)


def _default(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _draw_model(info: ModelInfo, path: Any) -> None:
    from ..console.pictures import save
    from .models import PointPatch
    from .plots import force_volume

    made = info.function()
    volume = made.volume if isinstance(made, PointPatch) else made
    title = f"{info.name}, one point of {len(made)}" if isinstance(made, PointPatch) else info.name
    save(force_volume(volume, title=title), path)


# -- holdfast decompose ---------------------------------------------------------------------------------


def decompose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of measured limit forces, or JSON of a limit surface.")
    ],
    side: Annotated[Side, typer.Option("--side", help="inner: nothing invented; outer: nothing lost.")] = "inner",
    pieces: Annotated[int, typer.Option("--pieces", metavar="N", help="Most convex pieces.")] = 6,
    error: Annotated[
        float | None,
        typer.Option(
            "--error",
            metavar="N",
            help="Wanted largest error [N]: adhesion lost (inner) or invented (outer), with the fewest pieces.",
        ),
    ] = None,
    band: Annotated[
        Literal["inner", "nominal", "outer"],
        typer.Option("--band", help="Of repeated trials: the weakest, the middle or the strongest."),
    ] = "nominal",
    compression: Annotated[
        str,
        typer.Option(
            "--compression",
            metavar="WORD|N",
            help="Pressing directions that were not measured: measured, unlimited, or a cap [N].",
        ),
    ] = "measured",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the volume as JSON, for scene files.")
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Turn measured limit forces into a force volume of few convex pieces, and report its errors."""
    from .decomposition import decompose as cut
    from .files import save_volume

    surface = read_surface(file, compression)
    chosen = {"inner": surface.inner, "nominal": surface, "outer": surface.outer}[band]
    volume = cut(chosen, side=side, max_pieces=pieces, max_error=error)
    if output is not None:
        save_volume(volume, output, source=f"{file.name}, {band} band, {side} decomposition")
    if json:
        emit(_data(file, surface, volume, band, output))
    else:
        show_surface(file.name, surface)
        show_volume(volume)
    if output is not None:
        note(f"volume: {output}")
    if plot is not None:
        from ..console.pictures import save
        from .plots import force_volume

        save(force_volume(volume, title=f"{file.stem}: {len(volume)} pieces, {side}"), plot)


def read_surface(file: Path, compression: str) -> LimitSurface:
    """The limit surface of a CSV file of measurements, or of a JSON file that Holdfast wrote."""
    from .measurements import read_measurements
    from .surface import LimitSurface

    if file.suffix.lower() == ".json":
        return LimitSurface.load(file)
    wanted: Any = compression
    if compression not in ("measured", "unlimited"):
        try:
            wanted = float(compression)
        except ValueError:
            fix = "give measured, unlimited or a number [N]"
            raise InputError(f"is {compression!r}", where="--compression", fix=fix) from None
    return read_measurements(file).surface(compression=wanted)


def surface_data(surface: LimitSurface) -> dict[str, Any]:
    """What a surface is made of, in numbers."""
    return {
        "directions": len(surface.radii),
        "assumed": int((~surface.measured).sum()),
        "trials": int(surface.trials.sum()),
        "outliers": len(surface.outliers),
        "largest_newtons": surface.size,
    }


def _data(file: Path, surface: LimitSurface, volume: ForceVolume, band: str, output: Path | None) -> dict[str, Any]:
    return {
        "command": "decompose",
        "file": file,
        "band": band,
        "surface": surface_data(surface),
        "report": None if volume.report is None else volume.report.to_dict(),
        "pieces": [
            {"vertices": len(piece), "rays": len(rays)} for piece, rays in zip(volume.pieces, volume.rays, strict=True)
        ],
        "output": output,
    }


def show_surface(name: str, surface: LimitSurface) -> None:
    """One line about a surface, and its outliers."""
    data = surface_data(surface)
    assumed = f", {data['assumed']} of them assumed" if data["assumed"] else ""
    say(f"{name}: {data['trials']} measurements in {data['directions']} directions{assumed}", style="bold")
    if surface.outliers:
        say(f"{data['outliers']} measurements do not fit their neighbours; they are kept", style="yellow")


def show_volume(volume: ForceVolume) -> None:
    """The table of a decomposition's errors."""
    report = volume.report
    sizes = ", ".join(str(len(piece)) for piece in volume.pieces)
    say(f"{len(volume)} convex pieces of {sizes} vertices")
    if report is None:
        return
    rows = [
        ("invented: beyond the surface", number(report.overreach_newtons), number(report.overreach_percent)),
        ("invented adhesion", number(report.false_adhesion_newtons), "-"),
        ("lost: short of the surface", number(report.loss_newtons), number(report.loss_percent)),
        ("lost adhesion", number(report.lost_adhesion_newtons), "-"),
    ]
    title = f"Largest errors over all directions ({report.side}: {_SIDES[report.side]})"
    table(["error", "[N]", "[% of the limit]"], rows, title=title)
    if not report.goal_reached:
        say("the wanted error was not reached with this many pieces", style="yellow")


_SIDES = {"inner": "nothing invented", "outer": "nothing lost"}
