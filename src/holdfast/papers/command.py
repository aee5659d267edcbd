"""`holdfast demo`, and `holdfast paper`: the tables, figures and experiments of the papers from this project's models.

Every study prints its tables, or its results with --json, and writes tables (CSV, Markdown) and pictures to the folder
of --out.
"""

from __future__ import annotations

import json as json_module
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from .. import tolerances
from ..console.options import CsvOption, Exit, JsonOption, SeedOption, WorkersOption, check_target, folder, method
from ..console.output import counted, note, number, plain, progress, write_text
from ..console.pictures import save
from ..console.sheets import Block, Line, TableBlock, heading, present
from ..errors import FileError, InputError, UnknownNameError
from ..force_limits.command import surface_data, surface_sheet, volume_sheet
from ..inputs import write_whole
from ..statics.command import circle_sweep, notes_of_damage, sweep_sheet, with_angles

if TYPE_CHECKING:
    from ..force_limits import ForceVolume, LimitSurface
    from ..grips import GripBounds
    from ..scenes import Scene
    from ..solvers import Exact
    from ..statics import Equilibrium, GravitySweep
    from .devices.climber import GripName
    from .tables import TextTable

#: The two markers in a Markdown file between which the tables are written; the rest of the file is kept.
BEGIN, END = "<!-- table1: begin -->", "<!-- table1: end -->"

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="Write tables (CSV, Markdown) and pictures there.")
]
SamplesOption = Annotated[
    int, typer.Option("--samples", metavar="N", help="Vertices and half-spaces by which each hand is learned.")
]


def table_sheet(tables: Iterable[TextTable]) -> Iterator[Block]:
    """Tables with their notes."""
    for table in tables:
        yield TableBlock(table.header, table.rows, title=table.title)
        yield table.note
        yield ""


def write_tables(target: Path, tables: Mapping[str, TextTable]) -> None:
    """Write each table into the folder `target`, by its name, as CSV and as Markdown."""
    for name, table in tables.items():
        write_text(target / f"{name}.csv", table.csv())
        write_text(target / f"{name}.md", table.markdown(2) + "\n")


def present_study(
    command: str,
    result: Mapping[str, Any],
    tables: Mapping[str, TextTable],
    pictures: Mapping[str, Callable[[], Any]],
    *,
    out: Path | None,
    json: bool,
) -> NoReturn:
    """Write the tables and pictures of a study to the folder `out`, print the tables or JSON, end the command."""
    if out is not None:
        write_tables(out, tables)
        for name, draw in pictures.items():
            save(draw(), out / name)
    present(command, result, sheet=table_sheet(tables.values()), json=json)


# -- holdfast demo --------------------------------------------------------------------------------

#: The measurements, with this package's other data.
MEASUREMENTS = Path(__file__).resolve().parent.parent / "data" / "microspine_unit.csv"

#: Directions of gravity on the circle.
DIRECTIONS = 72

#: Largest pressing force in the pictures of the unit [N], and part of its section: the side on which it pulls.
PRESSING, SECTION = 25.0, ((-12.0, 52.0), (-7.0, 12.0))

#: The gripper as a scene file that the demo writes.
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
    """Example: from a CSV of measured forces to the verdict for a gripper in 72 gravity directions, with pictures."""
    from ..scenes import load_scene
    from ..statics.holding import equilibrium

    began = time.perf_counter()

    def step(text: str) -> None:
        note(f"{time.perf_counter() - began:5.1f} s  {text}")

    target = folder(output)
    cup = load_scene("@suction_cup")
    first = equilibrium(cup.assembly, cup.gravity_load())
    step(f"a first verdict: the {cup.name} {first.status.value}")
    step("measured forces of one unit: fit a limit surface and divide it into convex pieces")
    surface, volume = _measured(target)
    scene = load_scene(target / "gripper.yaml")
    step(f"{counted(len(volume), 'piece')}; test whether the gripper holds its object")
    answer = equilibrium(scene.assembly, scene.gravity_load())
    step(f"with gravity along -z it {answer.status.value}; turn gravity in {DIRECTIONS} steps")
    found = circle_sweep(scene, DIRECTIONS, "xz", method())
    results = with_angles(found)
    step("draw the pictures")
    files = _write(target, scene, surface, volume, found, answer)
    step(f"wrote {', '.join(files)} to {target}")
    summary = _summary(results)
    present(
        "demo",
        found.to_dict() | {"results": results},
        sheet=_demo_sheet(surface, volume, scene, found, summary),
        json=json,
        metadata={"surface": surface_data(surface), "pieces": len(volume), "summary": summary, "files": files},
    )


