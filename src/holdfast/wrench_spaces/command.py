"""`holdfast space` and `compare`: the wrench space of a scene over three axes, and a comparison of several scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import (
    STDOUT,
    ClusterOption,
    Exit,
    Gap,
    JournalOption,
    NodeLimit,
    ThreadsOption,
    TimeLimit,
    check_distinct,
    check_target,
    method,
    vector,
    verdict,
)
from ..console.output import note, number, progress, write_text
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, Line, TableBlock, heading, present, yes_no
from ..errors import InputError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..scenes import Scene
    from ..solvers import Exact
    from .comparison import Comparison, Design
    from .computation import Refinement
    from .space import WrenchSpace
    from .subspace import Rays

plots = FeaturePlots(__package__)

#: Levels of the regular sphere, from the coarsest useful one to the finest for which the forces fit into memory.
COARSEST, FINEST = 1, 7

ORIGIN = "loads act on the object; torques are about the scene's world origin"


@with_groups
def space(
    question: SceneQuestion,
    output: Output,
    axes: Annotated[
        str, typer.Option("--axes", metavar="A,B,C", help="Three of fx, fy, fz, tx, ty, tz; torques about the origin.")
    ] = "fx,fy,fz",
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="N", help="Regular sphere of 10 * 4^N + 2 rays; 3 by default, 642 rays."),
    ] = None,
    rays: Annotated[
        int | None, typer.Option("--rays", metavar="N", help="Number of rays on a spiral, instead of --level.")
    ] = None,
    refine: Annotated[
        float | None,
        typer.Option(
            "--refine",
            metavar="TOL",
            help="Add rays where the surface bends until its relative error is below TOL, for example 0.02.",
        ),
    ] = None,
    hull: Annotated[
        bool, typer.Option("--hull", help="Use the convex hull of each contact's force volume: an outer approximation.")
    ] = False,
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE.h5", help="Write the space to a file.")] = None,
    mesh: Annotated[
        Path | None, typer.Option("--mesh", metavar="FILE.ply", help="Write its surface for CAD: .ply or .obj.")
    ] = None,
    cap: Annotated[
        float | None, typer.Option("--cap", metavar="N", help="Clip mesh and picture at this limit [N].")
    ] = None,
    journal: JournalOption = None,
    workers: ThreadsOption = None,
    cluster: ClusterOption = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """The wrench space of a scene over three axes: extents, volume, weakest and strongest load.

    By default no other load and no weight acts. With --load, --gravity or --wrench: the wrenches that can be added to
    that load, which includes the weight as in holdfast check.
    """
    from .computation import wrench_space

    check_target("--save", save, (".h5", ".hdf5"))
    check_target("--mesh", mesh, (".ply", ".obj"))
    loaded = question.one_object(question.read())
    assembly, acting = _assembly(loaded, question)
    asked, refinement = _rays(assembly, axes, level, rays), _refinement(refine)
    solver: Exact = method(gap=gap, time_limit=time_limit, node_limit=node_limit)  # pyright: ignore[reportAssignmentType]
    try:
        with progress(f"{loaded.name}, {len(asked)} rays") as report:
            found = wrench_space(
                assembly,
                asked,
                side="outer" if hull else "inner",
                refinement=refinement,
                method=solver,
                workers=workers,
                cluster=cluster,
                journal=journal,
                progress=report,
            )
    except KeyboardInterrupt:
        kept = "nothing was saved (give --journal FILE to keep results)"
        if journal is not None:
            kept = f"results so far are in {journal}: run the same command again to continue"
        note(f"interrupted; {kept}")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if save is not None:
        found.save(save)
        note(f"wrench space: {save}")
    if mesh is not None:
        found.export(mesh, cap=cap)
        note(f"mesh: {mesh}")
    present(
        "space",
        found,
        sheet=space_sheet(loaded.name, acting, found),
        **output.targets,
        metadata={"scene": loaded.name, "load": acting},
        picture=lambda: plots.wrench_space(found, cap=cap, title=loaded.name),
        code=verdict([str(status) for status in found.status]),
    )


def _assembly(scene: Scene, question: SceneQuestion) -> tuple[Assembly, str]:
    """The assembly with the constant load, and a description of that load; "" for none."""
    if not question.changes_load:
        return scene.with_gravity((0.0, 0.0, 0.0)).assembly, ""
    case = question.case(scene=scene)
    return case.scene.assembly.under(case.wrench), case.description


def _rays(assembly: Assembly, axes: str, level: int | None, rays: int | None) -> Rays:
    from .subspace import Rays, Subspace

    if level is not None and rays is not None:
        raise InputError("is given with --level", where="--rays", fix="give one of the two")
    if level is not None and not COARSEST <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from {COARSEST} to {FINEST}")
    subspace = Subspace.named(axes, length=assembly.length)
    if rays is not None:
        return Rays.spiral(subspace, rays)
    return Rays.sphere(subspace) if level is None else Rays.sphere(subspace, level)


def _refinement(tolerance: float | None) -> Refinement | None:
    from .computation import Refinement

    if tolerance is None:
        return None
    if not 1e-4 <= tolerance <= 1.0:
        raise InputError(f"is {tolerance:g}", where="--refine", fix="give a fraction from 0.0001 to 1, such as 0.02")
    return Refinement(tolerance=tolerance)


def space_sheet(name: str, acting: str, space: WrenchSpace) -> Iterator[Block]:
    """Extents, weakest and strongest ray, and volume of a wrench space; `acting` describes the constant load."""
    facts = space.to_dict()
    of = "convex hulls of the force volumes, an outer approximation" if space.side == "outer" else "unions of pieces"
    yield heading(f"{name}: wrench space over {', '.join(facts['axes'])} ({of})")
    yield f"{ORIGIN}; {f'added to the constant load: {acting}' if acting else 'no weight acts'}"
    if "N m" in facts["units"]:
        yield f"limits of rays in N: torques are divided by {number(space.length)} m, the characteristic length"
    if not space.star_shaped:
        yield "a load below its limit may not hold: joints or a constant load need forces, or pieces exclude zero"
    rows = [
        (f"{row['label']} [{row['unit']}]", _end(row["lowest"]), _end(row["highest"]), yes_no(row["verified"]))
        for row in facts["extents"]
    ]
    yield TableBlock(["axis", "lowest", "highest", "proof verified"], rows)
    columns = [f"{label} [{unit}]" for label, unit in zip(facts["axes"], facts["units"], strict=True)]
    rows = [_ray_row(f"{word} of the {facts['rays']}", facts[word]) for word in ("weakest", "strongest")]
    yield TableBlock(["ray", "limit [N]", *columns], rows)
    yield _volume_description(facts)
    counts = facts["counts"]
    others = [f"{count} {word}" for word, count in counts.items() if count and word != "optimal"]
    endings = ", ".join([f"{counts['optimal']} exact", *others])
    yield heading(f"{facts['rays']} rays: {endings}")


def _volume_description(facts: dict[str, Any]) -> str:
    if facts["volume"] == float("inf"):
        return "the volume has no limit"
    most = f", at most {number(facts['volume_outer'])}" if facts["volume_outer"] < float("inf") else ""
    return f"volume within the sampled surface {number(facts['volume'])} {facts['volume_unit']}{most}"


def _ray_row(word: str, ray: dict[str, Any]) -> tuple[str, ...]:
    """The load at the limit; for a ray without one, its direction."""
    load = ray["direction"] if ray["load"] is None else ray["load"]
    name = word if ray["load"] is not None else f"{word} (direction)"
    return name, number(ray["limit"]), *(number(float(part)) for part in load)


def _end(value: float) -> str:
    """An end of an extent; -inf and inf mean no limit."""
    return "no limit" if abs(value) == float("inf") else number(value, 6)


#: Number of designs side by side in one table; more are in another table below.
ABREAST = 5

#: Default time limit of each proven limit [s]; after it the limit is undecided.
PATIENCE = 5.0

#: Finest level of `compare`: 40,962 rays per slice.
FINEST_COMPARISON = 6


@dataclass(frozen=True)
class SceneQuestions(SceneQuestion):
    """A question about several scenes under the same load."""

    scene: Annotated[  # pyright: ignore[reportIncompatibleVariableOverride]
        list[str] | None,
        typer.Argument(metavar="SCENE...", help="Scene files, or @names of ready scenes (--list).", show_default=False),
    ] = None


@with_groups
def compare(
    question: SceneQuestions,
    output: Output,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="X,Y,Z",
            help="Point [m] that forces act through and torques are about; each scene's centre of mass by default.",
        ),
    ] = None,
    length: Annotated[
        float | None,
        typer.Option("--length", metavar="M", help="Length [m] that scales torques; the mean of the scenes' own."),
    ] = None,
    level: Annotated[
        int, typer.Option("--level", metavar="N", help="Fineness of the slices: 10 * 4^N + 2 rays each.")
    ] = 3,
    radar: Annotated[bool, typer.Option("--radar", help="The picture is a radar (the default).")] = False,
    bars: Annotated[bool, typer.Option("--bars", help="The picture is bars, in units.")] = False,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write the table as Markdown; - for standard output."),
    ] = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Compare designs: extents along the axes, weakest and strongest directions, volumes of slices.

    Loads are external wrenches on the object. By default no weight acts; with --load, --gravity or --wrench: the
    wrenches that can be added to that load, which includes the weight as in holdfast check. Exit code 3 when a limit
    was not proven to be the largest within --time-limit; it is marked "at least".
    """
    from .comparison import compare as compare_designs

    if radar and bars:
        raise InputError("is given with --radar", where="--bars", fix="give one of the two")
    if not 0 <= level <= FINEST_COMPARISON:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST_COMPARISON}")
    check_target("--markdown", markdown, stdout=True)
    check_distinct(markdown=markdown, csv=output.csv, plot=output.plot, json=STDOUT if output.json else None)
    designs = _designs(question)
    if output.plot is not None and len(designs) > plots.MOST_DESIGNS:
        fix = f"give at most {plots.MOST_DESIGNS}"
        raise InputError(f"cannot show {len(designs)} designs", where="--plot", fix=fix)
    limited = time_limit is not None or node_limit is not None
    solver: Exact = method(gap=gap, time_limit=time_limit if limited else PATIENCE, node_limit=node_limit)  # pyright: ignore[reportAssignmentType]
    point = None if at is None else vector("--at", at, 3)
    with progress(f"{len(designs)} designs, rays") as report:
        made = compare_designs(designs, point=point, length=length, level=level, method=solver, progress=report)
    if markdown is not None:
        write_text(markdown, _markdown(made), "table")
    present(
        "compare",
        made,
        sheet=[] if markdown == STDOUT else _comparison_sheet(made, _place(at, question)),
        **output.targets,
        rows=lambda: _csv_rows(made),
        picture=lambda: plots.comparison_bars(made) if bars else plots.comparison_radar(made),
        code=Exit.UNDECIDED if any(strength.open_limits for strength in made.strengths) else Exit.HOLDS,
    )


