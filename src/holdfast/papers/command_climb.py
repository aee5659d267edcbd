"""`holdfast paper climb`: the climbing study, where a body may lean on two walls with four grips (Figs. 14, 16-18)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.compiling import prepare
from ..console.options import JsonOption, folder
from ..console.output import emit
from ..console.progress import progress
from ..errors import UnknownNameError
from .command_tables import OutOption, show_tables, write_tables

if TYPE_CHECKING:
    from ..grips import GripBounds
    from ..postures.region import SupportRegion
    from .devices.hand_grips import GripName
    from .studies.climbing import Climb, Stance, WallName
    from .studies.climbing_claims import Claim
    from .studies.climbing_growth import Fineness
    from .studies.text_tables import Table


def climb(
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", help="Vertices and half-spaces of each learned grip.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the directions they are learned by.")] = 0,
    directions: Annotated[
        int, typer.Option("--directions", metavar="N", help="Directions along which exact and outer regions are found.")
    ] = 32,
    wall: Annotated[
        Literal["near-vertical", "overhang", "both"],
        typer.Option("--wall", help="One wall alone; claims and Fig. 16 need both walls and all grips."),
    ] = "both",
    grip: Annotated[
        list[str] | None,
        typer.Option("--grip", metavar="NAME", help="Hands' grip: opposing, parallel, pinch, power; may be repeated."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="FOLDER", help="Keep grips and exact regions there; seconds from then on."),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes that learn grips.")] = 1,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Support regions of a climbing quadruped: two walls, two hands or one, four grips; exact, inner and outer."""
    from ..solvers import Exact
    from .devices.climber import climber_robot
    from .devices.hand_grips import GRIPS
    from .studies.climbing import FEET, WALLS, climbing_grips
    from .studies.climbing import climb as study
    from .studies.climbing_claims import claim_table, claims, fineness_table, region_table
    from .studies.climbing_growth import fineness

    target, kept = (None if path is None else folder(path) for path in (out, cache))
    names = _names(grip)
    climber_robot()  # without Pinocchio, say so before minutes of learning
    prepare(Exact())
    with progress("learning grips") as told:
        needed: list[GripName] = [name for name in GRIPS if name in names or name in [FEET[n] for n in names]]
        grips = climbing_grips(samples, seed, names=needed, cache=kept, workers=workers, progress=told)
    walls = tuple(WALLS) if wall == "both" else (wall,)
    with progress("regions") as told:
        found = study(grips, walls=walls, names=names, directions=directions, cache=kept, progress=told)
    tables: dict[str, Table] = {"climbing_regions": region_table(found)}
    growth: Fineness | None = None
    judged: tuple[Claim, ...] = ()
    if wall == "both" and names == GRIPS:
        growth = fineness(found, grips, directions=directions)
        judged = claims(found, growth)
        tables |= {"climbing_fineness": fineness_table(growth), "climbing_claims": claim_table(judged)}
    if json:
        emit({"command": "paper climb", **_data(found, growth, judged)})
    else:
        show_tables(tables.values())
    if target is not None:
        _write(target, tables, found, growth)
        if wall != "near-vertical" and "power" in names:
            _draw_feet(target, found, grips["power"])


def _draw_feet(target: Path, found: Climb, grip: GripBounds) -> None:
    """What becomes of the power grip's regions on feet that only press."""
    from ..console.pictures import save
    from .plots_climbing import feet_figure
    from .studies.climbing import STANCES
    from .studies.climbing_growth import pressing_feet_region

    pressing: dict[Stance, SupportRegion] = {stance: pressing_feet_region(grip, "power", stance) for stance in STANCES}
    save(feet_figure(found, pressing), target / "climbing_feet.png")


def _names(given: list[str] | None) -> tuple[GripName, ...]:
    """The grips of the hands that were asked for, in the paper's order; all when none was."""
    from .devices.hand_grips import GRIPS

    for name in given or ():
        if name not in GRIPS:
            raise UnknownNameError("grip", name, GRIPS, where="--grip")
    return tuple(name for name in GRIPS if not given or name in given)


def _data(found: Climb, growth: Fineness | None, judged: tuple[Claim, ...]) -> dict[str, Any]:
    """Everything that was found."""
    cases = [
        {
            "wall": case.wall,
            "stance": case.stance,
            "hands": case.grip,
            "feet": case.feet,
            "com": case.posture.com,
            "mass": case.posture.mass,
            "inner": {"kind": str(case.inner.kind), "area": case.inner.area, "vertices": case.inner.vertices},
            "exact": {"areas": case.exact.areas, "inner": case.exact.inner, "outer": case.exact.outer},
            "outer": {"kind": str(case.outer.kind), "area": case.outer.area, "vertices": case.outer.vertices},
            "holds": case.holds,
            "shift_into_wall": None if case.exact.is_empty else case.shift,
        }
        for case in found.cases
    ]
    rows = () if growth is None else growth.rows
    return {
        "samples": found.samples,
        "seed": found.seed,
        "directions": found.directions,
        "cases": cases,
        "fineness": [{"kind": row.kind, "count": row.count, "area": row.region.area} for row in rows],
        "claims": [{"claim": claim.text, "holds": claim.holds, "ours": claim.ours} for claim in judged],
    }


def _write(target: Path, tables: dict[str, Table], found: Climb, growth: Fineness | None) -> None:
    """Tables and pictures into a folder."""
    from ..console.pictures import save
    from .plots_climbing import climbing_figure, fineness_figure, grips_figure, region_figure
    from .studies.climbing import STANCES, WALLS

    write_tables(target, tables)
    save(grips_figure(), target / "climbing_grips.png")
    walls: list[WallName] = [wall for wall in WALLS if any(case.wall == wall for case in found.cases)]
    for wall in walls:
        save(region_figure(found, wall), target / f"climbing_regions_{wall}.png")
        for stance in STANCES:
            save(climbing_figure(found, wall, stance), target / f"climbing_{wall}_{stance.replace(' ', '_')}.png")
    if growth is not None:
        save(fineness_figure(growth), target / "climbing_fineness.png")
