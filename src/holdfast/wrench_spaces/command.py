"""`holdfast space`: how much of every load of a slice do the contacts and joints bear?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.options import (
    PICTURES,
    ClusterOption,
    Exit,
    Gap,
    JsonOption,
    NodeLimit,
    PlotOption,
    SceneArgument,
    TimeLimit,
    check_target,
    method,
    vector,
    verdict,
)
from ..console.output import emit, note, number, prepare, progress, say, table
from ..errors import FileError, InputError
from .space import SliceSurface, slice_surface

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..solvers import Exact
    from .comparison import Comparison, Design
    from .computation import Refinement
    from .space import WrenchSpace
    from .subspace import Rays

#: Levels of the regular sphere from the coarsest that is of use to the finest that fits memory with its forces.
COARSEST, FINEST = 1, 7

ORIGIN = "loads act on the object, without weight; torques are about the scene's world origin"


def space(
    scene: SceneArgument,
    axes: Annotated[
        str, typer.Option("--axes", metavar="A,B,C", help="Three of fx, fy, fz, tx, ty, tz; torques about the origin.")
    ] = "fx,fy,fz",
    level: Annotated[
        int | None,
        typer.Option("--level", metavar="N", help="Regular sphere of 10 * 4^N + 2 rays; 3 by default, 642 rays."),
    ] = None,
    rays: Annotated[int | None, typer.Option("--rays", metavar="N", help="So many rays on a spiral instead.")] = None,
    refine: Annotated[
        float | None,
        typer.Option(
            "--refine", metavar="TOL", help="More rays where the surface bends, until it is within TOL: 0.02."
        ),
    ] = None,
    hull: Annotated[
        bool, typer.Option("--hull", help="Take the convex hull of each contact's volume: an outer limit.")
    ] = False,
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE.h5", help="Write the space to a file.")] = None,
    mesh: Annotated[
        Path | None, typer.Option("--mesh", metavar="FILE.ply", help="Write its surface for CAD: .ply or .obj.")
    ] = None,
    cap: Annotated[
        float | None, typer.Option("--cap", metavar="N", help="Cut mesh and picture off at this limit [N].")
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FILE", help="Save rays as they come; go on from it after a stop."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Threads; all cores when left out.")
    ] = None,
    cluster: ClusterOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """The wrench space of a scene over three axes: extents, volume, weakest and strongest load."""
    from ..scenes import load_scene
    from . import wrench_space

    check_target("--save", save, (".h5", ".hdf5"))
    check_target("--mesh", mesh, (".ply", ".obj"))
    check_target("--plot", plot, PICTURES)
    loaded = load_scene(scene)
    assembly = loaded.with_gravity((0.0, 0.0, 0.0)).assembly
    asked, refinement = _rays(assembly, axes, level, rays), _refinement(refine)
    solver = method(gap=gap, time_limit=time_limit, node_limit=node_limit)
    prepare(solver)
    try:
        with progress(f"{loaded.name}, {len(asked)} rays") as report:
            found = wrench_space(
                assembly,
                asked,
                volumes="hull" if hull else "union",
                refinement=refinement,
                method=solver,  # pyright: ignore[reportArgumentType]
                workers=workers,
                cluster=cluster,
                journal=journal,
                progress=report,
            )
    except KeyboardInterrupt:
        _note_interrupt(journal)
        raise typer.Exit(Exit.INTERRUPTED) from None
    facts = describe(found)
    if json:
        emit({"command": "space", "scene": loaded.name} | facts)
    else:
        _show(loaded.name, facts)
    _write(found, loaded.name, save=save, mesh=mesh, plot=plot, cap=cap)
    raise typer.Exit(verdict([str(status) for status in found.status]))


def _note_interrupt(journal: Path | None) -> None:
    kept = "nothing was saved (give --journal FILE to keep results)"
    if journal is not None:
        kept = f"results so far are in {journal}: run the same command again to go on"
    note(f"interrupted; {kept}")


def describe(space: WrenchSpace) -> dict[str, Any]:
    """Extents, volume, weakest and strongest ray of a slice, and how its rays ended, as plain data."""
    from .computation import extents_of
    from .space import volume_bounds

    surface, bounds = slice_surface(space), volume_bounds(space)
    statuses = [str(status) for status in space.status]
    counts = {name: statuses.count(name) for name in ("optimal", "unbounded", "does not hold", "undecided")}
    return {
        "axes": list(surface.subspace.labels),
        "units": list(surface.subspace.units),
        "volumes": space.volumes,
        "convex": space.convex,
        "star_shaped": space.star_shaped,
        "model_hash": space.model_hash,
        "length": space.length,
        "rays": len(space),
        "counts": counts,
        "extents": [row._asdict() for row in extents_of(space).rows()],
        "volume": bounds.surface,
        "volume_inner": bounds.inner,
        "volume_outer": bounds.outer,
        "volume_unit": bounds.unit,
        "weakest": _extreme(surface, int(surface.radii.argmin())),
        "strongest": _extreme(surface, int(surface.radii.argmax())),
    }


def _extreme(surface: SliceSurface, index: int) -> dict[str, Any]:
    """A ray: its unit direction, torques over the subspace's scale, and the load at its limit [N, N m]."""
    import numpy as np

    limit = float(surface.radii[index])
    return {
        "direction": surface.units[index],
        "limit": limit,
        "load": surface.points[index] if np.isfinite(limit) else None,
    }


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
        raise InputError(f"is {tolerance:g}", where="--refine", fix="give a share from 0.0001 to 1, such as 0.02")
    return Refinement(tolerance=tolerance)


