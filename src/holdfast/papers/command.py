"""Tables of studies: shown, and written as CSV and Markdown."""

from __future__ import annotations

import json as json_module
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..console.options import Exit, JsonOption, folder, method
from ..console.output import emit, note, number, plain, prepare, progress, say, table
from ..console.sheets import show
from ..errors import FileError, InputError, UnknownNameError
from ..force_limits.command import surface_data, surface_sheet, volume_sheet
from ..statics.command import circle_sweep, notes_of_damage, sweep_sheet, with_angles

if TYPE_CHECKING:
    from ..force_limits import ForceVolume, LimitSurface
    from ..grips import GripBounds
    from ..postures.region import SupportRegion
    from ..scenes import Scene
    from ..solvers import Exact
    from ..statics import GravitySweep
    from .climbing import Claim, Climb, Fineness, Stance, WallName
    from .devices.climber import GripName
    from .figures import FigureData
    from .hierarchy import Growth, Regions
    from .slip import Failure, SlipStatistics, SlipStudy
    from .tables import Table

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="Write tables (CSV, Markdown) and pictures there.")
]


def show_tables(tables: Iterable[Table]) -> None:
    """Print tables with what has to be said about them."""
    for shown in tables:
        table(shown.header, shown.rows, title=shown.title)
        say(shown.note)
        say()


def write_tables(target: Path, tables: Mapping[str, Table]) -> None:
    """Each table into the folder `target`, by its name, as CSV and as Markdown."""
    for name, shown in tables.items():
        write_text(target / f"{name}.csv", shown.csv())
        write_text(target / f"{name}.md", shown.markdown(2) + "\n")


def write_text(path: Path, text: str) -> None:
    """A file, and a note that it is there."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fix = "name a file in a folder you may write to"
        raise FileError(f"cannot be written: {error.strerror}", path=path, fix=fix) from None
    note(f"written: {path}")


# `holdfast demo`: from measured forces of a microspine unit to the verdict for a gripper, all the way round.

#: The measurements, with this package's other data.
MEASUREMENTS = Path(__file__).resolve().parent.parent / "data" / "microspine_unit.csv"

#: Directions of gravity round the circle.
DIRECTIONS = 72

#: The gripper, as a scene file that the demo leaves behind.
SCENE = """\
# The two-finger gripper (2FG), its units as measured; made by `holdfast demo`
holdfast: 1
name: two-finger gripper MD-PMD
volumes:
  unit: {file: unit.json} # what `holdfast decompose` makes of the measurements
device:
  kind: 2FG
  left: MD # phalanges that touch: P proximal, M middle, D distal
  right: PMD
  unit: unit
"""


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the pictures and files.")
    ] = Path("holdfast-demo"),
    json: JsonOption = False,
) -> None:
    """From a CSV of measured forces to a gripper's verdict over 72 directions of gravity, with pictures."""
    from ..scenes import load_scene

    began = time.perf_counter()
    target = folder(output)
    surface, volume = _measured(target)
    scene = load_scene(target / "gripper.yaml")
    found = circle_sweep(scene, DIRECTIONS, "xz", method())
    results = with_angles(found)
    files = _write(target, scene, surface, volume, found)
    summary = _summary(results)
    if json:
        data = {"command": "demo", "surface": surface_data(surface), "pieces": len(volume), "summary": summary}
        emit(data | {"files": files} | found.to_dict() | {"results": results})
    else:
        _show(surface, volume, scene, found, summary)
    note(f"wrote {', '.join(files)} to {target} in {time.perf_counter() - began:.0f} s")


def _measured(target: Path) -> tuple[LimitSurface, ForceVolume]:
    """The unit's surface and its convex pieces, from the measurements; left behind as files of a scene."""
    from ..force_limits import decompose, read_measurements
    from ..force_limits.files import save_volume

    surface = read_measurements(MEASUREMENTS).surface()
    volume = decompose(surface, side="inner")
    save_volume(volume, target / "unit.json", source=MEASUREMENTS.name)
    (target / "gripper.yaml").write_text(SCENE, encoding="utf-8")
    return surface, volume