def _place(at: str | None, question: SceneQuestions) -> str:
    """The point where the loads act, and other loads."""
    point = "at the given point" if at else "at each scene's centre of mass"
    return f"{point}, in addition to the given load" if question.changes_load else f"{point}, no weight"


def _designs(question: SceneQuestions) -> dict[str, Design]:
    """The designs by the scenes' names; a repeated name gets a number."""
    from .comparison import Design

    found: dict[str, Design] = {}
    for path in question.scene or [None]:
        one = replace(question, scene=path)
        scene = one.one_object(one.read())
        case = one.case(scene=scene) if question.changes_load else None
        scene = scene.with_gravity((0.0, 0.0, 0.0)) if case is None else case.scene
        base = scene.name or Path(str(path)).stem
        name, copy = base, 1
        while name in found:
            copy += 1
            name = f"{base} ({copy})"
        found[name] = Design(scene.assembly, scene.com, None if case is None else case.wrench)
    return found


def _cells(made: Comparison, *, best: tuple[str, str], digits: int = 4) -> list[list[str]]:
    """One row per measure: its name with the unit and the values, the best one between the marks `best`."""
    from .comparison import NOTHING

    rows = []
    for row in made.rows():
        values = []
        for name in made.names:
            before, after = best if name in row["best"] else ("", " " * len(best[1]))
            strength, value = made[name], row[name]
            least = "at least " if row["measure"] in strength.open_limits else ""
            none = strength.size > 0.0 and abs(value) <= NOTHING * strength.size
            values.append(f"{before}{least}{'0' if none else number(value, digits)}{after}")
        rows.append([f"{row['measure']} [{row['unit']}]", *values])
    return rows