def _measured(target: Path) -> tuple[LimitSurface, ForceVolume]:
    """The unit's surface and its convex pieces, from the measurements; written as files of a scene."""
    from ..force_limits import decompose, read_measurements
    from ..force_limits.files import save_volume

    surface = read_measurements(MEASUREMENTS).surface()
    volume = decompose(surface, side="inner")
    save_volume(volume, target / "unit.json", source=MEASUREMENTS.name)
    write_whole(target / "gripper.yaml", SCENE.encode())
    return surface, volume


def _write(
    target: Path,
    scene: Scene,
    surface: LimitSurface,
    volume: ForceVolume,
    found: GravitySweep,
    answer: Equilibrium,
) -> list[str]:
    """Write pictures and numbers into the folder; returns the names of all files there."""
    from ..assembly import plots as assembly_plots
    from ..force_limits import plots as force_plots
    from ..plotting import save as save_picture
    from ..statics import plots as statics_plots

    title = f"microspine unit: forces up to {PRESSING:g} N of pressing, and the convex pieces of their section"
    unit = force_plots.piece_sheet(volume, reach=PRESSING, window=SECTION, title=title)
    save_picture(unit, target / "unit.png")
    section = force_plots.section([surface, volume], "xz", labels=["measured", "pieces"], window=SECTION)
    save_picture(section, target / "section.png")
    save_picture(assembly_plots.assembly(scene, result=answer), target / "gripper.png")
    save_picture(statics_plots.sweep_polar(found, title=scene.name), target / "sweep.png")
    text = json_module.dumps(plain({"scene": scene.name, "results": with_angles(found)}), indent=1)
    write_whole(target / "sweep.json", (text + "\n").encode())
    return ["unit.json", "gripper.yaml", "sweep.json", "unit.png", "section.png", "gripper.png", "sweep.png"]


def _demo_sheet(
    surface: LimitSurface, volume: ForceVolume, scene: Scene, found: GravitySweep, summary: str
) -> Iterator[Block]:
    yield Line("1. One microspine unit, measured", "bold underline")
    yield from surface_sheet(MEASUREMENTS.name, surface)
    yield from volume_sheet(volume, surface)
    yield ""
    units = len({contact.name.rpartition("[")[0] for contact in scene.assembly.contacts})
    yield Line(f"2. {scene.name}: {units} such units, {len(found)} directions of gravity", "bold underline")
    yield from sweep_sheet(found)
    yield _accuracy(with_angles(found))
    yield ""
    yield summary


def _summary(results: list[dict[str, Any]]) -> str:
    """The result in sentences."""
    holding = sum(result["status"] == "holds" for result in results)
    known = [result for result in results if result["load_factor"] is not None]
    best = max(known, key=lambda result: float(result["load_factor"]))
    return (
        f"The gripper holds its object for {holding} of {len(results)} directions of gravity"
        f"{_arcs(results)}. It is strongest at {number(best['angle_deg'])} degrees, where it would hold "
        f"{number(float(best['load_factor']), 3)} times the weight."
    )


def _accuracy(results: list[dict[str, Any]]) -> str:
    """The accuracy of the load factors, in one sentence."""
    still_open = sum(not _is_closed(result) for result in results)
    if still_open:
        return f"{still_open} load factors are not proven to be the largest: sweep.json has their upper bounds."
    return f"Load factors are exact to a relative gap of {tolerances.GAP:g}."