def _write(target: Path, scene: Scene, surface: LimitSurface, volume: ForceVolume, found: GravitySweep) -> list[str]:
    """Pictures and numbers into the folder; the names of all files there."""
    from .. import plotting
    from ..assembly import plots as assembly_plots
    from ..statics import plots as statics_plots
    from ..statics.equilibrium import equilibrium

    plotting.save(plotting.force_volume(volume, title="microspine unit: convex pieces"), target / "unit.png")
    plotting.save(plotting.section([surface, volume], "xz", labels=["measured", "pieces"]), target / "section.png")
    answer = equilibrium(scene.assembly, scene.gravity_load())
    plotting.save(assembly_plots.assembly(scene, result=answer), target / "gripper.png")
    plotting.save(statics_plots.sweep_polar(found, title=scene.name), target / "sweep.png")
    text = json_module.dumps(plain({"scene": scene.name, "results": with_angles(found)}), indent=1)
    (target / "sweep.json").write_text(text + "\n", encoding="utf-8")
    return ["unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"]


def _show(surface: LimitSurface, volume: ForceVolume, scene: Scene, found: GravitySweep, summary: str) -> None:
    say("1. One microspine unit, measured", style="bold underline")
    show(surface_sheet(MEASUREMENTS.name, surface))
    show(volume_sheet(volume))
    say()
    units = len({contact.name.rpartition("[")[0] for contact in scene.assembly.contacts})
    say(f"2. {scene.name}: {units} such units, gravity from {len(found)} sides", style="bold underline")
    show(sweep_sheet(found))
    say(_accuracy(with_angles(found)))
    say()
    say(summary)


def _summary(results: list[dict[str, Any]]) -> str:
    """What came out, in words."""
    holding = sum(result["status"] == "holds" for result in results)
    known = [result for result in results if result["load_factor"] is not None]
    best = max(known, key=lambda result: float(result["load_factor"]))
    return (
        f"The gripper holds its object with gravity from {holding} of {len(results)} sides"
        f"{_arcs(results)}. It is strongest at {number(best['angle_deg'])} degrees, where it would bear "
        f"{number(float(best['load_factor']), 3)} times the weight."
    )


def _accuracy(results: list[dict[str, Any]]) -> str:
    """How closely the load factors are known, in words."""
    still_open = sum(not _is_closed(result) for result in results)
    if still_open:
        return f"{still_open} load factors are not proven to be the largest: sweep.json has what each could be at most."
    return f"Load factors are the largest there are, to {tolerances.GAP:g} of each."


def _is_closed(result: dict[str, Any]) -> bool:
    """Whether a load factor and its upper bound are the same, within the gap and rounding."""
    if result["load_factor"] is None:
        return False
    factor, most = float(result["load_factor"]), float(result["load_factor_upper_bound"])
    return most == factor or most - factor <= tolerances.GAP * abs(factor) + tolerances.FEASIBILITY


def _arcs(results: list[dict[str, Any]]) -> str:
    """The arcs of the circle on which it holds, in degrees."""
    holds = [result["status"] == "holds" for result in results]
    if all(holds) or not any(holds):
        return ""
    count = len(results)
    starts = [i for i in range(count) if holds[i] and not holds[i - 1]]
    arcs = []
    for start in starts:
        end = start
        while holds[(end + 1) % count]:
            end += 1
        arcs.append(f"{number(results[start]['angle_deg'])} to {number(results[end % count]['angle_deg'])}")
    return f": {', '.join(arcs)} degrees from straight down, towards +x"


# `holdfast paper climb`: the climbing study, where a body may lean on two walls with four grips (Figs. 14, 16-18).


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
    from .climbing import FEET, WALLS, claim_table, claims, climbing_grips, fineness, fineness_table, region_table
    from .climbing import climb as study
    from .devices.climber import GRIPS, climber_robot

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
        _write_command_climb(target, tables, found, growth)
        if wall != "near-vertical" and "power" in names:
            _draw_feet(target, found, grips["power"])