def _counts(made: Comparison) -> list[list[str]]:
    """Rows without ranking: the size of each design, and how much of it is proven."""
    each = made.strengths
    return [
        ["contacts", *(str(len(s.design.assembly)) for s in each)],
        ["joint rows", *(str(s.design.joints) for s in each)],
        ["rays not finished", *(f"{s.open_rays} of {sum(map(len, s.spaces.values()))}" for s in each)],
        ["proofs verified", *(f"{s.proven} of {len(s.proofs)}" for s in each)],
    ]


def _comparison_sheet(made: Comparison, where: str) -> Iterator[Block]:
    several = len(made) > 1
    yield heading(f"{len(made)} designs: largest external loads {where}" if several else made.names[0])
    rows = _cells(made, best=("", " *"))
    rows += [[row[0], *(f"{cell}  " for cell in row[1:])] for row in _counts(made)]
    for first in range(0, len(made), ABREAST):
        part = range(first + 1, min(first + ABREAST, len(made)) + 1)
        widths = {k: max(len(row[k]) for row in rows) for k in part}
        shown = [[row[0], *(row[k].rjust(widths[k]) for k in part)] for row in rows]
        yield TableBlock(["measure", *(made.names[k - 1] for k in part)], shown)
    if several:
        yield "* the best of each row"
    yield f"torques are scaled by {made.length:.4g} m; slices of {10 * 4**made.level + 2} rays"
    for strength in made.strengths:
        yield f"{strength.name}: {_weakness(strength)}"
    yield from _open_lines(made)


