"""`holdfast sweep`: gravity from all sides of a circle; saved as it goes, resumed where it stopped."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.compiling import prepare
from ..console.options import (
    ClusterOption,
    Exit,
    Gap,
    JsonOption,
    MethodOption,
    NodeLimit,
    PlotOption,
    SceneArgument,
    TimeLimit,
    method,
    verdict,
)
from ..console.output import emit, load_factor, note, number, plain, say, table
from ..console.progress import progress
from ..errors import InputError, JournalWarning, SolverError
from .command_questions import Asker, effort_data

if TYPE_CHECKING:
    from ..scenes import Scene
    from ..solvers import SolverStats
    from .equilibrium import Method

#: First direction of gravity and the one a quarter turn on, by plane.
PLANES = {
    "xz": ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "yz": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "xy": ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0)),
}
MOST_DIRECTIONS = 100_000

#: Directions that are computed, saved and resumed together.
CHUNK = 6


def sweep(
    scene: SceneArgument,
    n: Annotated[int, typer.Option("--n", metavar="N", help="Directions round the circle.")] = 72,
    plane: Annotated[
        Literal["xz", "yz", "xy"], typer.Option("--plane", help="Plane of the circle: xz and yz begin at -z, xy at -y.")
    ] = "xz",
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Journal: results are saved as they come, and a sweep that stopped goes on from it.",
        ),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Only whether it holds, without load factors: about twice as fast.")
    ] = False,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes that compute.")] = 1,
    cluster: ClusterOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Whether a scene holds, and how many times its weight, with gravity from each side of a circle."""
    from ..scenes import load_scene

    loaded = load_scene(scene)
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit, floor=1.0)
    began = time.perf_counter()
    try:
        results = gravity_sweep(
            loaded,
            n=n,
            plane=plane,
            solver=solver,
            factors=not verdicts,
            journal=save,
            workers=workers,
            cluster=cluster,
        )
    except KeyboardInterrupt:
        if save is None:
            note("interrupted; nothing was saved (give --save FILE to keep results)")
        else:
            note(f"interrupted; results so far are in {save}: run the same command again to go on")
        raise typer.Exit(Exit.INTERRUPTED) from None
    if json:
        asked = {"command": "sweep", "scene": loaded.name, "method": method_name, "plane": plane, "n": n}
        emit(asked | {"results": results} | counts(results) | {"seconds": time.perf_counter() - began})
    else:
        say(f"{loaded.name}: gravity round the {plane} plane", style="bold")
        show_sweep(results)
    if plot is not None:
        from ..console.pictures import draw_sweep

        draw_sweep(results, plot, title=loaded.name)
    raise typer.Exit(verdict([result["status"] for result in results]))


def gravity_sweep(
    scene: Scene,
    *,
    n: int,
    plane: str,
    solver: Method,
    factors: bool = True,
    journal: Path | None = None,
    workers: int = 1,
    cluster: str | None = None,
) -> list[dict[str, Any]]:
    """One result a direction: angle, gravity, status and load factor, as plain JSON values.

    They are the same whoever computes them, and without times, so that the finished journal is.
    """
    from .. import jobs as sweeps
    from ..assembly.loads import circle_directions

    if not 1 <= n <= MOST_DIRECTIONS:
        raise InputError(f"is {n}", where="--n", fix=f"give a whole number from 1 to {MOST_DIRECTIONS}")
    if workers < 1:
        raise InputError(f"is {workers}", where="--workers", fix="give a whole number of at least 1")
    scene.gravity_load()  # a scene without a mass is told so before the sweep begins
    start, towards = PLANES[plane]
    directions = circle_directions(n, start, towards)
    queries = [{"angle_deg": 360.0 * i / n, "gravity": direction.tolist()} for i, direction in enumerate(directions)]
    prepare(solver)
    key = sweeps.fingerprint("gravity sweep", scene.fingerprint, n, plane, factors, repr(solver))
    with notes_of_damage(), progress(f"{scene.name}, {n} directions") as report:
        return sweeps.sweep(
            GravityTask(scene, solver, factors),
            queries,
            workers=workers,
            cluster=cluster,
            journal=journal,
            key=key,
            progress=report,
        )


@dataclass(frozen=True, eq=False)
class GravityTask:
    """Answers for some directions of gravity that follow one another.

    The exact method goes warm from one to the next, and starts cold with each chunk: results then do not depend on who
    computed the chunk before.
    """

    scene: Scene
    solver: Method
    factors: bool
    batch: int = CHUNK

    def __call__(self, query: dict[str, Any]) -> dict[str, Any]:
        """The result of one direction alone."""
        return self.many([query])[0]

    def many(self, queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The results of a chunk."""
        asker = Asker(self.solver)
        return [_answer(self.scene, query, asker, self.factors) for query in queries]


def _answer(scene: Scene, query: dict[str, Any], asker: Asker, factors: bool) -> dict[str, Any]:
    turned = scene.turned(query["gravity"])
    load = turned.gravity_load()
    result = {
        "angle_deg": query["angle_deg"],
        "gravity": turned.gravity,
        "status": "undecided",
        "proof_verified": False,
        "load_factor": None,
        "load_factor_upper_bound": None,
        "effort": None,
        "load_factor_effort": None,
    }
    with suppress(SolverError):  # a backend that fails leaves one direction open, and does not end the sweep
        held = asker.equilibrium(turned.assembly, load)
        result |= {
            "status": held.status.value,
            "proof_verified": held.verify(),
            "effort": _counted(held.effort),
        }
        if factors:
            most = asker.load_limit(turned.assembly, load)
            result |= {
                "load_factor": most.value,
                "load_factor_upper_bound": most.upper_bound,
                "load_factor_effort": _counted(most.effort),
            }
    return plain(result)


def _counted(effort: SolverStats) -> dict[str, Any]:
    """What an answer cost, as far as it is the same in every run: no times."""
    return {name: value for name, value in effort_data(effort).items() if name not in ("seconds", "stages")}


@contextmanager
def notes_of_damage() -> Iterator[None]:
    """Damage to a journal is told as a note on standard error; other warnings go their way."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", JournalWarning)
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if issubclass(category, JournalWarning):
                note(f"note: {message}")
            else:
                shown(message, category, *rest)

        warnings.showwarning = show
        yield


def counts(results: list[dict[str, Any]]) -> dict[str, Any]:
    """How many directions ended how, and the least load factor."""
    statuses = [result["status"] for result in results]
    factors = [float(result["load_factor"]) for result in results if result["load_factor"] is not None]
    return {
        "holding": statuses.count("holds"),
        "failing": statuses.count("does not hold"),
        "undecided": statuses.count("undecided"),
        "least_load_factor": min(factors) if factors else None,
    }


def show_sweep(results: list[dict[str, Any]]) -> None:
    """The table of a sweep, and the count below it."""
    rows = [
        (
            number(result["angle_deg"]),
            *(number(round(g, 9), 3) for g in result["gravity"]),
            result["status"],
            load_factor(None if result["load_factor"] is None else float(result["load_factor"])),
        )
        for result in results
    ]
    table(["angle [deg]", "g_x [m/s^2]", "g_y [m/s^2]", "g_z [m/s^2]", "verdict", "load factor"], rows, statuses=True)
    total = counts(results)
    unsure = f", {total['undecided']} undecided" if total["undecided"] else ""
    say(f"holds in {total['holding']} of {len(results)} directions{unsure}", style="bold")