def _draw_feet(target: Path, found: Climb, grip: GripBounds) -> None:
    """What becomes of the power grip's regions on feet that only press."""
    from ..console.pictures import save
    from .climbing import STANCES, pressing_feet_region
    from .plots import feet_figure

    pressing: dict[Stance, SupportRegion] = {stance: pressing_feet_region(grip, "power", stance) for stance in STANCES}
    save(feet_figure(found, pressing), target / "climbing_feet.png")


def _names(given: list[str] | None) -> tuple[GripName, ...]:
    """The grips of the hands that were asked for, in the paper's order; all when none was."""
    from .devices.climber import GRIPS

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


def _write_command_climb(target: Path, tables: dict[str, Table], found: Climb, growth: Fineness | None) -> None:
    """Tables and pictures into a folder."""
    from ..console.pictures import save
    from .climbing import STANCES, WALLS
    from .plots import climbing_figure, fineness_figure, grips_figure, region_figure

    write_tables(target, tables)
    save(grips_figure(), target / "climbing_grips.png")
    walls: list[WallName] = [wall for wall in WALLS if any(case.wall == wall for case in found.cases)]
    for wall in walls:
        save(region_figure(found, wall), target / f"climbing_regions_{wall}.png")
        for stance in STANCES:
            save(climbing_figure(found, wall, stance), target / f"climbing_{wall}_{stance.replace(' ', '_')}.png")
    if growth is not None:
        save(fineness_figure(growth), target / "climbing_fineness.png")


# `holdfast paper figures`: the paper's Figs. 3, 4, 5 and 7 to 11, from this project's models and devices.

#: The spheres of rays may be subdivided this often: 40,962 rays a slice.
FINEST = 6

#: Dots an inch of a .png.
DOTS = 120

#: Seconds for each ray before it is undecided; what was found to hold is drawn.
PATIENCE = 5.0


def figures(
    only: Annotated[
        str | None, typer.Option("--only", metavar="N,N,...", help="Figures to make, as in 7,8; all when left out.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the pictures go.")] = Path(),
    level: Annotated[
        int, typer.Option("--level", metavar="N", help="Fineness of Figs. 7 to 11: 10 * 4^N + 2 rays a slice.")
    ] = 4,
    format_: Annotated[Literal["png", "svg", "pdf"], typer.Option("--format", help="Kind of picture.")] = "png",
    save_data: Annotated[
        bool,
        typer.Option(
            "--save-data", help="Keep the slices as .h5 files beside the pictures; those that fit are not redone."
        ),
    ] = False,
    gap: Annotated[
        float, typer.Option("--gap", metavar="SHARE", help="How closely the limit along each ray is found.")
    ] = 1e-2,
    json: JsonOption = False,
) -> None:
    """The figures of Hauser, Wang and Cutkosky (2018), drawn anew from the models and devices of Holdfast."""
    from ..console.output import progress
    from ..plotting.files import save
    from .figures import figure_data
    from .plots import paper_figure

    numbers = _numbers(only)
    if not 0 <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST}")
    target = folder(out)
    solver: Exact = method(gap=gap, time_limit=PATIENCE)  # pyright: ignore[reportAssignmentType]
    if any(chosen >= 7 for chosen in numbers):
        prepare(solver)
    made: list[dict[str, Any]] = []
    for chosen in numbers:
        begun = time.perf_counter()
        kept = target if save_data else None
        with progress(f"Fig. {chosen}, rays") as report:
            data = figure_data(chosen, level=level, folder=kept, method=solver, progress=report)
        path = save(paper_figure(data), target / f"figure_{chosen:02d}.{format_}", dpi=DOTS)
        made.append(_facts(data) | {"picture": str(path), "seconds": time.perf_counter() - begun})
        note(f"Fig. {chosen}: {path}")
    if json:
        emit({"command": "paper figures", "level": level, "figures": made})
    else:
        _show_command_figures(made)
    raise typer.Exit(Exit.HOLDS)


