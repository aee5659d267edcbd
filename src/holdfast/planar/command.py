"""`holdfast motions`, `holdfast torques` and `holdfast climb`: questions about planar scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..compiling import clock
from ..console.options import (
    Exit,
    NodeLimit,
    TimeLimit,
    vector,
)
from ..console.output import counted, messages, number
from ..console.pictures import FeaturePlots
from ..console.questions import Output, ReadyFile, SceneQuestion, with_groups
from ..console.sheets import Block, Line, TableBlock, present, yes_no
from ..dynamics.command import InertiaOption, motions_in_space
from ..errors import InputError, SceneError
from ..tolerances import SOLVER_ROUNDING

if TYPE_CHECKING:
    from ..checks import Array
    from .climbing import SnakeClimb
    from .files import PlanarBodyScene, PlanarChainScene, PlanarScene
    from .motion_sets import MotionPiece, MotionSet
    from .polyhedra import Polyhedron
    from .posture_boxes import PostureRobustness
    from .torques import TorqueSet

plots = FeaturePlots(__package__)

MuOption = Annotated[
    float | None,
    typer.Option("--mu", metavar="MU", help="Friction at all contacts instead of the scene's mu and friction."),
]

#: Which command asks about which kind of scene.
COMMANDS = {"body": "motions", "chain": "torques", "climb": "climb"}

#: Rows of a table for one set; the rest is in the JSON.
MOST_ROWS = 12

#: Numbers below this share of the largest one next to them are shown as 0.
SHOWN_AS_ZERO = 1e-10


def planar_scene(question: ReadyFile, kinds: Sequence[str]) -> PlanarScene:
    """The scene of the argument, of one of `kinds`."""
    from .files import load_planar

    with question.naming_kind():
        loaded = load_planar(question.path)
    if loaded.kind not in kinds:
        fix = f"give a {' or '.join(kinds)}, or use: holdfast {COMMANDS[loaded.kind]} {question.path}"
        raise SceneError(f"is about a {loaded.kind}", path=question.path, field="planar", fix=fix)
    return loaded


def list_planar(question: ReadyFile, kinds: Sequence[str], *, json: bool) -> None:
    """Print the ready planar scenes of some kinds, and end."""
    from .files import PLANAR_SCENES, planar_names

    titles = [(f"@{name}", PLANAR_SCENES.title(name)) for kind in kinds for name in planar_names(kind)]
    question.list_files(titles, json=json)


@dataclass(frozen=True)
class ChainFile(ReadyFile):
    """A planar chain."""

    kind: ClassVar[str] = "planar scene"

    def list_ready(self, *, json: bool) -> None:
        """Print the ready chains, and end."""
        list_planar(self, ("chain",), json=json)


@dataclass(frozen=True)
class ClimbFile(ReadyFile):
    """A planar climb."""

    kind: ClassVar[str] = "planar scene"

    def list_ready(self, *, json: bool) -> None:
        """Print the ready climbs, and end."""
        list_planar(self, ("climb",), json=json)


@dataclass(frozen=True)
class MotionsQuestion(SceneQuestion):
    """A body or chain in the plane, or a scene in space under a load."""

    def list_ready(self, *, json: bool) -> None:
        """Print the ready planar bodies and chains, and end."""
        list_planar(self, ("body", "chain"), json=json)


def row_in_words(row: Array, offset: float, sign: str) -> str:
    """row . tau `sign` offset in words, a row of one torque solved for it: "tau_1 <= -0.1926"."""
    largest = float(abs(row).max()) or 1.0
    terms = [(float(x) / largest, i) for i, x in enumerate(row) if abs(x) > SOLVER_ROUNDING * largest]
    level = offset / largest
    if len(terms) == 1 and terms[0][0] < 0.0:
        terms, level, sign = [(1.0, terms[0][1])], -level, sign.replace(">", "<")
    words = ""
    for share, i in terms:
        size = "" if abs(abs(share) - 1.0) < SOLVER_ROUNDING else f"{number(abs(share))} "
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
    """Numbers in brackets: "(1, 2.5)"; a single number without brackets."""
    words = [number(float(value), digits) for value in values]
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def cleaned(rows: Array) -> Array:
    """`rows` for a table: numbers at rounding level relative to the largest are 0."""
    import numpy as np

    return np.where(np.abs(rows) <= SHOWN_AS_ZERO * float(np.abs(rows).max(initial=0.0)), 0.0, rows)


MOTIONS_EXIT_CODES = (
    "Exit codes: 0 one motion, 1 several or none, 2 bad input, 3 impact or undecided, 130 interrupted, 70 internal "
    "error."
)

#: What each status means.
MOTION_DESCRIPTIONS = {
    "unique": "one motion is possible",
    "finite": "several motions are possible; Coulomb's law does not decide between them",
    "continuum": "a continuum of motions is possible",
    "inconsistent": "no motion is possible: rigid bodies with Coulomb friction have no solution here",
    "impact": "the velocity points into an obstacle: impacts are not modelled",
}
_CODES = {"unique": 0, "finite": 1, "continuum": 1, "inconsistent": 1, "impact": 3}
_MOTION_COLOURS = {"unique": "green", "impact": "red", "inconsistent": "red"}

#: What the letters of a mode mean; right is the direction (ny, -nx) for the normal (nx, ny).
LETTERS = {"S": "separates", "F": "fixed", "R": "slides right", "L": "slides left"}


@with_groups
def motions(
    question: MotionsQuestion,
    output: Output,
    force: Annotated[
        str | None,
        typer.Option("--force", metavar="FX,FY,T", help="Total load on a body [N, N m about its centre of mass]."),
    ] = None,
    velocity: Annotated[
        str | None,
        typer.Option(
            "--velocity", metavar="VX,VY,W", help="Velocity of a body [m/s, rad/s]; in space VX,VY,VZ[,WX,WY,WZ]."
        ),
    ] = None,
    torque: Annotated[
        str | None, typer.Option("--torque", metavar="T1,T2,...", help="Torques of a chain's motors [N m].")
    ] = None,
    mu: MuOption = None,
    inertia: InertiaOption = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """All accelerations that Newton's and Coulomb's laws allow, by contact mode, with their contact forces.

    --force, --torque and --mu are for planar scenes; --load, --gravity, --tilt, --wrench, --no-weight, --inertia
    and --time-limit for scenes in space.
    """
    planar = {"--force": force, "--torque": torque, "--mu": mu}
    space = {
        "--load": question.load or None,
        "--gravity": question.gravity,
        "--tilt": question.tilt,
        "--wrench": question.wrench,
        "--no-weight": question.no_weight or None,
        "--inertia": inertia,
        "--time-limit": time_limit,
        "--node-limit": node_limit,
    }
    in_space = question.scene is not None and _is_in_space(question.scene)
    for option, value in (planar if in_space else space).items():
        if value is not None:
            kind = "planar scenes" if in_space else "scenes in space"
            raise InputError(f"is for {kind}", where=option, fix="leave it out")
    if in_space:
        motions_in_space(question, output, inertia, velocity, time_limit, node_limit)
    asked: Any = planar_scene(question, ("body", "chain"))
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

    def picture() -> Any:
        if asked.kind == "body":
            return plots.planar_motions(asked, answer)
        only = next(iter(answer.modes)) if len(answer.modes) == 1 else None
        drawn = {"contacts": asked.contacts, "walls": asked.walls, "mode": only}
        return plots.chain_posture(asked.chain, asked.q, title=f"{asked.name}: {answer.status.value}", **drawn)

    present(
        "motions",
        answer.to_dict() | {"impacts": [asked.names[i] for i in answer.impacts]},
        sheet=_motions_sheet(asked, answer),
        **output.targets,
        rows=answer.rows,
        metadata={"scene": asked.name, "contacts": asked.names, "gap": getattr(asked, "gap", None)},
        picture=picture,
        code=_CODES[answer.status.value],
    )


def _is_in_space(scene: str) -> bool:
    """Whether it is a scene in space; unreadable ones are left to the reader of planar scenes."""
    from ..files.reader import kind_of

    try:
        return kind_of(scene).name == "scene"
    except SceneError:
        return False


def _motions_sheet(scene: PlanarBodyScene | PlanarChainScene, answer: MotionSet) -> Iterator[Block]:
    status = answer.status.value
    yield Line(f"{scene.name}: {status}", f"bold {_MOTION_COLOURS.get(status, 'yellow')}")
    yield MOTION_DESCRIPTIONS[status]
    if status == "unique":
        (piece,) = answer.modes.values()
        yield "its acceleration is zero" if not cleaned(piece.vertices).any() else "it accelerates"
    if scene.kind == "body" and scene.gap is not None:
        yield f"no contact: it falls freely; the nearest obstacle is {number(scene.gap)} m away"
    if answer.impacts:
        yield f"contacts with impact: {', '.join(scene.names[i] for i in answer.impacts)}"
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
    title = "Accelerations" if len(answer.modes) == 1 else "Accelerations by mode"
    yield TableBlock(["mode", "kind", *columns], rows, title)
    if scene.names:
        yield _forces_table(scene.names, answer.modes, float(abs(answer.system.bias).max()))
        used = [f"{letter} {word}" for letter, word in LETTERS.items() if any(letter in mode for mode in answer.modes)]
        yield f"one letter per contact ({', '.join(scene.names)}): {', '.join(used)}"
    yield f"{counted(answer.nodes, 'node')} of the mode tree, {answer.seconds:.2g} s"


def _forces_table(names: tuple[str, ...], modes: dict[str, MotionPiece], load: float) -> TableBlock:
    import numpy as np

    rows: list[tuple[str, ...]] = []
    for mode, piece in modes.items():
        vertices, rays = piece.forces
        words = "unique" if len(vertices) == 1 and not len(rays) else "vertex"
        # Reactions at rounding level relative to the load are shown as 0.
        found = [(words, x) for x in np.where(np.abs(vertices) <= SHOWN_AS_ZERO * load, 0.0, vertices)]
        found += [("and along", x) for x in cleaned(rays)]
        rows += [(mode, word, *(tuple_in_words(f) for f in x.reshape(-1, 2))) for word, x in found[:MOST_ROWS]]
        rows += _more(mode, len(found), len(names))
    return TableBlock(["mode", "kind", *names], rows, "Reactions (tangential, normal) [N] by contact")


def _more(mode: str, count: int, columns: int) -> list[tuple[str, ...]]:
    if count <= MOST_ROWS:
        return []
    return [(mode, f"{count - MOST_ROWS} more: --json", *[""] * columns)]


TORQUES_EXIT_CODES = (
    "Exit codes: 0 some torque (with --classify: each given one) allows the wanted motion alone, with `q_error` proven "
    "for every posture, 1 none does, 2 bad input, 3 impact or undecided, 130 interrupted, 70 internal error."
)

#: What each status means.
TORQUE_DESCRIPTIONS = {
    "unambiguous": "every torque that allows the wanted motion allows nothing else",
    "partly ambiguous": "some torques allow the wanted motion alone, others allow another motion too",
    "ambiguous": "every torque that allows the wanted motion allows another one too",
    "infeasible": "no torque allows the wanted motion",
    "impact": "the velocity points into a wall: impacts are not modelled",
}

#: The same for every posture of a box.
BOX_DESCRIPTIONS = {
    "proven": "every torque of T* allows the wanted motion, and nothing else, in every posture of the box",
    "undecided": "no torque is proven for every posture of the box, and none is refuted by all of the postures tried",
    "ambiguous": "every torque that allows the wanted motion in the postures tried allows another one in one of them",
    "infeasible": "no torque allows the wanted motion in all of the postures tried",
}
_TORQUE_COLOURS = {"unambiguous": "green", "proven": "green", "partly ambiguous": "yellow", "undecided": "yellow"}


@with_groups
def torques(
    question: ChainFile,
    output: Output,
    classify: Annotated[
        list[str] | None,
        typer.Option(
            "--classify", metavar="T1,T2,...", help="Print which motions these torques [N m] allow; may be repeated."
        ),
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="LETTERS", help="Wanted contact mode instead of the scene's: FFS.")
    ] = None,
    mu: MuOption = None,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", metavar="N M", help="Required margin of the smallest torque against other motions [N m]."
        ),
    ] = 0.0,
) -> None:
    """The torques that allow the wanted contact mode and tasks (T_c), and those that allow nothing else (T*)."""
    import numpy as np

    loaded: Any = planar_scene(question, ("chain",))
    asked = loaded if mu is None else loaded.with_mu(mu)
    system = asked.system()
    if mode is not None:
        asked = replace(asked, mode=system.check_mode(mode, where="--mode"))
    given = [vector("--classify", text, system.torque_count) for text in classify or []]
    begin = clock()
    tried = None if asked.q_error is None else asked.over_postures()
    answer = asked.torque_sets() if tried is None else tried.inner
    status = answer.status if tried is None else tried.status
    seconds = clock() - begin
    verdicts = [_verdict(answer, tau, tried) for tau in given]
    robust = _robust(asked, tried)

    def picture() -> Any:
        title = f"{asked.name}: {status}"
        if not answer.space.sizes[2]:  # without motors there is only the posture to draw
            drawn = {"contacts": asked.contacts, "walls": asked.walls, "mode": answer.mode}
            return plots.chain_posture(*asked.asked[:2], title=title, **drawn)
        return plots.torque_set(answer, torques=np.array(given) if given else None, title=title)

    effort = {"nodes": answer.visited, "seconds": seconds}
    present(
        "torques",
        (answer if tried is None else tried).to_dict(margin)
        | {"classified": verdicts, "robust": robust, "effort": effort},
        sheet=_torques_sheet(asked.name, answer, tried, verdicts, margin, robust, seconds),
        **output.targets,
        rows=lambda: _torque_rows(answer),
        metadata={"scene": asked.name},
        picture=picture,
        code=_code(answer, status, verdicts),
    )


def _torque_rows(answer: TorqueSet) -> list[dict[str, Any]]:
    """The rows of the feasible set and of the pieces of the unique one: coefficients of the torques, sign, bound."""
    named = [("feasible", answer.feasible), *((f"unique, piece {i + 1}", p) for i, p in enumerate(answer.unique))]
    rows = []
    for name, polyhedron in named:
        sides = [
            (a, ">" if s else ">=", b) for a, b, s in zip(polyhedron.A, polyhedron.b, polyhedron.strict, strict=True)
        ]
        sides += [(c, "=", d) for c, d in zip(polyhedron.C, polyhedron.d, strict=True)]
        for row, sign, bound in sides:
            factors = {f"tau_{i + 1}": float(x) for i, x in enumerate(row)}
            rows.append({"set": name, **factors, "sign": sign, "bound": float(bound)})
    return rows


def _code(answer: TorqueSet, status: str, verdicts: list[dict[str, Any]]) -> int:
    if answer.impact:
        return 3
    if verdicts:
        words = {verdict["verdict"] for verdict in verdicts}
        return 0 if words == {"unique"} else 3 if words <= {"unique", "undecided"} else 1
    return 3 if status == "undecided" else int(answer.is_empty)


def _verdict(answer: TorqueSet, tau: Array, tried: PostureRobustness | None) -> dict[str, Any]:
    """What one torque allows, with an example of every other motion."""
    word = str((answer if tried is None else tried).classify(tau))
    others = (answer if tried is None else tried.outer).explain(tau) if word == "ambiguous" else []
    return {
        "torque": tau,
        "verdict": word,
        "margin": float(answer.margin(tau)) if word in ("unique", "ambiguous") else None,
        "others": [other.to_dict() for other in others],
    }


def _robust(scene: PlanarChainScene, tried: PostureRobustness | None) -> list[str]:
    """What the answer covers in addition to the nominal scene, and by which method."""
    words = []
    if scene.moves:
        words.append(f"{counted(len(scene.moves), 'move')} of the free part, by a certified box of disturbances")
    elif scene.disturbance is not None:
        words.append("every disturbance of the set given")
    if scene.friction is not None:
        low, high = scene.friction
        words.append(f"every friction coefficient of {number(low)} to {number(high)} at each contact")
    if tried is not None:
        half = tuple_in_words(tried.box.half)
        made = f"{counted(len(tried.cells), 'cell')}, {counted(len(tried.postures), 'posture')} tried"
        words.append(f"the box of postures q +- {half} [m, rad]: {made}")
    return words


def _torques_sheet(
    name: str,
    answer: TorqueSet,
    tried: PostureRobustness | None,
    verdicts: list[dict[str, Any]],
    margin: float,
    robust: list[str],
    seconds: float,
) -> Iterator[Block]:
    status = answer.status if tried is None else tried.status
    yield Line(f"{name}, mode {answer.mode}: {status}", f"bold {_TORQUE_COLOURS.get(status, 'red')}")
    yield TORQUE_DESCRIPTIONS[status] if tried is None else BOX_DESCRIPTIONS[status]
    yield from (f"for {words}" for words in robust)
    if status not in ("infeasible", "impact"):
        yield from _set_tables(answer, tried)
        if not answer.is_empty:
            (deepest, radius), least = answer.chebyshev(), answer.least_norm(margin)
            choices = {
                "deepest in T*" if radius < float("inf") else "deep in T*, one of many": deepest,
                "least in T*" if margin == 0.0 else f"least, {number(margin)} N m inside": least,
            }
            rows = [(word, tuple_in_words(tau), number(answer.inner_margin(tau))) for word, tau in choices.items()]
            yield TableBlock(["choice", "torque [N m]", "margin [N m]"], rows, "Recommended torques")
    if verdicts:
        rows = [
            (tuple_in_words(one["torque"]), one["verdict"], number(one["margin"]), _others(one["others"]))
            for one in verdicts
        ]
        yield TableBlock(["torque [N m]", "it is", "margin [N m]", "it also allows"], rows, "Given torques")
    yield f"{counted(answer.visited, 'node')} of the mode tree, {seconds:.2g} s"


def _others(others: list[dict[str, Any]]) -> str:
    words = [one["mode"] + ("" if one["task"] is None else f" against task {one['task'] + 1}") for one in others]
    unique = list(dict.fromkeys(words))
    return ", ".join(unique[:MOST_ROWS]) + ("" if len(unique) <= MOST_ROWS else " ...") if unique else "-"


def _set_tables(answer: TorqueSet, tried: PostureRobustness | None) -> Iterator[Block]:
    """T_c and the pieces of T* by their rows, then the ambiguous modes."""
    others = answer.ambiguities
    named = [("T_c, feasible" if others else "T_c and T*", answer.feasible)]
    if others:
        named += [(f"T*, piece {i + 1}", piece) for i, piece in enumerate(answer.unique)]
    if tried is not None:
        named += [("T* of the postures tried", piece) for piece in tried.outer.unique]
    rows: list[tuple[Any, ...]] = []
    for name, polyhedron in named[:MOST_ROWS]:
        first, *further = rows_in_words(polyhedron)
        rows += [(name, polyhedron.dimension, first), *(("", "", line) for line in further)]
    yield TableBlock(["set", "dimension", "torques [N m]"], rows, "Torque sets")
    yield "T_c: the torques that allow the wanted motion; T*: those of them that allow no other motion"
    if len(named) > MOST_ROWS:
        yield f"{len(named) - MOST_ROWS} more pieces: --json"
    if tried is not None:
        yield (
            "both are proven for every posture of the box; those outside the T* of the postures tried fail in one; "
            f"those between, at most {number(tried.gap)} N m from T*, are undecided (up to {number(tried.reach)} N m)"
        )
    if not others:
        return
    rows = []
    for i, one in enumerate(others[:MOST_ROWS]):
        text = "; ".join(rows_in_words(answer.ambiguous_torques(i)))
        rows.append((one.mode, "-" if one.task is None else one.task + 1, one.torques.dimension, text))
    columns = ["other mode", "violates task", "dimension", "for torques [N m]"]
    title = "Ambiguities within T_c"
    yield TableBlock(columns, rows, title if tried is None else f"{title}: what other modes need at most in the box")
    if len(others) > MOST_ROWS:
        yield f"{len(others) - MOST_ROWS} more: --json"


CLIMB_EXIT_CODES = "Exit codes: 0 the goal is reached, 1 stuck, 2 bad input, 130 interrupted, 70 internal error."


@with_groups
def climb(
    question: ClimbFile,
    output: Output,
    goal: Annotated[
        float | None,
        typer.Option("--goal", metavar="M", help="Wanted height of the lowest contact [m]."),
    ] = None,
    mu: Annotated[
        float | None,
        typer.Option("--mu", metavar="MU", help="Friction of the walls instead of the scene's mu and friction."),
    ] = None,
) -> None:
    """Plan a climb: braces, footholds, torques and moves, each step verified to allow no other motion."""
    from ..checks import number as checked

    loaded: Any = planar_scene(question, ("climb",))
    if goal is not None:
        loaded = replace(loaded, goal=goal)
    if mu is not None:
        loaded = loaded.with_mu(checked("--mu", mu, low=0.0))
    begin = clock()
    with _waiting("planning the climb"):
        found = loaded.climb()
    seconds = clock() - begin
    present(
        "climb",
        found.to_dict() | {"seconds": seconds},
        sheet=_climb_sheet(loaded.name, found, seconds),
        **output.targets,
        rows=found.rows,
        metadata={"scene": loaded.name, "goal": loaded.goal},
        picture=lambda: plots.climb_stills(found),
        code=Exit.HOLDS if found.status == "reached" else Exit.DOES_NOT_HOLD,
    )


@contextmanager
def _waiting(words: str) -> Iterator[None]:
    """A spinner on a terminal, since the time of the search is not known."""
    console = messages()
    if not console.is_terminal:
        yield
        return
    with console.status(words):
        yield


def _climb_sheet(name: str, found: SnakeClimb, seconds: float) -> Iterator[Block]:
    yield Line(f"{name}: {found.status}", "bold green" if found.status == "reached" else "bold red")
    yield found.reason
    rows = [
        (
            i + 1,
            step.kind,
            ", ".join(str(node) for node in step.brace_nodes),
            number(float(found.lowest[i + 1])),
            tuple_in_words(step.brace.torque),
            number(step.brace.margin),
            number(float(step.margins.min())),
            yes_no(step.is_verified),
        )
        for i, step in enumerate(found.steps)
    ]
    columns = ["step", "kind", "bracing nodes", "lowest contact after [m]", "brace torque [N m]"]
    columns += ["robust margin [N m]", "least margin [N m]", "verified"]
    if rows:
        yield TableBlock(columns, rows, "Steps")
        yield "reach: the lower end braces and the upper end moves up; pull: the reverse"
        sampled = "at the instants sampled, and at five points of each handover"
        yield f"verified: {sampled}, no other contact mode is possible"
    if found.rejected:
        worst = sorted(found.rejected.items(), key=lambda item: -item[1])
        yield TableBlock(["why", "how often"], worst[:6], "Rejected candidates")
    yield f"{seconds:.2g} s"
