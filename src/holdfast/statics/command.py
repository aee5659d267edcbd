"""What a command asks of a scene: the external wrench, from options; and how it is asked."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..console.options import (
    ClusterOption,
    Exit,
    ExplainOption,
    Gap,
    GravityOption,
    JsonOption,
    LoadsOption,
    MethodName,
    MethodOption,
    NodeLimit,
    NoWeight,
    PlotOption,
    SceneArgument,
    TimeLimit,
    WrenchOption,
    is_exact,
    method,
    vector,
    verdict,
)
from ..console.output import (
    bound,
    colour,
    counted,
    emit,
    load_factor,
    note,
    number,
    plain,
    prepare,
    progress,
    say,
    table,
)
from ..errors import InputError, JournalWarning, SolverError

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from ..scenes import Scene
    from ..solvers import Effort
    from .diagnosis import ContactState, Diagnosis, JointState, Motion
    from .equilibrium import Equilibrium, LoadLimit, Method
    from .paths import Onset
    from .solver import Solver
    from .strength import LoadRamp


@dataclass(frozen=True, eq=False)
class Question:
    """A scene under its gravity, and the wrench (6,) on its object; `words` tell what it consists of."""

    scene: Scene
    wrench: Array
    words: str


def ask(scene: Scene, *, loads: Sequence[str], gravity: str | None, wrench: str | None, weight: bool) -> Question:
    """The question that the options of `check` pose.

    The object's weight always acts, under the scene's gravity or the one given, unless it is left out; named loads
    come on top. A wrench given by its numbers is the whole load.
    """
    import numpy as np

    if gravity is not None:
        scene = scene.with_gravity(vector("--gravity", gravity, 3))
    if wrench is not None:
        if loads:
            raise InputError(
                "is given with --load", where="--wrench", fix="--wrench is the whole load: give one of the two"
            )
        return Question(scene, vector("--wrench", wrench, 6), "the wrench given")
    parts, words = [scene.load(name) for name in loads], list(loads)
    if weight and (scene.mass is not None or not loads):
        parts.insert(0, scene.gravity_load())
        words.insert(0, "weight")
    if not parts:
        raise InputError("nothing is left to ask about", where="--no-weight", fix="give --load NAME or --wrench")
    return Question(scene, np.sum(parts, axis=0), " + ".join(words))


class Asker:
    """Puts many questions about assemblies that differ little; the exact method starts from its last answer."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._solver: Solver | None = None

    def equilibrium(self, assembly: Assembly, wrench: Array) -> Equilibrium:
        """Whether the wrench (6,) is held."""
        from .equilibrium import equilibrium

        solver = self._solver_for(assembly)
        return equilibrium(assembly, wrench, method=self._method) if solver is None else solver.equilibrium(wrench)

    def load_limit(self, assembly: Assembly, direction: Array) -> LoadLimit:
        """The largest multiple of the wrench (6,) that is held."""
        from .equilibrium import load_limit

        solver = self._solver_for(assembly)
        return load_limit(assembly, direction, method=self._method) if solver is None else solver.load_limit(direction)

    def _solver_for(self, assembly: Assembly) -> Solver | None:
        """The warm solver, now about this assembly; None where the method has none."""
        if not is_exact(self._method):
            return None
        from .solver import Solver

        if self._solver is None:
            self._solver = Solver(assembly, self._method)
        elif self._solver.assembly is not assembly:
            self._solver.move_to(assembly)
        return self._solver


def effort_data(effort: Effort) -> dict[str, Any]:
    """What an answer cost, as data."""
    return {
        "nodes": effort.nodes,
        "programs": effort.programs,
        "pivots": effort.pivots,
        "seconds": effort.seconds,
        "stages": dict(effort.stages),
        "referee": effort.referee,
    }


# What `--explain` prints: the sentences of a diagnosis, and what they rest on as tables or as data.

#: Rows of a table; the rest is counted.
MOST_ROWS = 12