def _show(name: str, facts: dict[str, Any]) -> None:
    of = "hulls of the volumes, an outer limit" if facts["volumes"] == "hull" else "unions of pieces"
    say(f"{name}: wrench space over {', '.join(facts['axes'])} ({of})", style="bold")
    say(ORIGIN)
    if "N m" in facts["units"]:
        say(f"limits of rays in N count torques over {number(facts['length'])} m, the assembly's characteristic length")
    if not facts["star_shaped"]:
        say("joints demand forces, or pieces exclude zero: a load below its limit need not hold")
    rows = [
        (
            f"{row['label']} [{row['unit']}]",
            _end(row["lowest"]),
            _end(row["highest"]),
            "yes" if row["verified"] else "no",
        )
        for row in facts["extents"]
    ]
    table(["axis", "lowest", "highest", "proof verified"], rows)
    columns = [f"{label} [{unit}]" for label, unit in zip(facts["axes"], facts["units"], strict=True)]
    table(["ray", "limit [N]", *columns], [_ray_row(word, facts[word]) for word in ("weakest", "strongest")])
    say(_volume_words(facts))
    counts, exact = facts["counts"], facts["counts"]["optimal"]
    others = [f"{count} {word}" for word, count in counts.items() if count and word != "optimal"]
    say(f"{facts['rays']} rays: {', '.join([f'{exact} exact', *others])}", style="bold")


def _volume_words(facts: dict[str, Any]) -> str:
    if facts["volume"] == float("inf"):
        return "the volume has no limit"
    most = f", at most {number(facts['volume_outer'])}" if facts["volume_outer"] < float("inf") else ""
    return f"volume within the sampled surface {number(facts['volume'])} {facts['volume_unit']}{most}"


def _ray_row(word: str, ray: dict[str, Any]) -> tuple[str, ...]:
    """The load at the limit; of a ray without one, its direction."""
    load = ray["direction"] if ray["load"] is None else ray["load"]
    name = word if ray["load"] is not None else f"{word} (direction)"
    return name, number(ray["limit"]), *(number(float(part)) for part in load)


def _end(value: float) -> str:
    """An end of an extent; -inf below is no limit like inf above."""
    return "no limit" if abs(value) == float("inf") else number(value, 6)


def _write(
    space: WrenchSpace, name: str, *, save: Path | None, mesh: Path | None, plot: Path | None, cap: float | None
) -> None:
    """The files that were asked for; each is named on standard error."""
    if save is not None:
        space.save(save)
        note(f"wrench space: {save}")
    if mesh is not None:
        from .files import export_mesh

        export_mesh(space, mesh, cap=cap)
        note(f"mesh: {mesh}")
    if plot is not None:
        from ..console.pictures import save as save_picture
        from .plots import wrench_space as draw

        save_picture(draw(space, cap=cap, title=name), plot)


# `holdfast compare`: designs side by side in one table, with a radar or bars.

#: Designs beside each other in one table; more come in another one below.
ABREAST = 5

#: Seconds for each proven limit before it is undecided, unless told otherwise.
PATIENCE = 20.0

#: The sphere of rays may be subdivided this often: 40,962 rays a slice.
COMMAND_COMPARE_FINEST = 6


def compare(
    scenes: Annotated[list[str], typer.Argument(metavar="SCENE...", help="Scene files, or @names of ready scenes.")],
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
    json: JsonOption = False,
    plot: PlotOption = None,
    radar: Annotated[bool, typer.Option("--radar", help="The picture is a radar (the default).")] = False,
    bars: Annotated[bool, typer.Option("--bars", help="The picture is bars, in units.")] = False,
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write the table as Markdown.")
    ] = None,
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Designs side by side: extents along the axes, weakest and strongest directions, volumes of slices.

    Loads are external wrenches on the object. No weight acts.
    """
    from ..console.output import progress
    from .comparison import compare as compare_designs

    if radar and bars:
        raise InputError("is given with --radar", where="--bars", fix="give one of the two")
    if not 0 <= level <= COMMAND_COMPARE_FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from 0 to {FINEST}")
    check_target("--csv", csv_file)
    check_target("--markdown", markdown)
    check_target("--plot", plot, PICTURES)
    designs = _designs(scenes)
    if plot is not None:
        _check_picture(len(designs))
    limited = time_limit is not None or node_limit is not None
    solver: Exact = method(gap=gap, time_limit=time_limit if limited else PATIENCE, node_limit=node_limit)  # pyright: ignore[reportAssignmentType]
    prepare(solver)
    point = None if at is None else vector("--at", at, 3)
    with progress(f"{len(designs)} designs, rays") as report:
        made = compare_designs(designs, point=point, length=length, level=level, method=solver, progress=report)
    if json:
        emit({"command": "compare", **made.to_dict()})
    else:
        _show_command_compare(made, "at the point given" if at else "at each scene's centre of mass")
    if csv_file is not None:
        _write_command_compare(csv_file, lambda file: _csv(made, file))
    if markdown is not None:
        _write_command_compare(markdown, lambda file: file.write(_markdown(made)))
    if plot is not None:
        _draw(made, plot, "bars" if bars else "radar")
    raise typer.Exit(Exit.UNDECIDED if any(strength.undecided for strength in made.strengths) else Exit.HOLDS)


def _designs(paths: Sequence[str]) -> dict[str, Design]:
    """The designs by the scenes' names; a name that comes again gets a number."""
    from ..scenes import load_scene
    from .comparison import Design

    found: dict[str, Design] = {}
    for path in paths:
        scene = load_scene(path).with_gravity((0.0, 0.0, 0.0))
        base = scene.name or Path(path).stem
        name, copy = base, 1
        while name in found:
            copy += 1
            name = f"{base} ({copy})"
        found[name] = Design(scene.assembly, scene.com)
    return found


