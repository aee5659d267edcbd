"""`holdfast motions`: every motion that contact with friction allows a planar body or chain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import PICTURES, JsonOption, PlotOption, check_target, vector
from ..console.output import counted, emit, number, say, table
from ..errors import InputError
from .command_planar_scenes import (
    MOST_ROWS,
    ROUNDING,
    ListOption,
    MuOption,
    PlanarArgument,
    cleaned,
    planar_scene,
    tuple_in_words,
)

if TYPE_CHECKING:
    from .files_planar_scene import PlanarBodyScene, PlanarChainScene
    from .motion_sets import MotionPiece, MotionSet

EXIT_CODES = (
    "Exit codes: 0 one motion, 1 several or none, 2 bad input, 3 impact, 130 interrupted, 70 a fault of Holdfast."
)

#: What each status means.
WORDS = {
    "unique": "one motion is possible",
    "finite": "several motions are possible, and nothing decides between them",
    "continuum": "a continuum of motions is possible",
    "inconsistent": "no motion is possible: rigid bodies with Coulomb friction have no answer here",
    "impact": "the velocity runs into an obstacle; what an impact does is not answered",
}
_CODES = {"unique": 0, "finite": 1, "continuum": 1, "inconsistent": 1, "impact": 3}
_COLOURS = {"unique": "green", "impact": "red", "inconsistent": "red"}

#: What the letters of a mode mean.
LETTERS = {"S": "separates", "F": "fixed", "R": "slides right", "L": "slides left"}


def motions(
    scene: PlanarArgument = None,
    force: Annotated[
        str | None,
        typer.Option("--force", metavar="FX,FY,T", help="The whole load on a body [N, N m about its centre of mass]."),
    ] = None,
    velocity: Annotated[
        str | None, typer.Option("--velocity", metavar="VX,VY,W", help="Velocity of a body [m/s, rad/s].")
    ] = None,
    torque: Annotated[
        str | None, typer.Option("--torque", metavar="T1,T2,...", help="Torques of a chain's motors [N m].")
    ] = None,
    mu: MuOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    listing: ListOption = False,
) -> None:
    """All accelerations that Newton's and Coulomb's laws allow, by contact mode, with the reactions behind them."""
    from .files_planar_scene import PlanarBodyScene, PlanarChainScene

    loaded = planar_scene(scene, ("body", "chain"), listing=listing, json=json)
    check_target("--plot", plot, PICTURES)
    if isinstance(loaded, PlanarBodyScene):
        if torque is not None:
            raise InputError("is for chains", where="--torque", fix="give --force for a body")
        asked = loaded.changed(
            force=None if force is None else vector("--force", force, 3),
            velocity=None if velocity is None else vector("--velocity", velocity, 3),
            mu=mu,
        )
        answer = asked.motions()
    else:
        assert isinstance(loaded, PlanarChainScene)
        for option, value in (("--force", force), ("--velocity", velocity)):
            if value is not None:
                raise InputError("is for bodies", where=option, fix="give --torque, and qd in the scene file")
        asked = loaded if mu is None else loaded.with_mu(mu)
        size = asked.whole().torque_count
        answer = asked.motions(None if torque is None else vector("--torque", torque, size))
    if json:
        emit(_data(asked, answer))
    else:
        _show(asked, answer)
    if plot is not None:
        _draw(asked, answer, plot)
    raise typer.Exit(_CODES[answer.status.value])


def _data(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet) -> dict[str, Any]:
    from .files_planar_scene import PlanarBodyScene

    return {
        "command": "motions",
        "scene": scene.name,
        "status": answer.status.value,
        "contacts": list(scene.names),
        "gap": scene.gap if isinstance(scene, PlanarBodyScene) else None,
        "impacts": [scene.names[i] for i in answer.impacts],
        "forces_unique": answer.forces_unique,
        "modes": [
            {
                "mode": mode,
                "is_point": piece.is_point,
                "accelerations": {"vertices": piece.vertices, "rays": piece.rays},
                "forces_order": "ft1, fn1, ft2, fn2, ...",
                "forces": {"vertices": piece.forces.vertices, "rays": piece.forces.rays},
                "forces_unique": piece.forces_unique,
            }
            for mode, piece in answer.modes.items()
        ],
        "effort": {"nodes": answer.nodes, "seconds": answer.seconds},
    }


def _show(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet) -> None:
    from .files_planar_scene import PlanarBodyScene

    status = answer.status.value
    say(f"{scene.name}: {status}", style=f"bold {_COLOURS.get(status, 'yellow')}")
    say(WORDS[status])
    if isinstance(scene, PlanarBodyScene) and scene.gap is not None:
        say(f"it touches nothing: it falls freely; the nearest obstacle is {number(scene.gap)} m away")
    if answer.impacts:
        say(f"contacts that are run into: {', '.join(scene.names[i] for i in answer.impacts)}")
    if not answer.modes:
        return
    columns = ["ax [m/s^2]", "ay [m/s^2]", "alpha [rad/s^2]"]
    if not isinstance(scene, PlanarBodyScene):
        columns = [f"qdd_{i + 1}" for i in scene.chain.free]
    rows: list[tuple[str, ...]] = []
    for mode, piece in answer.modes.items():
        found = [("motion" if piece.is_point else "vertex", x) for x in cleaned(piece.vertices)]
        found += [("and along", x) for x in cleaned(piece.rays)]
        rows += [(mode, word, *(number(float(a), 5) for a in x)) for word, x in found[:MOST_ROWS]]
        rows += _more(mode, len(found), len(columns))
    table(["mode", "", *columns], rows, title="Accelerations" if len(answer.modes) == 1 else "Accelerations by mode")
    _show_forces(scene.names, answer.modes, float(abs(answer.system.bias).max()))
    if scene.names:
        _show_letters(scene.names, answer)
    say(f"{counted(answer.nodes, 'node')} of the mode tree, {answer.seconds:.2g} s")


def _show_letters(names: tuple[str, ...], answer: MotionSet) -> None:
    letters = [f"{letter} {word}" for letter, word in LETTERS.items() if any(letter in mode for mode in answer.modes)]
    say(f"one letter a contact ({', '.join(names)}): {', '.join(letters)}")


def _show_forces(names: tuple[str, ...], modes: dict[str, MotionPiece], load: float) -> None:
    import numpy as np

    if not names:
        return
    rows: list[tuple[str, ...]] = []
    for mode, piece in modes.items():
        vertices, rays = piece.forces
        words = "these alone" if len(vertices) == 1 and not len(rays) else "vertex"
        # Beside the load a reaction of 1e-17 N is none.
        found = [(words, x) for x in np.where(np.abs(vertices) <= ROUNDING * load, 0.0, vertices)]
        found += [("and along", x) for x in cleaned(rays)]
        rows += [(mode, word, *(tuple_in_words(f) for f in x.reshape(-1, 2))) for word, x in found[:MOST_ROWS]]
        rows += _more(mode, len(found), len(names))
    table(["mode", "", *names], rows, title="Reactions (tangential, normal) [N] by contact")


def _more(mode: str, count: int, columns: int) -> list[tuple[str, ...]]:
    if count <= MOST_ROWS:
        return []
    return [(mode, f"{count - MOST_ROWS} more: --json", *[""] * columns)]


def _draw(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet, path: Path) -> None:
    from ..console.pictures import save
    from .files_planar_scene import PlanarBodyScene

    if isinstance(scene, PlanarBodyScene):
        from .plots_planar_bodies import planar_motions

        save(planar_motions(scene.problem(), answer), path)
        return
    from .plots_moving_chains import chain_motions

    title = f"{scene.name}: {answer.status.value}"
    drawn = {"qd": scene.qd, "contacts": scene.contacts, "walls": scene.walls, "title": title}
    save(chain_motions(scene.chain, scene.q, answer, **drawn), path)
