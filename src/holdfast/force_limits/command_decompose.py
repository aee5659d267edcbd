"""`holdfast decompose`: from measured limit forces, or a stored surface, to few convex pieces."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import JsonOption, PlotOption
from ..console.output import emit, note, number, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from .surface import LimitSurface
    from .volume import ForceVolume


def decompose(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV of measured limit forces, or JSON of a limit surface.")
    ],
    side: Annotated[
        Literal["inner", "outer"], typer.Option("--side", help="inner: nothing invented; outer: nothing lost.")
    ] = "inner",
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
            help="Pressing directions nobody measured: measured, unlimited, or a cap [N].",
        ),
    ] = "measured",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the volume as JSON, for scene files.")
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Turn measured limit forces into a force volume of few convex pieces, and tell how good it is."""
    from . import decompose as cut
    from .files_volume_file import save_volume

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
        from .. import plotting
        from ..console.pictures import save

        save(plotting.force_volume(volume, title=f"{file.stem}: {len(volume)} pieces, {side}"), plot)


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
        "report": None if volume.report is None else asdict(volume.report),
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