def explanation(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as data: sentences, contacts, joints, prices, gains, motions."""
    limit = diagnosis.limit
    interval = None if limit is None or limit.problem.is_star_shaped else limit.scale_interval
    if interval is not None and diagnosis.is_least:
        interval = (-interval[1], -interval[0])
    return {
        "sentences": diagnosis.sentences,
        "factor": diagnosis.factor,
        "is_least": diagnosis.is_least,
        "scale_interval": interval,
        "prices_unique": diagnosis.prices_unique,
        "from_contacts": diagnosis.from_contacts,
        "from_joints": diagnosis.from_joints,
        "contacts": [_contact(state) for state in diagnosis.contacts],
        "joints": [_joint(state) for state in diagnosis.joints],
        "gains": [
            {"of": g.state.label, "side": g.side, "step": g.step, "unit": getattr(g.state, "unit", "%"), "gain": g.gain}
            for g in diagnosis.gains
        ],
        "motion": _motion(diagnosis.motion),
        "separating_motion": _motion(diagnosis.separation),
    }


def _contact(state: ContactState) -> dict[str, Any]:
    return {
        "name": state.name or str(state.index),
        "local_force": state.force,
        "piece": state.piece,
        "utilisation": state.utilisation,
        "at_limit": state.at_limit,
        "binding": state.binding,
        "at_piece_limit": state.at_piece_limit,
        "idle": state.idle,
        "price_per_percent": state.price,
    }


def _joint(state: JointState) -> dict[str, Any]:
    return {
        "name": state.name or str(state.index),
        "value": state.value,
        "lower": state.lower,
        "upper": state.upper,
        "unit": state.unit,
        "at_lower": state.at_lower,
        "at_upper": state.at_upper,
        "price_lower": state.price_lower,
        "price_upper": state.price_upper,
    }


def _motion(motion: Motion | None) -> dict[str, Any] | None:
    if motion is None:
        return None
    return {"words": motion.words, "velocity": motion.velocity, "angular_velocity": motion.angular}


def show_explanation(diagnosis: Diagnosis) -> None:
    """Print the sentences, and the contacts and joint rows at their limit with their prices."""
    for sentence in diagnosis.sentences:
        say(f"- {sentence}")
    say()
    if not diagnosis.has_prices:
        return
    _show_contacts(diagnosis)
    _show_joints(diagnosis)
    if not diagnosis.prices_unique and (diagnosis.limiting or diagnosis.joints_at_limit):
        say("gains are upper bounds here: more than one set of prices fits this limit")


def _show_contacts(diagnosis: Diagnosis) -> None:
    from .diagnosis import action

    rows = [
        (c.name or str(c.index), action(c), f"{100.0 * c.utilisation:.0f}", number(_percent(diagnosis, c.price), 3))
        for c in diagnosis.limiting
    ]
    if rows:
        price = f"gain for 1 % strength [{'loads' if diagnosis.factor == 0.0 else '%'}]"
        table(["contact", "bears", "use [%]", price], rows[:MOST_ROWS], title="Contacts at their limit")
        _rest(rows)


def _show_joints(diagnosis: Diagnosis) -> None:
    rows = [
        (
            f"{j.name or j.index} [{j.unit}]",
            bound(j.lower),
            number(j.value),
            bound(j.upper),
            number(j.price_lower, 3),
            number(j.price_upper, 3),
        )
        for j in diagnosis.joints_at_limit
    ]
    if rows:
        gains = ["gain a unit lower [loads]", "gain a unit higher [loads]"]
        columns = ["joint row", "least", "value", "largest", *gains]
        table(columns, rows[:MOST_ROWS], title="Joint rows at a bound")
        _rest(rows)


def _rest(rows: Sequence[Any]) -> None:
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS} more")


def _percent(diagnosis: Diagnosis, price: float) -> float:
    """A price as percent of the limit; in loads where the limit is zero."""
    factor = abs(diagnosis.factor)
    return price if factor == 0.0 or math.isnan(price) else 100.0 * price / factor


# `holdfast check`: does it hold, with which forces, and how much of the load would it bear?.


def check(
    scene: SceneArgument,
    load: LoadsOption = None,
    gravity: GravityOption = None,
    wrench: WrenchOption = None,
    no_weight: NoWeight = False,
    explain: ExplainOption = False,
    json: JsonOption = False,
    plot: PlotOption = None,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Whether a scene holds under its weight and loads: verdict, load factor, contact forces, proof."""
    from ..scenes import load_scene
    from .diagnosis import diagnose
    from .equilibrium import equilibrium, load_limit

    question = ask(load_scene(scene), loads=load or [], gravity=gravity, wrench=wrench, weight=not no_weight)
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit, floor=1.0)
    prepare(solver)
    answer = equilibrium(question.scene.assembly, question.wrench, method=solver)
    factor = load_limit(question.scene.assembly, question.wrench, method=solver) if question.wrench.any() else None
    verified = answer.verify()
    diagnosis = diagnose(answer, limit=factor) if explain else None
    if json:
        data = _data(question, answer, factor, verified, method_name)
        emit(data if diagnosis is None else data | {"explanation": explanation(diagnosis)})
    else:
        _show(question, answer, factor, verified)
        if diagnosis is not None:
            say("Why", style="bold")
            show_explanation(diagnosis)
    if plot is not None:
        from ..console.pictures import draw_scene, draw_use

        if diagnosis is not None and diagnosis.contacts:
            draw_use(diagnosis, plot)
        else:
            draw_scene(question.scene, plot, answer)
    raise typer.Exit(verdict([answer.status.value]))