def _numbers(only: str | None) -> list[int]:
    """The figures asked for, in the paper's order, each once."""
    from .figures import NUMBERS

    if only is None:
        return list(NUMBERS)
    words = only.replace(",", " ").split()
    known = ", ".join(map(str, NUMBERS))
    for word in words:
        if not word.isdigit() or int(word) not in NUMBERS:
            raise InputError(f"there is no figure {word!r} to make", where="--only", fix=f"choose from {known}")
    if not words:
        raise InputError("names no figure", where="--only", fix=f"choose from {known}")
    return [chosen for chosen in NUMBERS if str(chosen) in {str(int(word)) for word in words}]


def _facts(data: FigureData) -> dict[str, Any]:
    """What a figure shows, in numbers."""
    from ..solvers import Status
    from .figures import SpaceFigure

    facts: dict[str, Any] = {"figure": data.number, "title": data.title, "rays": 0, "undecided": 0, "read": []}
    if isinstance(data, SpaceFigure):
        facts["rays"] = sum(len(space) for space in data.spaces.values())
        facts["undecided"] = sum(int((space.status == Status.UNDECIDED).sum()) for space in data.spaces.values())
        facts["read"] = list(data.read)
        facts["reach"] = {words: data.reach(words) for words in data.spaces}
    return facts


def _show_command_figures(made: list[dict[str, Any]]) -> None:
    say("Figures of the paper, from our own models and devices", style="bold")
    rows = [
        (
            entry["figure"],
            entry["title"],
            entry["rays"] or "-",
            entry["undecided"] if entry["rays"] else "-",
            ", ".join(f"({words})" for words in entry["read"]) or "-",
            number(entry["seconds"], 2),
        )
        for entry in made
    ]
    table(["figure", "shows", "rays", "undecided", "read from files", "time [s]"], rows)


# `holdfast paper hierarchy`: Figs. 15 and 16, tests and support regions as grips are known more finely.


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
    from .hierarchy import (
        INNER_COUNTS,
        OUTER_COUNTS,
        PLANE_COUNTS,
        VERTEX_COUNTS,
        growth,
        growth_table,
        region_table,
        regions,
    )

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
        emit({"command": "paper hierarchy", **_data_command_hierarchy(learned, seed, times, found)})
    else:
        show_tables(tables.values())
    if target is not None:
        _write_command_hierarchy(target, tables, times, found)


def _grip(path: Path | None, samples: int, seed: int) -> GripBounds:
    """The grip of the study: learned now, or from a file."""
    from ..grips import GripBounds
    from .hierarchy import study_grip

    if path is None:
        with progress("learning the hand") as told:
            return study_grip(samples, seed, progress=told)
    return GripBounds.load(path)


def _data_command_hierarchy(grip: GripBounds, seed: int, times: Growth | None, found: Regions | None) -> dict[str, Any]:
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


def _write_command_hierarchy(
    target: Path, tables: dict[str, Table], times: Growth | None, found: Regions | None
) -> None:
    """Tables and pictures into a folder."""
    from ..console.pictures import save
    from .plots import growth_times, region_growth

    write_tables(target, tables)
    if times is not None:
        save(growth_times(times), target / "figure_15.png")
    if found is not None:
        save(region_growth(found), target / "figure_16.png")


# `holdfast paper slip`: the slip study, predicted onset angles against those of a hidden truth.