def _is_closed(result: dict[str, Any]) -> bool:
    """Whether a load factor and its upper bound are the same, within the gap and rounding."""
    if result["load_factor"] is None:
        return False
    factor, most = float(result["load_factor"]), float(result["load_factor_upper_bound"])
    return most == factor or most - factor <= tolerances.GAP * abs(factor) + tolerances.FEASIBILITY


def _arcs(results: list[dict[str, Any]]) -> str:
    """The angles at which it holds, in degrees."""
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


# -- holdfast paper climb -------------------------------------------------------------------------


def climb(
    samples: SamplesOption = 1000,
    seed: SeedOption = 0,
    directions: Annotated[
        int, typer.Option("--directions", metavar="N", help="Directions along which exact and outer regions are found.")
    ] = 32,
    wall: Annotated[
        Literal["near-vertical", "overhang", "both"],
        typer.Option("--wall", help="Only one wall; some results need both walls and all grips."),
    ] = "both",
    grip: Annotated[
        list[str] | None,
        typer.Option("--grip", metavar="NAME", help="Hands' grip: opposing, parallel, pinch, power; may be repeated."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="FOLDER", help="Keep grips and exact regions there for the next run."),
    ] = None,
    workers: WorkersOption = 1,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Support regions of a climbing quadruped: two walls, two hands or one, four grips; exact, inner and outer."""
    from . import climbing as study
    from . import plots
    from .devices.climber import GRIPS, climber_robot

    target, kept = (None if path is None else folder(path) for path in (out, cache))
    names = _grip_names(grip)
    climber_robot()  # a missing Pinocchio is reported before the learning
    with progress("learning grips") as report:
        needed: list[GripName] = [name for name in GRIPS if name in names or name in [study.FEET[n] for n in names]]
        grips = study.climbing_grips(samples, seed, names=needed, cache=kept, workers=workers, progress=report)
    walls = tuple(study.WALLS) if wall == "both" else (wall,)
    with progress("regions") as report:
        found = study.climb(grips, walls=walls, names=names, directions=directions, cache=kept, progress=report)
    data = found.to_dict() | {"fineness": [], "claims": []}
    tables = {"climbing_regions": study.region_table(found)}
    pictures: dict[str, Callable[[], Any]] = {"climbing_grips.png": plots.grips_figure}
    for name in walls:
        pictures[f"climbing_regions_{name}.png"] = partial(plots.region_figure, found, name)
        for stance in study.STANCES:
            file = f"climbing_{name}_{stance.replace(' ', '_')}.png"
            pictures[file] = partial(plots.climbing_figure, found, name, stance)
    if wall == "both" and names == GRIPS:
        growth = study.fineness(found, grips, directions=directions)
        judged = study.claims(found, growth)
        data |= {"fineness": growth.to_dict(), "claims": [claim.to_dict() for claim in judged]}
        tables |= {"climbing_fineness": study.fineness_table(growth), "climbing_claims": study.claim_table(judged)}
        pictures["climbing_fineness.png"] = partial(plots.fineness_figure, growth)
    if wall != "near-vertical" and "power" in names:
        pictures["climbing_feet.png"] = lambda: plots.feet_figure(
            found, {stance: study.pressing_feet_region(grips["power"], "power", stance) for stance in study.STANCES}
        )
    present_study("paper climb", data, tables, pictures, out=target, json=json)


def _grip_names(given: list[str] | None) -> tuple[GripName, ...]:
    """The chosen grips of the hands, in the paper's order; all by default."""
    from .devices.climber import GRIPS

    for name in given or ():
        if name not in GRIPS:
            raise UnknownNameError("grip", name, GRIPS, where="--grip")
    return tuple(name for name in GRIPS if not given or name in given)


# -- holdfast paper figures -----------------------------------------------------------------------

#: Largest number of subdivisions of the sphere of rays: 40,962 rays per slice.
FINEST = 6

#: Dots per inch of a .png.
DOTS = 120

#: Time limit per ray [s]; a ray that reaches it is undecided and drawn at the value found.
PATIENCE = 5.0


def figures(
    only: Annotated[
        str | None, typer.Option("--only", metavar="N,N,...", help="Figures to make, as in 7,8; all when left out.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the pictures go.")] = Path(),
    level: Annotated[
        int,
        typer.Option(
            "--level", metavar="N", help="Resolution of the slices in Figs. 7 to 11: 10 * 4^N + 2 rays per slice."
        ),
    ] = 4,
    format_: Annotated[Literal["png", "svg", "pdf"], typer.Option("--format", help="Kind of picture.")] = "png",
    save_data: Annotated[
        bool,
        typer.Option("--save-data", help="Keep the slices as .h5 files; those that fit are read, not computed again."),
    ] = False,
    gap: Annotated[
        float, typer.Option("--gap", metavar="SHARE", help="Relative gap of the limit along each ray.")
    ] = 1e-2,
    json: JsonOption = False,
) -> None:
    """The figures of Hauser, Wang and Cutkosky (2018), drawn from the models and devices of Holdfast."""
    from .. import plotting
    from .figures import figure_data
    from .plots import paper_figure

    numbers = _figure_numbers(only)
    if not 0 <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST}")
    target = folder(out)
    solver: Exact = method(gap=gap, time_limit=PATIENCE)  # pyright: ignore[reportAssignmentType]
    made: list[dict[str, Any]] = []
    for chosen in numbers:
        begun = time.perf_counter()
        kept = target if save_data else None
        with progress(f"Fig. {chosen}, rays") as report:
            data = figure_data(chosen, level=level, folder=kept, method=solver, progress=report)
        path = plotting.save(paper_figure(data), target / f"figure_{chosen:02d}.{format_}", dpi=DOTS)
        made.append(data.to_dict() | {"picture": str(path), "seconds": time.perf_counter() - begun})
        note(f"Fig. {chosen}: {path}")
    present("paper figures", {"level": level, "figures": made}, sheet=_figure_sheet(made), json=json)


