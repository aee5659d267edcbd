"""`holdfast models`: the ready contact models; `holdfast decompose`: from measured limit forces to convex pieces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..checks import Side
from ..console.options import JsonOption, PlotOption
from ..console.output import note, number
from ..console.pictures import FeaturePlots
from ..console.sheets import Block, Line, TableBlock, heading, present, yes_no
from ..errors import InputError

if TYPE_CHECKING:
    from .models import ModelInfo
    from .surface import LimitSurface
    from .volume import ForceVolume

plots = FeaturePlots(__package__)

_SIDES = {"inner": "nothing invented", "outer": "nothing lost"}


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
        infos = room.list()
        present("models", {"models": [info.to_dict() for info in infos]}, sheet=_list_sheet(infos), json=json)
    info = room.get(name)
    present(
        "models",
        {"model": info.to_dict()},
        sheet=_model_sheet(info),
        json=json,
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

    surface = _read_surface(file, compression)
    chosen = {"inner": surface.inner, "nominal": surface, "outer": surface.outer}[band]
    volume = cut(chosen, side=side, max_pieces=pieces, max_error=error)
    if output is not None:
        save_volume(volume, output, source=f"{file.name}, {band} band, {side} decomposition")
        note(f"volume: {output}")
    sizes = [{"vertices": len(p), "rays": len(r)} for p, r in zip(volume.pieces, volume.rays, strict=True)]
    report = None if volume.report is None else volume.report.to_dict()
    present(
        "decompose",
        {"surface": surface_data(surface), "report": report, "pieces": sizes, "output": output},
        sheet=chain(surface_sheet(file.name, surface), volume_sheet(volume)),
        json=json,
        metadata={"file": file, "band": band},
        plot=plot,
        picture=lambda: plots.force_volume(volume, title=f"{file.stem}: {len(volume)} pieces, {side}"),
    )


def _read_surface(file: Path, compression: str) -> LimitSurface:
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


def surface_sheet(name: str, surface: LimitSurface) -> Iterator[Block]:
    """One line about a surface, and its outliers."""
    data = surface_data(surface)
    assumed = f", {data['assumed']} of them assumed" if data["assumed"] else ""
    yield heading(f"{name}: {data['trials']} measurements in {data['directions']} directions{assumed}")
    if surface.outliers:
        yield Line(f"{data['outliers']} measurements do not fit their neighbours; they are kept", "yellow")


def volume_sheet(volume: ForceVolume) -> Iterator[Block]:
    """The pieces of a decomposition and the table of its errors."""
    yield f"{len(volume)} convex pieces of {', '.join(str(len(piece)) for piece in volume.pieces)} vertices"
    report = volume.report
    if report is None:
        return
    yield TableBlock(
        ["error", "[N]", "[% of the limit]"],
        [
            ("invented: beyond the surface", number(report.overreach_newtons), number(report.overreach_percent)),
            ("invented adhesion", number(report.false_adhesion_newtons), "-"),
            ("lost: short of the surface", number(report.loss_newtons), number(report.loss_percent)),
            ("lost adhesion", number(report.lost_adhesion_newtons), "-"),
        ],
        title=f"Largest errors over all directions ({report.side}: {_SIDES[report.side]})",
    )
    if not report.goal_reached:
        yield Line("the wanted error was not reached with this many pieces", "yellow")
