"""`holdfast paper hierarchy`: Figs. 15 and 16, tests and support regions as grips are known more finely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import JsonOption, folder
from ..console.output import emit, prepare, progress
from ..errors import InputError
from .command_tables import OutOption, show_tables, write_tables

if TYPE_CHECKING:
    from ..grips import GripBounds
    from .studies.hierarchy import Growth
    from .studies.hierarchy_regions import Regions
    from .studies.text_tables import Table


def hierarchy(
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", help="Samples by which the four-finger hand is learned.")
    ] = 400,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the samples and subsets.")] = 0,
    grip: Annotated[
        Path | None, typer.Option("--grip", metavar="FILE", help="A learned grip instead, with inner and outer set.")
    ] = None,
    draw: Annotated[
        Literal["learned", "random"],
        typer.Option("--draw", help="How few are chosen of many: the first learned, or at random as in the paper."),
    ] = "learned",
    only: Annotated[
        int | None, typer.Option("--only", metavar="15|16", help="One of the two figures; both when left out.")
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Tests behind each time of Fig. 15.")] = 5,
    largest: Annotated[
        int | None, typer.Option("--largest", metavar="N", help="Leave out larger numbers of vertices and half-spaces.")
    ] = None,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Times of a four-hand test (Fig. 15) and support regions (Fig. 16) as grips have more vertices or half-spaces."""
    from ..solvers import Exact
    from .studies.hierarchy import PLANE_COUNTS, VERTEX_COUNTS, growth
    from .studies.hierarchy_regions import INNER_COUNTS, OUTER_COUNTS, regions
    from .studies.hierarchy_tables import growth_table, region_table

    if only not in (None, 15, 16):
        raise InputError(f"there is no figure {only} here", where="--only", fix="give 15 or 16")
    target = None if out is None else folder(out)
    prepare(Exact())
    learned = _grip(grip, samples, seed)
    tables: dict[str, Table] = {}
    times: Growth | None = None
    found: Regions | None = None

    def fitting(counts: tuple[int, ...]) -> list[int]:
        return [count for count in counts if largest is None or count <= largest]

    if only != 16:
        with progress("Fig. 15, tests") as told:
            counts = {"vertices": fitting(VERTEX_COUNTS), "planes": fitting(PLANE_COUNTS)}
            times = growth(learned, **counts, draw=draw, repeats=repeats, seed=seed, progress=told)
        tables["hierarchy_times"] = growth_table(times)
    if only != 15:
        with progress("Fig. 16, regions") as told:
            sides = {"inner": fitting(INNER_COUNTS), "outer": fitting(OUTER_COUNTS)}
            found = regions(learned, **sides, draw=draw, seed=seed, progress=told)
        tables["hierarchy_regions"] = region_table(found)
    if json:
        emit({"command": "paper hierarchy", **_data(learned, seed, times, found)})
    else:
        show_tables(tables.values())
    if target is not None:
        _write(target, tables, times, found)


def _grip(path: Path | None, samples: int, seed: int) -> GripBounds:
    """The grip of the study: learned now, or from a file."""
    from ..grips import GripBounds
    from .studies.climber import study_grip

    if path is None:
        with progress("learning the hand") as told:
            return study_grip(samples, seed, progress=told)
    return GripBounds.load(path)


def _data(grip: GripBounds, seed: int, times: Growth | None, found: Regions | None) -> dict[str, Any]:
    """Everything that was found."""
    from dataclasses import asdict

    data: dict[str, Any] = {
        "seed": seed,
        "vertices_learned": len(grip.inner.vertices),
        "half_spaces_learned": len(grip.outer.offsets),
    }
    if times is not None:
        data["times"] = [asdict(row) | {"ratio": row.ratio} for row in times.rows]
        data["repeats"] = times.repeats
    if found is not None:
        data["mass"], data["com"] = found.body.mass, found.body.com
        data["regions"] = [
            {
                "kind": row.kind,
                "name": row.name,
                "count": row.count,
                "region": str(row.region.kind),
                "area": row.region.area,
                "contains_com": bool(row.region.contains(found.body.com)),
                "seconds": row.seconds,
                "vertices": row.region.vertices,
            }
            for row in (*found.inner, *found.outer)
        ]
    return data


def _write(target: Path, tables: dict[str, Table], times: Growth | None, found: Regions | None) -> None:
    """Tables and pictures into a folder."""
    from ..console.pictures import save
    from .plots_hierarchy import growth_times, region_growth

    write_tables(target, tables)
    if times is not None:
        save(growth_times(times), target / "figure_15.png")
    if found is not None:
        save(region_growth(found), target / "figure_16.png")