def _figure_numbers(only: str | None) -> list[int]:
    """The chosen figures, in the paper's order, each once."""
    from .figures import NUMBERS

    if only is None:
        return list(NUMBERS)
    words = only.replace(",", " ").split()
    fix = f"choose from {', '.join(map(str, NUMBERS))}"
    for word in words:
        if not word.isdigit() or int(word) not in NUMBERS:
            raise InputError(f"there is no figure {word!r} to make", where="--only", fix=fix)
    if not words:
        raise InputError("contains no figure", where="--only", fix=fix)
    return [chosen for chosen in NUMBERS if chosen in map(int, words)]


def _figure_sheet(made: list[dict[str, Any]]) -> Iterator[Block]:
    yield heading("Figures of the paper, from our own models and devices")
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
    yield TableBlock(["figure", "shows", "rays", "undecided", "read from files", "time [s]"], rows)


# -- holdfast paper hierarchy ---------------------------------------------------------------------


def hierarchy(
    samples: SamplesOption = 400,
    seed: SeedOption = 0,
    grip: Annotated[
        Path | None, typer.Option("--grip", metavar="FILE", help="A learned grip instead, with inner and outer set.")
    ] = None,
    draw: Annotated[
        Literal["learned", "random"],
        typer.Option("--draw", help="How subsets are chosen: the first learned, or at random as in the paper."),
    ] = "learned",
    only: Annotated[
        int | None, typer.Option("--only", metavar="15|16", help="One of the two figures; both when left out.")
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Number of tests per time value.")] = 5,
    largest: Annotated[
        int | None, typer.Option("--largest", metavar="N", help="Leave out larger numbers of vertices and half-spaces.")
    ] = None,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Times of a four-hand test (Fig. 15) and support regions (Fig. 16) as grips have more vertices or half-spaces."""
    from . import hierarchy as study
    from . import plots

    if only not in (None, 15, 16):
        raise InputError(f"there is no figure {only} here", where="--only", fix="give 15 or 16")
    target = None if out is None else folder(out)
    learned = _learned_grip(grip, samples, seed)
    data: dict[str, Any] = {
        "seed": seed,
        "vertices_learned": len(learned.inner.vertices),
        "half_spaces_learned": len(learned.outer.offsets),
    }
    tables: dict[str, TextTable] = {}
    pictures: dict[str, Callable[[], Any]] = {}

    def fitting(counts: tuple[int, ...]) -> list[int]:
        return [count for count in counts if largest is None or count <= largest]

    if only != 16:
        with progress("Fig. 15, tests") as report:
            counts = {"vertices": fitting(study.VERTEX_COUNTS), "planes": fitting(study.PLANE_COUNTS)}
            times = study.growth(learned, **counts, draw=draw, repeats=repeats, seed=seed, progress=report)
        data |= times.to_dict()
        tables["hierarchy_times"] = study.growth_table(times)
        pictures["figure_15.png"] = partial(plots.growth_times, times)
    if only != 15:
        with progress("Fig. 16, regions") as report:
            sides = {"inner": fitting(study.INNER_COUNTS), "outer": fitting(study.OUTER_COUNTS)}
            found = study.regions(learned, **sides, draw=draw, seed=seed, progress=report)
        data |= found.to_dict()
        tables["hierarchy_regions"] = study.region_table(found)
        pictures["figure_16.png"] = partial(plots.region_growth, found)
    present_study("paper hierarchy", data, tables, pictures, out=target, json=json)


def _learned_grip(path: Path | None, samples: int, seed: int) -> GripBounds:
    """The grip of the study: learned now, or from a file."""
    from ..grips import GripBounds
    from .hierarchy import study_grip

    if path is not None:
        return GripBounds.load(path)
    with progress("learning the hand") as report:
        return study_grip(samples, seed, progress=report)


# -- holdfast paper slip --------------------------------------------------------------------------


def slip(
    seed: SeedOption = 0,
    events: Annotated[int, typer.Option("--events", metavar="N", help="Only the first N of the 14 events.")] = 14,
    seeds: Annotated[
        int,
        typer.Option("--seeds", metavar="N", help="Also count over seeds 0 to N-1, source by source: about 12 s each."),
    ] = 0,
    replicas: Annotated[
        bool, typer.Option("--failures/--no-failures", help="Whether to show the three failure cases as well.")
    ] = True,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Slip angle of the two-finger gripper (2FG) as it is turned: predicted by the model and simulated."""
    from . import plots
    from . import slip as study

    target = None if out is None else folder(out)
    with progress("slip events") as report:
        found = study.slip_study(seed, events=events, progress=report)
    failed = study.failures() if replicas else ()
    statistics: list[study.SlipStatistics] = []
    if seeds:
        with progress(f"{seeds} seeds") as report:
            statistics = study.slip_statistics(range(seeds), events=events, progress=report)
    tables = {"slip_events": study.event_table(found)}
    if failed:
        tables["slip_failures"] = study.failure_table(failed)
    if statistics:
        tables["slip_seeds"] = study.statistics_table(statistics)
    data = found.to_dict() | {
        "failures": [one.to_dict() for one in failed],
        "seeds": [one.to_dict() for one in statistics],
    }
    pictures = {
        "slip_onsets.png": partial(plots.slip_agreement, found),
        "slip_strip.png": partial(plots.slip_strip, found),
    }
    present_study("paper slip", data, tables, pictures, out=target, json=json)


# -- holdfast paper table1 ------------------------------------------------------------------------

RowsOption = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="NAMES",
        help="Rows, separated by commas: two opposed units (2OU), two-finger gripper ('2FG D-MD'), "
        "four-finger hand (4FH), ...; all nine by default.",
    ),
]
QueriesOption = Annotated[
    int | None, typer.Option("--queries", metavar="N", help="Most queries per kind and row (the paper's 72 and 135).")
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
        float, typer.Option("--cap", metavar="S", help="Time limit per query of other methods [s]; shown as 'S+'.")
    ] = 2.0,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="S", help="Time limit per kind and row of other methods [s]."),
    ] = 2.0,
    queries: QueriesOption = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", help="Runs of each of our queries; the median is used.")
    ] = 1,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check each of our proofs, not timed: about two minutes for all rows.")
    ] = False,
    corners: Annotated[
        Literal["independent", "shared"],
        typer.Option("--corners", help="Corners of a unit choose pieces independently, as in the paper, or share one."),
    ] = "independent",
    journal: Annotated[
        Path | None,
        typer.Option("--save", metavar="JOURNAL", help="Save series while running; an interrupted run resumes."),
    ] = None,
    csv: CsvOption = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write the tables as Markdown, in a file between its markers."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """CPU times of equilibrium tests and load limits on the nine devices of Table I, for Holdfast and other methods."""
    from . import table_one as study

    page = None if markdown is None else _around_markers(markdown)
    check_target("--csv", csv)
    try:
        with notes_of_damage(), progress("Table I, series") as report:
            found = study.table_one(
                None if rows is None else rows.split(","),
                {"none": (), "quick": study.FEW_RIVALS, "all": study.RIVALS}[rivals],
                cap=cap,
                budget=budget,
                queries=queries,
                repeats=repeats,
                verify=verify,
                corners=corners,
                journal=journal,
                progress=report,
            )
    except KeyboardInterrupt:
        kept = (
            "nothing was saved (give --save JOURNAL)" if journal is None else f"run it again to resume from {journal}"
        )
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if csv is not None:
        write_text(csv, study.numbers_table(found).csv())
    if markdown is not None and page is not None:
        write_text(markdown, f"{page[0]}{BEGIN}\n\n{study.markdown(found)}\n{END}{page[1]}")
    conditions = study.conditions(found).split("\n\n")
    present("paper table1", found, sheet=[*table_sheet(study.tables(found)), *conditions], json=json)


def corners(
    rows: RowsOption = None,
    queries: QueriesOption = None,
    json: JsonOption = False,
) -> None:
    """Load limits and times of the devices of Table I: independent corners, as in the paper, and shared ones."""
    from . import table_one as study

    chosen = None if rows is None else rows.split(",")
    with progress("Corners, series") as report:
        free, tied = (
            study.table_one(chosen, queries=queries, corners=kind, progress=report)
            for kind in ("independent", "shared")
        )
    table = study.corners_table(free, tied)
    data = {"header": table.header, "rows": table.rows, "note": table.note}
    present("paper corners", data, sheet=table_sheet([table]), json=json)


def _around_markers(path: Path) -> tuple[str, str]:
    """The text before and after the markers of a Markdown file; a new file has nothing around them."""
    check_target("--markdown", path)
    if not path.exists():
        return "", "\n"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot be read: {error}", path=path, fix="give another file") from None
    before, began, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (began and ended):
        fix = f"put {BEGIN} and {END} into it where the tables belong, or give a new file"
        raise FileError("exists and has no place for the tables", path=path, fix=fix)
    return before, after


app = typer.Typer(
    help="The paper's tables, figures and experiments, from this project's models and devices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("table1", short_help="Times of Holdfast and of other methods on nine devices (Table I).")(table1)
app.command("corners", short_help="Limits and times with independent and with shared pieces per unit.")(corners)
app.command("figures", short_help="Pictures of contact models and devices (Figs. 3, 4, 5 and 7 to 11).")(figures)
app.command("slip", short_help="Slip angles of the two-finger gripper, predicted and simulated (Figs. 12, 13).")(slip)
app.command("hierarchy", short_help="Times and support regions for grips of growing size (Figs. 15 and 16).")(hierarchy)
app.command("climb", short_help="Support regions of a climbing quadruped (Figs. 14, 16 to 18).")(climb)