def _contacts(answer: Equilibrium) -> list[dict[str, Any]]:
    """One dictionary a contact: name and place; with forces, what it bears, in which piece, its use and its margin."""
    from .diagnosis import contact_forces

    contacts = answer.assembly.contacts
    rows: list[dict[str, Any]] = [
        {"name": contact.name or str(index), "position": contact.position} for index, contact in enumerate(contacts)
    ]
    if answer.forces is None or answer.local_forces is None:
        return rows
    given = zip(rows, answer.forces, answer.local_forces, contact_forces(answer), strict=True)
    return [
        row
        | {
            "force": force,
            "local_force": local,
            "piece": found.piece,
            "use_percent": 100.0 * found.use,
            "margin_newtons": found.margin,
        }
        for row, force, local, found in given
    ]


def _joints(answer: Equilibrium) -> list[dict[str, Any]]:
    """One dictionary a joint row: its name, value and limits."""
    from dataclasses import asdict

    from .diagnosis import joint_values

    return [asdict(row) for row in joint_values(answer)]


def _data(
    question: Question, answer: Equilibrium, factor: LoadLimit | None, verified: bool, method_name: MethodName
) -> dict[str, Any]:
    scene = question.scene
    return {
        "command": "check",
        "scene": scene.name,
        "load": question.words,
        "wrench": question.wrench,
        "gravity": scene.gravity,
        "method": method_name,
        "status": answer.status.value,
        "holds": answer.holds,
        "proof_verified": verified,
        "residual": answer.residual,
        "load_factor": None if factor is None else factor.value,
        "load_factor_status": None if factor is None else factor.status.value,
        "load_factor_upper_bound": None if factor is None else factor.upper_bound,
        "contacts": _contacts(answer),
        "joints": _joints(answer),
        "separating_motions": answer.separating_wrenches,
        "effort": effort_data(answer.effort),
        "load_factor_effort": None if factor is None else effort_data(factor.effort),
    }


def _show(question: Question, answer: Equilibrium, factor: LoadLimit | None, verified: bool) -> None:
    joints = answer.assembly.joints
    rows = f", {len(joints)} joint rows" if joints is not None else ""
    say(f"{question.scene.name}: {len(answer.assembly)} contacts{rows}", style="bold")
    force, torque = question.wrench[:3], question.wrench[3:]
    say(f"load: {question.words} = ({_triple(force)}) N, ({_triple(torque)}) N m about the origin")
    say(f"verdict: {answer.status.value}", style=f"bold {colour(answer.status.value)}")
    if factor is not None:
        words = load_factor(factor.value)
        if float(factor.upper_bound) - float(factor.value) > tolerances.GAP * max(1.0, abs(factor.value)):
            words += f", at most {load_factor(factor.upper_bound)}"
        say(f"load factor: {words} (multiples of this load that it bears)")
    if answer.forces is not None:
        _show_forces(answer)
    elif answer.certificate is not None:
        say(f"no admissible forces balance the load; the proof has {len(answer.certificate.leaves)} parts")
    say(f"proof verified: {'yes' if verified else 'no'}" + _residual(answer))
    say(f"effort: {_effort(answer.effort)}")


def _effort(effort: Effort) -> str:
    """What an answer cost, in words; what the method does not count is left out."""
    counts = {"node": effort.nodes, "linear program": effort.programs, "pivot": effort.pivots}
    words = [counted(count, word) for word, count in counts.items() if count]
    referee = ", by the reference method in the end" if effort.referee else ""
    return ", ".join([*words, f"{effort.seconds:.2g} s"]) + referee