def _check_picture(count: int) -> None:
    """A picture that could not be drawn is refused before the work and not after it."""
    from .plots import MOST_DESIGNS

    if count > MOST_DESIGNS:
        raise InputError(f"cannot show {count} designs", where="--plot", fix=f"give at most {MOST_DESIGNS}")


def _cells(made: Comparison, *, best: tuple[str, str], digits: int = 4) -> list[list[str]]:
    """A row a measure: its name with the unit and the values, the best one between the marks `best`."""
    rows = []
    for row in made.rows():
        values = []
        for name in made.names:
            before, after = best if name in row["best"] else ("", " " * len(best[1]))
            values.append(f"{before}{number(row[name], digits)}{after}")
        rows.append([f"{row['measure']} [{row['unit']}]", *values])
    return rows


def _counts(made: Comparison) -> list[list[str]]:
    """Rows that rank nothing: how large each design is, and how sure its numbers are."""
    each = made.strengths
    return [
        ["contacts", *(str(len(s.design.assembly)) for s in each)],
        ["joint rows", *(str(s.design.joints) for s in each)],
        ["undecided rays", *(str(s.undecided) for s in each)],
        ["proofs verified", *(f"{s.proven} of {len(s.proofs)}" for s in each)],
    ]


def _show_command_compare(made: Comparison, where: str) -> None:
    say(
        f"{len(made)} designs: largest external loads {where}, no weight" if len(made) > 1 else made.names[0],
        style="bold",
    )
    rows = _cells(made, best=("", " *"))
    rows += [[row[0], *(f"{cell}  " for cell in row[1:])] for row in _counts(made)]
    for first in range(0, len(made), ABREAST):
        part = range(first + 1, min(first + ABREAST, len(made)) + 1)
        widths = {k: max(len(row[k]) for row in rows) for k in part}
        shown = [[row[0], *(row[k].rjust(widths[k]) for k in part)] for row in rows]
        table(["measure", *(made.names[k - 1] for k in part)], shown)
    if len(made) > 1:
        say("* the best of each row")
    say(f"torques are scaled by {made.length:.4g} m; slices of {10 * 4**made.level + 2} rays")
    for strength in made.strengths:
        say(f"{strength.name}: {_weakness(strength)}")


def _weakness(strength: Any) -> str:
    """In words where a design is weakest."""
    force = strength.extremes["weakest force"].direction[:3]
    wrench = strength.extremes["weakest wrench"].direction
    words = ", ".join(f"{x:.2f}" for x in force.round(2) + 0.0)
    full = ", ".join(f"{x:.3g}" for x in wrench.round(4) + 0.0)
    return f"weakest against a force along ({words}) and a wrench along ({full})"


def _write_command_compare(path: Path, write: Any) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            write(file)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise FileError(what, path=path, fix="name a place where you may write") from None
    note(f"table: {path}")


def _csv(made: Comparison, file: Any) -> None:
    """One row a measure, values in full; "inf" without limit."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["measure", "unit", *made.names, "best"])
    for row in made.rows():
        writer.writerow(
            [row["measure"], row["unit"], *(repr(float(row[name])) for name in made.names), "; ".join(row["best"])]
        )
    for row in _counts(made):
        writer.writerow([row[0], "", *row[1:], ""])


def _markdown(made: Comparison) -> str:
    """The table, with the best of each row in bold."""
    rows = [[cell.strip() for cell in row] for row in _cells(made, best=("**", "**"))] + _counts(made)
    lines = ["| " + " | ".join(["measure", *made.names]) + " |", "|---" + "|---:" * len(made) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _draw(made: Comparison, path: Path, kind: Literal["radar", "bars"]) -> None:
    from ..console.pictures import save
    from .plots import comparison_bars, comparison_radar

    save(comparison_bars(made) if kind == "bars" else comparison_radar(made), path)
