"""`holdfast torques`: the joint torques for which contact with friction allows the wanted motion, and nothing else."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import PICTURES, JsonOption, PlotOption, check_target, vector
from ..console.output import counted, emit, number, say, table
from .command_planar_scenes import (
    MOST_ROWS,
    ListOption,
    MuOption,
    PlanarArgument,
    planar_scene,
    rows_in_words,
    set_data,
    tuple_in_words,
)

if TYPE_CHECKING:
    from ..checks import Array
    from .disturbances import PostureRobustness
    from .files_planar_scene import PlanarChainScene
    from .torque_answers import TorqueSet

EXIT_CODES = (
    "Exit codes: 0 some torque (with --classify: each given one) allows the wanted motion alone, 1 none does, "
    "2 bad input, 3 impact, 130 interrupted, 70 a fault of Holdfast."
)

#: What each status means.
WORDS = {
    "unambiguous": "every torque that allows the wanted motion allows nothing else",
    "partly ambiguous": "some torques allow the wanted motion alone, others allow another motion too",
    "ambiguous": "every torque that allows the wanted motion allows another one too",
    "infeasible": "no torque allows the wanted motion",
    "impact": "the velocity runs into a wall; what an impact does is not answered",
}
_COLOURS = {"unambiguous": "green", "partly ambiguous": "yellow"}


def torques(
    scene: PlanarArgument = None,
    classify: Annotated[
        list[str] | None,
        typer.Option("--classify", metavar="T1,T2,...", help="Say what torques [N m] allow; may be repeated."),
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="LETTERS", help="Wanted contact mode instead of the scene's: FFS.")
    ] = None,
    mu: MuOption = None,
    margin: Annotated[
        float,
        typer.Option("--margin", metavar="N M", help="Least distance from other motions of the least torque [N m]."),
    ] = 0.0,
    json: JsonOption = False,
    plot: PlotOption = None,
    listing: ListOption = False,
) -> None:
    """The torques that allow the wanted contact mode and tasks (T_c), and those that allow nothing else (T*)."""
    from dataclasses import replace

    from .files_planar_scene import PlanarChainScene

    loaded = planar_scene(scene, ("chain",), listing=listing, json=json)
    assert isinstance(loaded, PlanarChainScene)
    check_target("--plot", plot, PICTURES)
    asked = loaded if mu is None else loaded.with_mu(mu)
    system = asked.system()
    if mode is not None:
        asked = replace(asked, mode=system.check_mode(mode, where="--mode"))
    given = [vector("--classify", text, system.torque_count) for text in classify or []]
    begin = perf_counter()
    tried = None if asked.q_error is None else asked.over_postures()
    answer = asked.torque_sets() if tried is None else tried.torques
    seconds = perf_counter() - begin
    verdicts = [_verdict(answer, tau) for tau in given]
    sure = _robust(asked, tried)
    if json:
        emit({**_data(asked.name, answer, verdicts, margin), "robust": sure, **_effort(answer, seconds)})
    else:
        _show(asked.name, answer, verdicts, margin, sure)
        say(f"{counted(answer.visited, 'node')} of the mode tree, {seconds:.2g} s")
    if plot is not None:
        _draw(asked, answer, given, plot)
    raise typer.Exit(_code(answer, verdicts))


def _code(answer: TorqueSet, verdicts: list[dict[str, Any]]) -> int:
    if answer.impact:
        return 3
    if verdicts:
        return 0 if all(verdict["verdict"] == "unique" for verdict in verdicts) else 1
    return 1 if answer.is_empty else 0


def _verdict(answer: TorqueSet, tau: Array) -> dict[str, Any]:
    """What one torque allows, with an example of every other motion."""
    word = str(answer.classify(tau))
    others = answer.explain(tau) if word == "ambiguous" else []
    return {
        "torque": tau,
        "verdict": word,
        "margin": float(answer.margin(tau)) if word != "infeasible" else None,
        "others": [
            {
                "mode": other.mode,
                "task": other.task,
                "accelerations": other.a,
                "forces": other.f,
                "disturbance": other.disturbance,
            }
            for other in others
        ],
    }


def _good(answer: TorqueSet, margin: float) -> tuple[Array, float, Array]:
    """(deepest torque, radius of the largest ball, least torque) [N m]; nan where there is none.

    The radius is infinite where T* holds balls of every size; the torque then has a margin of its own, a finite one.
    """
    deepest, radius = answer.chebyshev()
    return deepest, radius, answer.least_norm(margin)


def _margin(answer: TorqueSet, tau: Array) -> float:
    """How far a torque of T* may wander [N m]; -inf where there is none."""
    import numpy as np

    return -np.inf if np.isnan(tau).any() else max(float(answer.margin(tau)), 0.0)


def _effort(answer: TorqueSet, seconds: float) -> dict[str, Any]:
    return {"effort": {"nodes": answer.visited, "seconds": seconds}}


def _data(name: str, answer: TorqueSet, verdicts: list[dict[str, Any]], margin: float) -> dict[str, Any]:
    deepest, radius, least = _good(answer, margin)
    return {
        "command": "torques",
        "scene": name,
        "mode": answer.mode,
        "status": answer.status,
        "feasible": set_data(answer.feasible),
        "unique": [set_data(piece) for piece in answer.unique],
        "overlaps": answer.overlaps,
        "within": answer.within,
        "ambiguities": [
            {"mode": one.mode, "task": one.task, "torques": set_data(answer.ambiguous_torques(i))}
            for i, one in enumerate(answer.ambiguities)
        ],
        "deepest": {"torque": deepest, "radius": radius, "margin": _margin(answer, deepest)},
        "least_norm": {"torque": least, "margin": margin},
        "classified": verdicts,
    }


def _robust(scene: PlanarChainScene, tried: PostureRobustness | None) -> list[str]:
    """What the answer is sure against, and how."""
    words = []
    if scene.moves:
        words.append(f"{counted(len(scene.moves), 'move')} of the free part, by a certified box of disturbances")
    elif scene.disturbance is not None:
        words.append("every disturbance of the set given")
    if scene.friction is not None:
        low, high = scene.friction
        words.append(f"every friction coefficient of {number(low)} to {number(high)} at each contact")
    if tried is not None:
        which = {"corners": "corners of the box of postures and its middle", "samples": "postures drawn from the box"}
        words.append(f"{len(tried.postures)} postures: {which[tried.method]}")
    return words


def _show(name: str, answer: TorqueSet, verdicts: list[dict[str, Any]], margin: float, sure: list[str]) -> None:
    say(f"{name}, mode {answer.mode}: {answer.status}", style=f"bold {_COLOURS.get(answer.status, 'red')}")
    say(WORDS[answer.status])
    for words in sure:
        say(f"for {words}")
    if answer.status not in ("infeasible", "impact"):
        _show_sets(answer)
        if not answer.is_empty:
            deepest, radius, least = _good(answer, margin)
            name = "deepest in T*" if radius < float("inf") else "deep in T*, one of many"
            rows = [(name, tuple_in_words(deepest), number(_margin(answer, deepest)))]
            words = "least in T*" if margin == 0.0 else f"least, {number(margin)} N m inside"
            rows.append((words, tuple_in_words(least), number(_margin(answer, least))))
            table(["", "torque [N m]", "margin [N m]"], rows, title="Torques to choose")
    if verdicts:
        table(
            ["torque [N m]", "it is", "margin [N m]", "it also allows"],
            [
                (
                    tuple_in_words(verdict["torque"]),
                    verdict["verdict"],
                    number(verdict["margin"]),
                    _others(verdict["others"]),
                )
                for verdict in verdicts
            ],
            title="Given torques",
        )


def _others(others: list[dict[str, Any]]) -> str:
    words = [one["mode"] + ("" if one["task"] is None else f" against task {one['task'] + 1}") for one in others]
    unique = list(dict.fromkeys(words))
    return ", ".join(unique[:MOST_ROWS]) + ("" if len(unique) <= MOST_ROWS else " ...") if unique else "-"


def _show_sets(answer: TorqueSet) -> None:
    """T_c and the pieces of T* by their rows, then the ambiguous modes."""
    named = [("T_c, feasible" if answer.ambiguities else "T_c and T*", answer.feasible)]
    if answer.ambiguities:
        named += [(f"T*, piece {i + 1}", piece) for i, piece in enumerate(answer.unique)]
    rows = []
    for name, polyhedron in named[:MOST_ROWS]:
        words = rows_in_words(polyhedron)
        rows += [(name if i == 0 else "", polyhedron.dimension if i == 0 else "", line) for i, line in enumerate(words)]
    table(["set", "dimension", "torques [N m]"], rows, title="Torque sets")
    if len(named) > MOST_ROWS:
        say(f"{len(named) - MOST_ROWS} more pieces: --json")
    if answer.ambiguities:
        others = [
            (
                one.mode,
                "-" if one.task is None else one.task + 1,
                one.torques.dimension,
                "; ".join(rows_in_words(answer.ambiguous_torques(i))),
            )
            for i, one in enumerate(answer.ambiguities[:MOST_ROWS])
        ]
        table(["other mode", "breaks task", "dimension", "for torques [N m]"], others, title="Ambiguities within T_c")
        if len(answer.ambiguities) > MOST_ROWS:
            say(f"{len(answer.ambiguities) - MOST_ROWS} more: --json")


def _draw(scene: PlanarChainScene, answer: TorqueSet, given: list[Array], path: Path) -> None:
    import numpy as np

    from ..console.pictures import save
    from .plots_climbs import chain_posture
    from .plots_torque_sets import torque_projections, torque_set

    title = f"{scene.name}: {answer.status}"
    if not answer.space.sizes[2]:  # without motors there is only the posture to draw
        chain, q, _ = scene.asked
        save(chain_posture(chain, q, contacts=scene.contacts, walls=scene.walls, mode=answer.mode, title=title), path)
        return
    marks = np.array(given) if given else None
    draw = torque_projections if answer.space.sizes[2] > 3 else torque_set
    save(draw(answer, torques=marks, title=title), path)