def _residual(answer: Equilibrium) -> str:
    return "" if answer.forces is None else f"; balance off by {answer.residual:.1e} of the load"


def _triple(values: Any) -> str:
    return ", ".join(number(float(value)) for value in values)


def _show_forces(answer: Equilibrium) -> None:
    from .diagnosis import contact_forces, joint_values

    shown = [
        (
            found.name,
            *(number(float(f)) for f in found.local),
            found.piece,
            number(100.0 * found.use, 3),
            number(found.margin, 3),
        )
        for found in contact_forces(answer)
    ]
    table(
        ["contact", "shear f_x [N]", "lateral f_y [N]", "normal f_z [N]", "piece", "use [%]", "margin [N]"],
        shown,
        title="Forces on the object, in the contact frames (f_z < 0 pulls)",
    )
    joints = [(row.name, bound(row.lower), number(row.value), bound(row.upper)) for row in joint_values(answer)]
    if joints:
        table(["joint row", "least [N m, N]", "value", "largest"], joints, title="Joint rows")


# `holdfast limit`: how much of a load along a direction do the contacts and joints bear?.


def limit(
    scene: SceneArgument,
    direction: Annotated[
        list[str] | None,
        typer.Option(
            "--direction",
            metavar="FX,FY,FZ[,TX,TY,TZ]",
            help="External wrench on the object, torque about the origin; may be repeated.",
        ),
    ] = None,
    load: Annotated[
        list[str] | None,
        typer.Option("--load", metavar="NAME", help="A load of the scene as the direction; may be repeated."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="X,Y,Z", help="Point [m] where the forces of --direction act; the origin by default."
        ),
    ] = None,
    explain: ExplainOption = False,
    json: JsonOption = False,
    plot: PlotOption = None,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """The largest multiple of a load that the contacts and joints of a scene bear, without any weight."""
    from ..scenes import load_scene
    from .diagnosis import diagnose

    scene_ = load_scene(scene)
    asked = _directions(scene_, direction or [], load or [], at)
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit)
    prepare(solver)
    asker = Asker(solver)
    assembly = scene_.with_gravity((0.0, 0.0, 0.0)).assembly
    results, diagnoses = [], []
    for words, wrench in asked:
        answer = asker.load_limit(assembly, wrench)
        results.append(
            {
                "name": words,
                "direction": wrench,
                "status": answer.status.value,
                "value": answer.value,
                "upper_bound": answer.upper_bound,
                "gap": answer.gap,
                "proof_verified": answer.verify(),
                "effort": effort_data(answer.effort),
            }
        )
        if explain:
            diagnoses.append(diagnose(answer))
    if json:
        for result, diagnosis in zip(results, diagnoses, strict=False):
            result["explanation"] = explanation(diagnosis)
        emit({"command": "limit", "scene": scene_.name, "method": method_name, "limits": results})
    else:
        _show_command_limit(scene_.name, results)
        for result, diagnosis in zip(results, diagnoses, strict=False):
            say(f"Why {result['name']}", style="bold")
            show_explanation(diagnosis)
    if plot is not None:
        _draw(scene_.name, results, plot)
    raise typer.Exit(verdict([result["status"] for result in results]))


def _directions(scene: Any, directions: list[str], loads: list[str], at: str | None) -> list[tuple[str, Any]]:
    """(words, wrench (6,)) of each direction asked about."""
    import numpy as np

    asked = []
    point = None if at is None else vector("--at", at, 3)
    for text in directions:
        wrench = vector("--direction", text, 3, 6)
        force = wrench[:3]
        torque = wrench[3:] if len(wrench) == 6 else np.zeros(3)
        if point is not None:
            torque = torque + np.cross(point, force)
        asked.append((text, np.concatenate([force, torque])))
    asked += [(name, scene.load(name)) for name in loads]
    if not asked:
        raise InputError("is missing", where="--direction", fix="give --direction FX,FY,FZ, or --load NAME")
    return asked