def slip(
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the hidden truths.")] = 0,
    events: Annotated[int, typer.Option("--events", metavar="N", help="Only the first N of the 14 events.")] = 14,
    seeds: Annotated[
        int,
        typer.Option("--seeds", metavar="N", help="Also count over seeds 0 to N-1, source by source: some 12 s each."),
    ] = 0,
    replicas: Annotated[
        bool, typer.Option("--failures/--no-failures", help="Whether to show the three failures of Fig. 13 as well.")
    ] = True,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Onset of slip of the 2FG as it is turned, predicted by the model and found in a truth that strays from it."""
    from ..solvers import Exact
    from .slip import event_table, failure_table, failures, slip_statistics, slip_study, statistics_table

    target = None if out is None else folder(out)
    prepare(Exact())
    with progress("slip events") as told:
        study = slip_study(seed, events=events, progress=told)
    failed = failures() if replicas else ()
    statistics: list[SlipStatistics] = []
    if seeds:
        with progress(f"{seeds} seeds") as told:
            statistics = slip_statistics(range(seeds), events=events, progress=told)
    tables = {"slip_events": event_table(study)}
    if failed:
        tables["slip_failures"] = failure_table(failed)
    if statistics:
        tables["slip_seeds"] = statistics_table(statistics)
    if json:
        emit({"command": "paper slip", **_data_command_slip(study, failed, statistics)})
    else:
        show_tables(tables.values())
    if target is not None:
        _write_command_slip(target, tables, study)


def _data_command_slip(
    study: SlipStudy, failed: tuple[Failure, ...], statistics: list[SlipStatistics]
) -> dict[str, Any]:
    """Everything that was found, in degrees."""
    import numpy as np

    from .slip import fall_angle

    def degrees(onset: Any) -> dict[str, Any]:
        return {
            "status": onset.status.value,
            "angle_deg": float(np.degrees(fall_angle(onset))),
            "bracket_deg": np.degrees(onset.bracket),
            "proof_verified": onset.verify(),
        }

    def asked(event: Any) -> dict[str, Any]:
        azimuth = float(np.degrees(event.azimuth))
        return {"left": event.left, "right": event.right, "radius": event.radius, "azimuth_deg": azimuth}

    rows = [
        asked(row.event)
        | {
            "predicted": degrees(row.predicted),
            "true": degrees(row.true),
            "error_deg": float(np.degrees(row.error)),
            "within": row.is_within(study.within),
        }
        for row in study.rows
    ]
    return {
        "seed": study.seed,
        "within_deg": float(np.degrees(study.within)),
        "count": study.count,
        "events": rows,
        "failures": [
            {"name": one.name, "model": asked(one.event), "not_told": one.told}
            | {name: degrees(getattr(one, name)) for name in ("predicted", "true", "mended")}
            for one in failed
        ],
        "seeds": [
            {"scatter": one.name, "counts": one.counts, "errors_deg": np.degrees(one.errors)} for one in statistics
        ],
    }


def _write_command_slip(target: Path, tables: dict[str, Table], study: SlipStudy) -> None:
    """Tables and pictures into a folder."""
    from .. import plotting
    from ..console.pictures import save
    from .plots import onset_agreement, onset_strip
    from .slip import fall_angle

    write_tables(target, tables)
    angles = [[fall_angle(onset) for onset in (row.predicted, row.true)] for row in study.rows]
    conditions = [f"{row.event.left}-{row.event.right}" for row in study.rows]
    predicted, true = zip(*angles, strict=True)
    save(onset_agreement(predicted, true, conditions, within=study.within), target / "slip_onsets.png")
    figure = onset_strip(strip_frames(study), titles=("lifted", "predicted onset", "true onset"))
    plotting.save(figure, target / "slip_strip.png")
    note(f"picture: {target / 'slip_strip.png'}")


def strip_frames(study: SlipStudy, most: int = 4) -> list[list[Any]]:
    """Poses of the events that turn in the plane of the fingers, or of the first ones: lifted, predicted, true."""
    import numpy as np

    from .plots import Pose2D
    from .slip import fall_angle

    in_plane = [row for row in study.rows if abs(np.sin(row.event.azimuth)) < np.sin(np.radians(1.0))]
    frames = []
    for row in (in_plane or list(study.rows))[:most]:
        device, towards = row.event.device(), row.event.towards
        poses = [Pose2D(device, towards, 0.0, row.event.name)]
        for angle in (fall_angle(row.predicted), fall_angle(row.true)):
            text = f"{np.degrees(angle):.1f}°" if np.isfinite(angle) else "never"
            poses.append(Pose2D(device, towards, angle if np.isfinite(angle) else np.pi, text))
        frames.append(poses)
    return frames


# `holdfast paper table1`: the paper's Table I measured on this machine, by our method and by rivals.

#: What stands around the tables in a Markdown file; all else in it is left as it is.
BEGIN, END = "<!-- table1: begin -->", "<!-- table1: end -->"

RowsOption = Annotated[
    str | None,
    typer.Option("--rows", metavar="NAMES", help="Rows, with commas between: 2OU, '2FG D-MD', 4FH, ... (all nine)."),
]


def table1(
    rows: RowsOption = None,
    rivals: Annotated[
        Literal["none", "quick", "all"],
        typer.Option(
            "--rivals",
            help="none; quick: the paper's algorithm with CVXOPT, big-M on SCIP, the V-form on HiGHS; all: five.",
        ),
    ] = "quick",
    cap: Annotated[
        float, typer.Option("--cap", metavar="S", help="Seconds a rival has for one query before it is 'S+'.")
    ] = 2.0,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="S", help="Seconds a rival has for all queries of one kind on one row."),
    ] = 2.0,
    queries: Annotated[
        int | None,
        typer.Option("--queries", metavar="N", help="Most queries of a kind and row (the paper's 72 and 135)."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", help="Times each of our queries is put; the median counts.")
    ] = 1,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check each of our proofs, off the clock: some two minutes for all rows.")
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="JOURNAL", help="Save series as they come; a run that stopped goes on from it."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write all numbers, the printed ones among them.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", metavar="FILE", help="Write tables as Markdown; in a file that is there, between its markers."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Times of equilibrium tests and load limits on the nine devices of Table I, ours and rivals', in CPU time."""
    from ..reports.command import report
    from ..solvers import Exact
    from .table_one import FEW_RIVALS, RIVALS, table_one

    page = None if markdown is None else _page(markdown)
    if csv is not None:
        _folder(csv)
    prepare(Exact())
    try:
        with notes_of_damage(), progress("Table I, series") as told:
            found = table_one(
                None if rows is None else rows.split(","),
                {"none": (), "quick": FEW_RIVALS, "all": RIVALS}[rivals],
                cap=cap,
                budget=budget,
                queries=queries,
                repeats=repeats,
                verify=verify,
                journal=save,
                progress=told,
            )
    except KeyboardInterrupt:
        kept = "nothing was saved (give --save JOURNAL)" if save is None else f"run it again to go on from {save}"
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if json:
        emit({"command": "paper table1", **found.data()})
    else:
        show_tables(report.tables(found))
        say(report.conditions(found).replace("\n\n", "\n"))
    if csv is not None:
        write_text(csv, report.numbers_table(found).csv())
    if markdown is not None and page is not None:
        write_text(markdown, f"{page[0]}{BEGIN}\n\n{report.markdown(found)}\n{END}{page[1]}")


def _page(path: Path) -> tuple[str, str]:
    """What stands before and after the markers of a Markdown file; a new file has nothing around them."""
    _folder(path)
    if not path.exists():
        return "", "\n"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", path=path, fix="name another file") from None
    before, began, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (began and ended):
        fix = f"put {BEGIN} and {END} into it where the tables belong, or name a new file"
        raise FileError("is there and has no place for the tables", path=path, fix=fix)
    return before, after


def _folder(path: Path) -> None:
    """A fault before the long run rather than after it."""
    if not path.parent.is_dir() or path.is_dir():
        raise FileError("cannot be written", path=path, fix="name a file in a folder that is there")


# `holdfast paper`: the paper's tables, figures and experiments from this project's own models.

app = typer.Typer(
    help="The paper's tables, figures and experiments, from this project's models and devices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("table1", short_help="Table I: times of our method and of rivals.")(table1)
app.command("figures", short_help="Figs. 3, 4, 5 and 7 to 11 as pictures.")(figures)
app.command("slip", short_help="The synthetic slip study, with its failure replicas.")(slip)
app.command("hierarchy", short_help="Figs. 15 and 16: grips, growth of times, support regions.")(hierarchy)
app.command("climb", short_help="The climbing study: where a quadruped's body may lean (Figs. 14, 16-18).")(climb)
