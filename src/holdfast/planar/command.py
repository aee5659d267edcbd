"""`holdfast motions`, `holdfast torques` and `holdfast climb`: questions about planar scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import PICTURES, JsonOption, PlotOption, check_target, vector
from ..console.output import counted, emit, messages, note, number, say, table
from ..errors import InputError, SceneError

if TYPE_CHECKING:
    from ..checks import Array
    from .climbing import SnakeClimb
    from .disturbances import PostureRobustness
    from .files import PlanarBodyScene, PlanarChainScene, PlanarScene
    from .motion_sets import MotionPiece, MotionSet
    from .polyhedra import Polyhedron
    from .torques import TorqueSet

PlanarArgument = Annotated[
    str | None, typer.Argument(metavar="SCENE", help="Planar scene file, or @name of a ready one.", show_default=False)
]
ListOption = Annotated[bool, typer.Option("--list", help="List the ready scenes for this command and end.")]
MuOption = Annotated[
    float | None,
    typer.Option("--mu", metavar="MU", help="Friction at all contacts instead of the scene's mu and friction."),
]

#: Which command asks about which kind of scene.
COMMANDS = {"body": "motions", "chain": "torques", "climb": "climb"}

#: Rows of a table for one set; the rest is in the JSON.
MOST_ROWS = 12

#: Numbers below this share of the largest beside them are shown as 0.
ROUNDING = 1e-10


def planar_scene(scene: str | None, kinds: Sequence[str], *, listing: bool, json: bool) -> PlanarScene:
    """The scene of the argument, of one of `kinds`; with `listing` the ready ones are printed instead, and it ends."""
    if listing:
        list_ready(kinds, json=json)
        raise typer.Exit
    if scene is None:
        raise InputError("is missing", where="SCENE", fix="name a planar scene file; --list shows the ready ones")
    from .files import load_planar

    loaded = load_planar(scene)
    if loaded.kind not in kinds:
        fix = f"give a {' or '.join(kinds)}, or ask: holdfast {COMMANDS[loaded.kind]}"
        raise SceneError(f"is about a {loaded.kind}", path=scene, field="planar", fix=fix)
    return loaded


def list_ready(kinds: Sequence[str], *, json: bool) -> None:
    """Print the ready scenes of some kinds with what they are."""
    from .files import planar_names, planar_path

    entries = []
    for kind in kinds:
        for name in planar_names(kind):
            text = planar_path(f"@{name}").read_text(encoding="utf-8")
            entries.append((f"@{name}", text.splitlines()[0].removeprefix("# ")))
    if json:
        emit({"scenes": [{"name": name, "title": title} for name, title in entries]})
    else:
        table(["scene", "what it is"], entries)


def row_in_words(row: Array, offset: float, sign: str) -> str:
    """row . tau `sign` offset in words, a row of one torque solved for it: "tau_1 <= -0.1926"."""
    largest = float(abs(row).max()) or 1.0
    terms = [(float(x) / largest, i) for i, x in enumerate(row) if abs(x) > 1e-9 * largest]
    level = offset / largest
    if len(terms) == 1 and terms[0][0] < 0.0:
        terms, level, sign = [(1.0, terms[0][1])], -level, sign.replace(">", "<")
    words = ""
    for share, i in terms:
        size = "" if abs(abs(share) - 1.0) < 1e-9 else f"{number(abs(share))} "
        joint = f"{' + ' if words else ''}" if share > 0.0 else f"{' - ' if words else '-'}"
        words += f"{joint}{size}tau_{i + 1}"
    return f"{words} {sign} {number(level)}"


def rows_in_words(polyhedron: Polyhedron) -> list[str]:
    """The rows of a set of torques in words; ["every torque"] where there is none."""
    rows = [
        row_in_words(row, float(offset), ">" if strict else ">=")
        for row, offset, strict in zip(polyhedron.A, polyhedron.b, polyhedron.strict, strict=True)
    ]
    rows += [row_in_words(row, float(level), "=") for row, level in zip(polyhedron.C, polyhedron.d, strict=True)]
    return rows or ["every torque"]


def tuple_in_words(values: Sequence[float] | Array, digits: int = 4) -> str:
    """Numbers in brackets: "(1, 2.5)"; one alone stands without."""
    words = [number(float(value), digits) for value in values]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def cleaned(rows: Array) -> Array:
    """`rows` for a table: numbers that are rounding beside the largest of all are 0."""
    import numpy as np

    return np.where(np.abs(rows) <= ROUNDING * float(np.abs(rows).max(initial=0.0)), 0.0, rows)


MOTIONS_EXIT_CODES = (
    "Exit codes: 0 one motion, 1 several or none, 2 bad input, 3 impact, 130 interrupted, 70 a fault of Holdfast."
)

#: What each status means.
MOTION_DESCRIPTIONS = {
    "unique": "one motion is possible",
    "finite": "several motions are possible, and nothing decides between them",
    "continuum": "a continuum of motions is possible",
    "inconsistent": "no motion is possible: rigid bodies with Coulomb friction have no answer here",
    "impact": "the velocity runs into an obstacle; what an impact does is not answered",
}
_CODES = {"unique": 0, "finite": 1, "continuum": 1, "inconsistent": 1, "impact": 3}
_MOTION_COLOURS = {"unique": "green", "impact": "red", "inconsistent": "red"}

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
    asked: Any = planar_scene(scene, ("body", "chain"), listing=listing, json=json)
    check_target("--plot", plot, PICTURES)
    if asked.kind == "body":
        if torque is not None:
            raise InputError("is for chains", where="--torque", fix="give --force for a body")
        given = {"force": force, "velocity": velocity}
        read = {name: vector(f"--{name}", text, 3) for name, text in given.items() if text is not None}
        asked = asked.changed(mu=mu, **read)
        answer = asked.motions()
    else:
        for option, value in (("--force", force), ("--velocity", velocity)):
            if value is not None:
                raise InputError("is for bodies", where=option, fix="give --torque, and qd in the scene file")
        asked = asked if mu is None else asked.with_mu(mu)
        size = asked.whole().torque_count
        answer = asked.motions(None if torque is None else vector("--torque", torque, size))
    if json:
        about = {"command": "motions", "scene": asked.name, "contacts": asked.names, "gap": getattr(asked, "gap", None)}
        emit({**about, **answer.to_dict(), "impacts": [asked.names[i] for i in answer.impacts]})
    else:
        _show_motions(asked, answer)
    if plot is not None:
        _draw_motions(asked, answer, plot)
    raise typer.Exit(_CODES[answer.status.value])


def _show_motions(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet) -> None:
    status = answer.status.value
    say(f"{scene.name}: {status}", style=f"bold {_MOTION_COLOURS.get(status, 'yellow')}")
    say(MOTION_DESCRIPTIONS[status])
    if scene.kind == "body" and scene.gap is not None:
        say(f"it touches nothing: it falls freely; the nearest obstacle is {number(scene.gap)} m away")
    if answer.impacts:
        say(f"contacts that are run into: {', '.join(scene.names[i] for i in answer.impacts)}")
    if not answer.modes:
        return
    columns = ["ax [m/s^2]", "ay [m/s^2]", "alpha [rad/s^2]"]
    if scene.kind == "chain":
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
        used = [f"{letter} {word}" for letter, word in LETTERS.items() if any(letter in mode for mode in answer.modes)]
        say(f"one letter per contact ({', '.join(scene.names)}): {', '.join(used)}")
    say(f"{counted(answer.nodes, 'node')} of the mode tree, {answer.seconds:.2g} s")


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


def _draw_motions(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet, path: Path) -> None:
    from ..console.pictures import save
    from .plots import chain_motions, planar_motions

    if scene.kind == "body":
        save(planar_motions(scene, answer), path)
        return
    title = f"{scene.name}: {answer.status.value}"
    drawn = {"qd": scene.qd, "contacts": scene.contacts, "walls": scene.walls, "title": title}
    save(chain_motions(scene.chain, scene.q, answer, **drawn), path)


TORQUES_EXIT_CODES = (
    "Exit codes: 0 some torque (with --classify: each given one) allows the wanted motion alone, 1 none does, "
    "2 bad input, 3 impact, 130 interrupted, 70 a fault of Holdfast."
)

#: What each status means.
TORQUE_DESCRIPTIONS = {
    "unambiguous": "every torque that allows the wanted motion allows nothing else",
    "partly ambiguous": "some torques allow the wanted motion alone, others allow another motion too",
    "ambiguous": "every torque that allows the wanted motion allows another one too",
    "infeasible": "no torque allows the wanted motion",
    "impact": "the velocity runs into a wall; what an impact does is not answered",
}
_TORQUE_COLOURS = {"unambiguous": "green", "partly ambiguous": "yellow"}


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

    loaded: Any = planar_scene(scene, ("chain",), listing=listing, json=json)
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
        data = {"command": "torques", "scene": asked.name, **answer.to_dict(margin), "classified": verdicts}
        emit({**data, "robust": sure, "effort": {"nodes": answer.visited, "seconds": seconds}})
    else:
        _show_torques(asked.name, answer, verdicts, margin, sure)
        say(f"{counted(answer.visited, 'node')} of the mode tree, {seconds:.2g} s")
    if plot is not None:
        _draw_torques(asked, answer, given, plot)
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
        "others": [other.to_dict() for other in others],
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


def _show_torques(name: str, answer: TorqueSet, verdicts: list[dict[str, Any]], margin: float, sure: list[str]) -> None:
    say(f"{name}, mode {answer.mode}: {answer.status}", style=f"bold {_TORQUE_COLOURS.get(answer.status, 'red')}")
    say(TORQUE_DESCRIPTIONS[answer.status])
    for words in sure:
        say(f"for {words}")
    if answer.status not in ("infeasible", "impact"):
        _show_sets(answer)
        if not answer.is_empty:
            (deepest, radius), least = answer.chebyshev(), answer.least_norm(margin)
            name = "deepest in T*" if radius < float("inf") else "deep in T*, one of many"
            rows = [(name, tuple_in_words(deepest), number(answer.inner_margin(deepest)))]
            words = "least in T*" if margin == 0.0 else f"least, {number(margin)} N m inside"
            rows.append((words, tuple_in_words(least), number(answer.inner_margin(least))))
            table(["", "torque [N m]", "margin [N m]"], rows, title="Torques to choose")
    if verdicts:
        rows = [
            (tuple_in_words(one["torque"]), one["verdict"], number(one["margin"]), _others(one["others"]))
            for one in verdicts
        ]
        table(["torque [N m]", "it is", "margin [N m]", "it also allows"], rows, title="Given torques")


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
    others = answer.ambiguities
    if others:
        rows = []
        for i, one in enumerate(others[:MOST_ROWS]):
            text = "; ".join(rows_in_words(answer.ambiguous_torques(i)))
            rows.append((one.mode, "-" if one.task is None else one.task + 1, one.torques.dimension, text))
        table(["other mode", "breaks task", "dimension", "for torques [N m]"], rows, title="Ambiguities within T_c")
        if len(others) > MOST_ROWS:
            say(f"{len(others) - MOST_ROWS} more: --json")


def _draw_torques(scene: PlanarChainScene, answer: TorqueSet, given: list[Array], path: Path) -> None:
    import numpy as np

    from ..console.pictures import save
    from .plots import chain_posture, torque_projections, torque_set

    title = f"{scene.name}: {answer.status}"
    if not answer.space.sizes[2]:  # without motors there is only the posture to draw
        chain, q, _ = scene.asked
        save(chain_posture(chain, q, contacts=scene.contacts, walls=scene.walls, mode=answer.mode, title=title), path)
        return
    marks = np.array(given) if given else None
    draw = torque_projections if answer.space.sizes[2] > 3 else torque_set
    save(draw(answer, torques=marks, title=title), path)


CLIMB_EXIT_CODES = "Exit codes: 0 the goal is reached, 1 stuck, 2 bad input, 130 interrupted, 70 a fault of Holdfast."

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

    from ..console.pictures import save

    loaded: Any = planar_scene(scene, ("climb",), listing=listing, json=json)
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
        _show_climb(loaded.name, found, seconds)
    if plot is not None:
        from .plots import climb_stills

        save(climb_stills(found), plot)
    if margins is not None:
        from .plots import climb_margins

        save(climb_margins(found, title=loaded.name), margins)
    if animate is not None:
        from ..console.output import progress
        from .plots import animate_climb

        with progress("drawing") as moved:
            animate_climb(found, animate, rate=rate, progress=moved)
        note(f"moving picture: {animate}")
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


def _show_climb(name: str, found: SnakeClimb, seconds: float) -> None:
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