def _open_lines(made: Comparison) -> Iterator[Block]:
    """What was not found in time, and its consequences."""
    for strength in made.strengths:
        if strength.open_limits:
            most = ", ".join(f"{key} {number(strength.upper_bound(key))}" for key in strength.open_limits)
            yield Line(f"{strength.name}, limits not found in time: at least as in the table, at most {most}", "yellow")
    if any(strength.open_limits for strength in made.strengths):
        yield Line("exit code 3: some limits were not found in time; increase --time-limit", "yellow")
    if any(strength.open_rays for strength in made.strengths):
        yield "rays not finished: these values are lower bounds, and volumes are slightly too small"


def _weakness(strength: Any) -> str:
    """The weakest directions of a design, as a sentence."""
    force = strength.extremes["weakest force"].direction[:3]
    wrench = strength.extremes["weakest wrench"].direction
    words = ", ".join(f"{x:.2f}" for x in force.round(2) + 0.0)
    full = ", ".join(f"{x:.3g}" for x in wrench.round(4) + 0.0)
    return f"weakest against a force along ({words}) and a wrench along ({full})"


def _csv_rows(made: Comparison) -> list[dict[str, Any]]:
    """One row per measure with full values; then the rows without ranking."""
    measures = [{**row, "best": list(row["best"])} for row in made.rows()]
    return measures + [
        {"measure": row[0], "unit": "", **dict(zip(made.names, row[1:], strict=True)), "best": ""}
        for row in _counts(made)
    ]


def _markdown(made: Comparison) -> str:
    """The table, with the best of each row in bold."""
    rows = [[cell.strip() for cell in row] for row in _cells(made, best=("**", "**"))] + _counts(made)
    lines = ["| " + " | ".join(["measure", *made.names]) + " |", "|---" + "|---:" * len(made) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
