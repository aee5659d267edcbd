"""`holdfast climb`: a snake climbs between walls by bracing, every step held by torques that allow nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.options import PICTURES, JsonOption, PlotOption, check_target
from ..console.output import emit, messages, note, number, say, table
from .command_planar_scenes import ListOption, PlanarArgument, planar_scene, tuple_in_words

if TYPE_CHECKING:
    from .climbing.results import Climb

EXIT_CODES = "Exit codes: 0 the goal is reached, 1 stuck, 2 bad input, 130 interrupted, 70 a fault of Holdfast."

#: How moving pictures may be written.
MOVING = (".gif", ".html")


def climb(
    scene: PlanarArgument = None,
    goal: Annotated[
        float | None,
        typer.Option("--goal", metavar="M", help="Wanted height of the lowest contact [m]."),
    ] = None,
    mu: Annotated[
        float | None,
        typer.Option("--mu", metavar="MU", help="Friction of the walls instead of the scene's mu and friction."),
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    margins: Annotated[
        Path | None, typer.Option("--margins", metavar="FILE", help="Write a picture of the torque margin over time.")
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option("--animate", metavar="FILE", help="Write a moving picture: .gif or .html."),
    ] = None,
    rate: Annotated[
        float, typer.Option("--rate", metavar="1/S", help="Pictures a second of the moving picture.", min=1.0, max=60.0)
    ] = 10.0,
    listing: ListOption = False,
) -> None:
    """Plan a climb: braces, footholds, torques and moves, each step verified to allow no other motion."""
    from dataclasses import replace

    from .files_planar_scene import PlanarClimbScene

    loaded = planar_scene(scene, ("climb",), listing=listing, json=json)
    assert isinstance(loaded, PlanarClimbScene)
    for option, path in (("--plot", plot), ("--margins", margins)):
        check_target(option, path, PICTURES)
    check_target("--animate", animate, MOVING)
    if goal is not None:
        loaded = replace(loaded, goal=goal)
    if mu is not None:
        from ..checks import number as checked

        loaded = loaded.with_mu(checked("--mu", mu, low=0.0))
    begin = perf_counter()
    with _waiting("planning the climb"):
        found = loaded.climb()
    seconds = perf_counter() - begin
    if json:
        emit({"command": "climb", "scene": loaded.name, "goal": loaded.goal, **found.to_dict(), "seconds": seconds})
    else:
        _show(loaded.name, found, seconds)
    _draw(loaded.name, found, plot, margins)
    if animate is not None:
        _animate(found, animate, rate)
    raise typer.Exit(0 if found.status == "reached" else 1)


@contextmanager
def _waiting(words: str) -> Iterator[None]:
    """A sign of life on a terminal; how long a search takes is not known."""
    console = messages()
    if not console.is_terminal:
        yield
        return
    with console.status(words):
        yield


def _show(name: str, found: Climb, seconds: float) -> None:
    say(f"{name}: {found.status}", style="bold green" if found.status == "reached" else "bold red")
    say(found.reason)
    lowest = found.lowest
    rows = [
        (
            i + 1,
            step.kind,
            ", ".join(str(node) for node in step.brace_nodes),
            number(float(lowest[i + 1])),
            tuple_in_words(step.brace.torque),
            number(step.brace.margin),
            number(float(step.margins.min())),
            "yes" if step.is_verified else "no",
        )
        for i, step in enumerate(found.steps)
    ]
    columns = ["step", "kind", "bracing nodes", "lowest contact after [m]", "brace torque [N m]"]
    columns += ["robust margin [N m]", "least margin [N m]", "verified"]
    if rows:
        table(columns, rows, title="Steps")
        say("reach: the lower end braces and the upper end goes up; pull: the other way round")
        say("verified: at the instants sampled, and at five points of each handover, no other contact mode is possible")
    if found.rejected:
        worst = sorted(found.rejected.items(), key=lambda item: -item[1])
        table(["why", "how often"], worst[:6], title="Candidates that were turned down")
    say(f"{seconds:.2g} s")


def _draw(name: str, found: Climb, plot: Path | None, margins: Path | None) -> None:
    from ..console.pictures import save

    if plot is not None:
        from .plots_climbs import climb_stills

        save(climb_stills(found), plot)
    if margins is not None:
        from .plots_climbs import climb_margins

        save(climb_margins(found, title=name), margins)


def _animate(found: Climb, path: Path, rate: float) -> None:
    from ..console.output import progress
    from .plots_climbs import animate_climb

    with progress("drawing") as moved:
        animate_climb(found, path, rate=rate, progress=moved)
    note(f"moving picture: {path}")
