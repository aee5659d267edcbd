"""`holdfast space`: how much of every load of a slice do the contacts and joints bear?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    verdict,
)
from ..console.output import emit, note, number, prepare, progress, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from .rays import Rays
    from .refinement import Refinement
    from .slices import SliceSurface
    from .space import WrenchSpace

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
    from .extents import extents_of
    from .slices import slice_surface
    from .volumes import volume_bounds

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
    from .rays import Rays
    from .subspace import Subspace

    if level is not None and rays is not None:
        raise InputError("is given with --level", where="--rays", fix="give one of the two")
    if level is not None and not COARSEST <= level <= FINEST:
        raise InputError(f"is {level}", where="--level", fix=f"give a whole number from {COARSEST} to {FINEST}")
    subspace = Subspace.named(axes, length=assembly.length)
    if rays is not None:
        return Rays.spiral(subspace, rays)
    return Rays.sphere(subspace) if level is None else Rays.sphere(subspace, level)


def _refinement(tolerance: float | None) -> Refinement | None:
    from .refinement import Refinement

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
        from .meshes import export_mesh

        export_mesh(space, mesh, cap=cap)
        note(f"mesh: {mesh}")
    if plot is not None:
        from ..console.pictures import save as save_picture
        from .plots_wrench_spaces import wrench_space as draw

        save_picture(draw(space, cap=cap, title=name), plot)