def _show_command_limit(name: str, results: list[dict[str, Any]]) -> None:
    say(f"{name}: largest multiple of each load, without weight", style="bold")
    rows = [
        (
            result["name"],
            result["status"],
            number(result["value"], 6),
            number(result["upper_bound"], 6),
            "-" if result["gap"] == float("inf") else f"{result['gap']:.1e}",
            "yes" if result["proof_verified"] else "no",
            f"{result['effort']['seconds']:.2g}",
        )
        for result in results
    ]
    columns = ["load [N, N m]", "status", "limit", "upper bound", "gap", "proof verified", "time [s]"]
    table(columns, rows, statuses=True)


def _draw(name: str, results: list[dict[str, Any]], path: Path) -> None:
    from .. import plotting
    from ..console.pictures import save

    limits = {result["name"]: result["value"] for result in results}
    save(plotting.load_limits({name: limits}, unit="multiples of the load", title=name), path)


# `holdfast sweep`: gravity from all sides of a circle; saved as it goes, resumed where it stopped.

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


def _counted(effort: Effort) -> dict[str, Any]:
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


# `holdfast onset`: the angle at which a scene lets go as it is turned, or how far a load may grow.


def onset(
    scene: SceneArgument,
    plane: Annotated[
        Literal["xz", "yz", "xy"],
        typer.Option("--plane", help="Plane gravity turns in: xz and yz begin at -z, xy at -y."),
    ] = "xz",
    start: Annotated[float, typer.Option("--from", metavar="DEG", help="Angle to begin at.")] = 0.0,
    stop: Annotated[
        float, typer.Option("--to", metavar="DEG", help="Angle to end at; negative turns the other way.")
    ] = 180.0,
    step: Annotated[
        float, typer.Option("--step", metavar="DEG", help="Angle between two tests; a shorter loss may be missed.")
    ] = 2.0,
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="DEG", help="How closely the onset is found.")
    ] = 0.01,
    load: Annotated[
        str | None,
        typer.Option("--load", metavar="NAME", help="Instead of turning, let this load grow on top of the weight."),
    ] = None,
    most: Annotated[
        float | None,
        typer.Option("--most", metavar="S", help="With --load: look no further than S times the load."),
    ] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    method_name: MethodOption = "exact",
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Where a scene first lets go: the angle of slip as gravity turns, or the multiple of a load that grows.

    Exit codes: 0 an onset was found, or it holds throughout; 1 does not hold at the start; 3 undecided.
    """
    from ..scenes import load_scene

    loaded = load_scene(scene)
    solver = method(method_name, time_limit=time_limit, node_limit=node_limit)
    asked = {"command": "onset", "scene": loaded.name, "method": method_name}
    if load is not None:
        if plot is not None:
            raise InputError("is for turning", where="--plot", fix="leave it out with --load")
        found = _ramp(loaded, load, most, solver)
        result = _ramp_data(found)
        if json:
            emit(asked | {"load": load} | result)
        else:
            say(f"{loaded.name}: {load} grows on top of the weight", style="bold")
            _show_ramp(found, result)
        raise typer.Exit(_exit(result["status"]))
    if most is not None:
        raise InputError("is for --load", where="--most", fix="leave it out, or give --load NAME")
    angles = _angles(start, stop, step, tolerance)
    turned = _turn(loaded, plane, *angles, whole=plot is not None, solver=solver)
    result = _onset_data(turned)
    if json:
        emit(asked | {"plane": plane} | result)
    else:
        say(f"{loaded.name}: gravity turned in the {plane} plane", style="bold")
        _show_onset(result)
    if plot is not None:
        _draw_command_onset(turned, plot, loaded.name)
    raise typer.Exit(_exit(result["status"]))


def _angles(start: float, stop: float, step: float, tolerance: float) -> tuple[float, float, float, float]:
    """From, to, step and tolerance [rad], or what is wrong with them."""
    import math

    for name, value in (("--step", step), ("--tolerance", tolerance)):
        if not 0.0 < value < math.inf:
            raise InputError(f"is {value:g}", where=name, fix="give degrees above zero")
    if not (abs(start) <= 360.0 and abs(stop) <= 360.0 and start != stop):
        raise InputError(f"{start:g} to {stop:g} degrees", where="--from, --to", fix="two angles within 360 degrees")
    first, last, width, narrow = (math.radians(value) for value in (start, stop, step, tolerance))
    return first, last, width, narrow


def _turn(
    scene: Scene,
    plane: str,
    start: float,
    stop: float,
    step: float,
    tolerance: float,
    *,
    whole: bool,
    solver: Method,
) -> Onset:
    from .paths import slip_onset, turning

    scene.gravity_load()  # a scene without a mass is told so before anything is compiled
    path = turning(scene, *PLANES[plane])
    prepare(solver)
    return slip_onset(path, start, stop, step=step, tolerance=tolerance, whole=whole, method=solver)


def _ramp(scene: Scene, load: str, most: float | None, solver: Method) -> LoadRamp:
    import numpy as np

    from .strength import load_ramp

    base = np.zeros(6) if scene.mass is None else scene.gravity_load()
    growing = scene.load(load)
    prepare(solver)
    return load_ramp(scene.assembly, base, growing, stop=most, method=solver)


def _proof(answer: Equilibrium | None) -> dict[str, Any] | None:
    return None if answer is None else {"status": answer.status.value, "proof_verified": answer.verify()}


def _onset_data(found: Onset) -> dict[str, Any]:
    import numpy as np

    return {
        "status": found.status.value,
        "onset_deg": float(np.degrees(found.value)),
        "bracket_deg": np.degrees(found.bracket),
        "held": _proof(found.held),
        "failed": _proof(found.failed),
        "proof_verified": found.verify(),
        "step_deg": float(np.degrees(found.step)),
        "tolerance_deg": float(np.degrees(found.tolerance)),
        "tests": found.tests,
        "undecided_before_deg": np.degrees(found.open),
        "undecided_band_deg": None if found.band is None else np.degrees(found.band),
        "scan": [
            {"angle_deg": float(np.degrees(sample.parameter)), "status": sample.status.value} for sample in found.scan
        ],
    }


def _show_onset(result: dict[str, Any]) -> None:
    low, high = (float(angle) for angle in result["bracket_deg"])
    if result["status"] == "slips":
        say(f"slips at {result['onset_deg']:.4g} degrees", style="bold")
    else:
        say(result["status"], style="bold")
    rows = []
    for name, angle in (("held", low), ("failed", high)):
        side = result[name]
        if side is not None:
            rows.append((number(angle, 6), side["status"], "yes" if side["proof_verified"] else "no"))
    if rows:
        table(["angle [deg]", "verdict", "proof verified"], rows, statuses=True)
    step = f"{result['step_deg']:.3g}"
    say(f"{counted(result['tests'], 'test')}; a loss and a recovery within one step of {step} degrees are not seen")
    for angle in result["undecided_before_deg"]:
        say(f"undecided at {angle:.4g} degrees: it may have let go there already", style="yellow")
    if result["undecided_band_deg"] is not None:
        first, last = result["undecided_band_deg"]
        say(f"undecided from {first:.6g} to {last:.6g} degrees", style="yellow")


def _ramp_data(found: LoadRamp) -> dict[str, Any]:
    return {
        "status": found.status.value,
        "value": found.value,
        "upper_bound": found.upper_bound,
        "is_convex": found.is_convex,
        "largest": found.largest.value,
        "largest_upper_bound": found.largest.upper_bound,
        "base": _proof(found.at_base),
        "proof_verified": found.verify(),
    }


def _show_ramp(found: LoadRamp, result: dict[str, Any]) -> None:
    say(result["status"], style="bold")
    columns = ["holds up to", "not from", "largest that holds", "proof verified"]
    verified = "yes" if result["proof_verified"] else "no"
    row = [number(result[name], 6) for name in ("value", "upper_bound", "largest")]
    table(columns, [(*row, verified)])
    if not found.is_convex and found.onset is not None:
        say(f"volumes are unions: scanned by steps of {found.onset.step:.3g}; a narrower gap is not seen")


def _exit(status: str) -> Exit:
    if status.startswith("does not hold"):
        return Exit.DOES_NOT_HOLD
    return Exit.UNDECIDED if status == "undecided" else Exit.HOLDS


def _draw_command_onset(found: Onset, path: Path, name: str) -> None:
    import numpy as np

    from .. import plotting
    from ..console.pictures import save

    turn = found.parameters % (2.0 * np.pi)
    _, first = np.unique(np.round(turn, 12), return_index=True)
    statuses = [found.statuses[i] for i in first]
    title = f"{name}: {found.status.value}"
    if found.status.value == "slips":
        title = f"{name}: slips at {np.degrees(found.value):.4g}°"
    save(plotting.gravity_polar(turn[first], statuses, title=title), path)
