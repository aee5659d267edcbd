"""`holdfast check`, `limit`, `sweep` and `onset`: does a scene hold, how much, and when does it slip?"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .. import tolerances
from ..compiling import clock
from ..console.options import (
    ClusterOption,
    Exit,
    ExplainOption,
    Gap,
    LoadCase,
    MethodOption,
    NodeLimit,
    TimeLimit,
    WorkersOption,
    method,
    vector,
    verdict,
)
from ..console.output import bound, counted, load_factor, note, number, progress
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, Line, TableBlock, heading, present, triple, warning_lines, yes_no
from ..errors import InputError, JournalWarning
from ..results import flat

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly
    from ..checks import Array
    from ..scenes import Scene
    from ..sharing import LoadSharing
    from ..solvers import SolverStats
    from .diagnosis import Diagnosis
    from .holding import Equilibrium, LoadLimit, Method
    from .paths import GravitySweep, Onset
    from .strength import LoadRamp

#: Most rows of a table of an explanation; the rest is counted.
MOST_ROWS = 12

#: Most bodies for which the forces of single contacts are printed.
MOST_BODIES = 4

MOST_DIRECTIONS = 100_000

PlaneName = Literal["xz", "yz", "xy"]

#: First direction of gravity and the one after a quarter turn, by plane.
PLANES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "xz": ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
    "yz": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "xy": ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0)),
}


#: The word for all bodies in --weight.
EVERY_BODY = "all"

WeightOption = Annotated[
    list[str] | None,
    typer.Option(
        "--weight", metavar="BODY", help="The weight of this body; if repeated, the sum; all: the weight of all bodies."
    ),
]

BodyOption = Annotated[
    str | None,
    typer.Option("--body", metavar="NAME", help="Body that --direction acts on, in a scene with several bodies."),
]

AtOption = Annotated[
    str | None,
    typer.Option("--at", metavar="X,Y,Z", help="Point [m] where the forces of --direction act; the origin by default."),
]


@with_groups
def check(
    question: SceneQuestion,
    output: Output,
    explain: ExplainOption = False,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Test whether a scene holds under its weight and loads: verdict, load factor, contact forces, proof."""
    from ..sharing.description import sharing_data
    from .diagnosis import diagnose
    from .holding import equilibrium, load_limit, stats_data

    case = question.case()
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit, floor=1.0)
    assembly = case.scene.assembly
    answer = equilibrium(assembly, case.wrench, method=solver).even()
    factor = load_limit(assembly, case.wrench, method=solver) if case.wrench.any() else None
    diagnosis = diagnose(answer, limit=factor) if explain else None
    shared = _shared(assembly, factor) if explain and factor is not None and not assembly.bodies else None
    found = answer.to_dict() | {
        "load_factor": None if factor is None else factor.value,
        "load_factor_status": None if factor is None else factor.status.value,
        "load_factor_upper_bound": None if factor is None else factor.upper_bound,
        "load_factor_effort": None if factor is None else stats_data(factor.effort),
        "largest_use": _largest_use(answer),
        "warnings": [str(warning) for warning in (*case.scene.warnings, case.scene.wall_note) if str(warning)],
        **modelling(case.scene),
    }
    if diagnosis is not None:
        found["explanation"] = diagnosis.to_dict()
    if shared is not None:
        found["load_sharing"] = sharing_data(shared)
    present(
        "check",
        found,
        sheet=check_sheet(
            case, answer, factor, diagnosis, shared, verified=found["proof_verified"], effort=_effort(answer.effort)
        ),
        **output.targets,
        rows=answer.rows,
        metadata={
            "scene": case.scene.name,
            "load": case.description,
            "wrench": case.wrench,
            "gravity": case.scene.gravity,
            "method": method_name,
        },
        picture=lambda: _check_picture(case, answer, diagnosis),
        code=verdict([answer.status.value]),
    )


def _shared(assembly: Assembly, limit: LoadLimit) -> LoadSharing | str:
    """How the contacts share the load of a limit by their stiffness, or why that is unknown."""
    from ..sharing.description import sharing_or_reason

    return sharing_or_reason(assembly, limit.direction, limit=limit)


def _check_picture(case: LoadCase, answer: Equilibrium, diagnosis: Diagnosis | None) -> Any:
    if diagnosis is not None and diagnosis.contacts:
        from .plots import interface_utilisation, utilisation

        return interface_utilisation(diagnosis) if diagnosis.interfaces else utilisation(diagnosis)
    from ..assembly.plots import assembly

    return assembly(case.scene, result=answer)


def check_sheet(
    case: LoadCase,
    answer: Equilibrium,
    factor: LoadLimit | None,
    diagnosis: Diagnosis | None,
    shared: LoadSharing | str | None,
    *,
    verified: bool,
    effort: str = "",
) -> Iterator[Block]:
    """Verdict, load factor, forces or certificate, notes, and with a diagnosis what limits the load."""
    from ..sharing.description import sharing_line
    from .diagnosis import multiple

    joints = answer.assembly.mechanism
    rows = f", {len(joints)} joint rows" if joints is not None else ""
    bodies = answer.assembly.bodies
    several = f"{len(bodies)} bodies, " if bodies else ""
    yield heading(f"{case.scene.name}: {several}{counted(len(answer.assembly), 'contact')}{rows}")
    if bodies:
        yield f"load: {case.description}"
        yield from _load_table(bodies, case.wrench)
    else:
        force, torque = case.wrench[:3], case.wrench[3:]
        yield f"load: {case.description} = ({triple(force)}) N, ({triple(torque)}) N m about the origin"
    yield heading(f"verdict: {answer.status.value}{_walls_words(case.scene)}", answer.status.value)
    if factor is not None:
        text = multiple(factor.value, answer) if 0.5 < factor.value < 2.0 else load_factor(factor.value)
        if float(factor.upper_bound) - float(factor.value) > tolerances.GAP * max(1.0, abs(factor.value)):
            text += f", at most {load_factor(factor.upper_bound)}"
        yield f"load factor: {text} (largest multiple of this load that holds)"
    yield from _use_line(answer, factor)
    if answer.forces is not None:
        yield from _force_tables(answer)
    elif answer.certificate is not None:
        parts = counted(len(answer.certificate.leaves), "part")
        yield f"no admissible forces balance the load; the proof has {parts}"
    yield from polygon_lines(answer.assembly)
    residual = "" if answer.forces is None else f"; balance error {answer.residual:.1e} of the load"
    yield f"proof verified: {yes_no(verified)}{residual}"
    if effort:
        yield f"effort: {effort}"
    yield from (*warning_lines(case.scene.warnings), *model_lines(case.scene))
    if diagnosis is not None:
        yield heading("Why")
        yield from explanation(diagnosis)
    if shared is not None:
        yield sharing_line(shared)


def _largest_use(answer: Equilibrium) -> dict[str, Any] | None:
    """The most used contact, and the multiple of the load at which the first one fails if all forces grow alike."""
    if answer.forces is None:
        return None
    most = max(answer.contact_forces, key=lambda contact: contact.use)
    forces = zip(answer.assembly.contacts, answer.contact_forces, strict=True)
    first = min((float(contact.volume.radial(c.local)) for contact, c in forces if c.local.any()), default=math.inf)
    return {"contact": most.name, "use": most.use, "first_failure": max(first, 1.0)}


def _use_line(answer: Equilibrium, factor: LoadLimit | None) -> Iterator[Block]:
    """The largest use beside the load factor, in the same words."""
    most = _largest_use(answer)
    if most is None or factor is None or not most["use"]:
        return
    text = f"largest use: {number(100.0 * most['use'], 3)} % ({most['contact']}), under the forces shown"
    if math.isfinite(most["first_failure"]):
        text += f"; if these grow in proportion, the first contact fails at {number(most['first_failure'])} times the"
        text += " load; the load factor is larger where others can take over"
    yield text


def polygon_lines(assembly: Assembly) -> list[str]:
    """A line on the error of polygons in place of round limits, where there are any that matter."""
    from .paths import polygon_error

    error = polygon_error(assembly)
    return [] if error is None else [str(error)]


def _uncurved(assembly: Assembly, found: Onset | LoadRamp) -> list[str]:
    """The line on polygons where the answer has none with the round limits."""
    return [] if found.curved is not None else polygon_lines(assembly)


def modelling(scene: Scene) -> dict[str, Any]:
    """What the model leaves out, as plain data: walls without friction, free pressure, facets of round limits."""
    from .paths import polygon_error

    error = polygon_error(scene.assembly)
    return {
        "walls_without_friction": scene.smooth_walls,
        "free_pads": scene.free_pads,
        "polygons": None if error is None else error.to_dict(),
    }


def _walls_words(scene: Scene) -> str:
    """What a headline adds where walls have no friction."""
    count = len(scene.smooth_walls)
    return f", without friction at {counted(count, 'wall')} that nothing squeezes" if count else ""


def model_lines(scene: Scene) -> list[Line | str]:
    """The note on pads of free pressure, and the warning about walls without friction."""
    return [*filter(None, [scene.pad_note]), *warning_lines(filter(None, [scene.wall_note]))]


def _load_table(bodies: tuple[str, ...], load: Array) -> Iterator[Block]:
    """The wrench on each body."""
    load = _without_rounding(load)
    rows = [(name, triple(w[:3]), triple(w[3:])) for name, w in zip(bodies, load.reshape(-1, 6), strict=True)]
    yield from _first_rows(["body", "force [N]", "torque about the origin [N m]"], rows, "Loads")


def _without_rounding(values: Array) -> Array:
    """The values, with zero for those at rounding level of the largest."""
    import numpy as np

    return np.where(np.abs(values) > tolerances.ROUNDING * np.abs(values).max(initial=0.0), values, 0.0)


def _interface_table(answer: Equilibrium) -> Iterator[Block]:
    """The force of each interface of several bodies."""
    use = [c.use for c in answer.contact_forces]
    rows = [
        (
            side.name,
            len(side.contacts),
            triple(_without_rounding(answer.interface_wrenches[side.name][:3])),
            number(100.0 * max(use[i] for i in side.contacts), 3),
        )
        for side in answer.assembly.interfaces
    ]
    yield from _first_rows(
        ["interface", "contacts", "force on the first body [N]", "largest use [%]"], rows, "Forces between the bodies"
    )


def _force_tables(answer: Equilibrium) -> Iterator[Block]:
    yield from _interface_table(answer)
    if len(answer.assembly.bodies) > MOST_BODIES:
        yield f"forces of the {len(answer.assembly)} contacts: --json"
        return
    yield TableBlock(
        ["contact", "shear f_x [N]", "lateral f_y [N]", "normal f_z [N]", "piece", "use [%]", "margin [N]"],
        [
            (c.name, *map(number, map(float, c.local)), c.piece, number(100.0 * c.use, 3), number(c.margin, 3))
            for c in answer.contact_forces
        ],
        title=f"Forces on the {'first body' if answer.assembly.bodies else 'object'}, in the contact frames "
        "(f_z < 0 pulls)",
    )
    if answer.forces_unique is False:
        from .holding import OTHER_FORCES

        yield OTHER_FORCES
    yield from joint_table(answer.assembly, answer.forces)


def joint_table(assembly: Assembly, forces: Array | None) -> Iterator[Block]:
    """Values and bounds of the joint rows under world forces (k, 3); nothing where there are none."""
    from .diagnosis import joint_values

    values = joint_values(assembly, forces)
    if values:
        rows = [(row.name, bound(row.lower), number(row.value), bound(row.upper)) for row in values]
        yield TableBlock(["joint row", "least [N m, N]", "value", "largest"], rows, title="Joint rows")


def _effort(effort: SolverStats) -> str:
    """The effort of an answer, without what the method does not count."""
    counts = {"node": effort.nodes, "linear program": effort.programs, "pivot": effort.pivots}
    parts = [counted(count, name) for name, count in counts.items() if count]
    referee = ", decided by the reference method" if effort.referee else ""
    return ", ".join([*parts, f"{effort.seconds:.2g} s"]) + referee


def explanation(diagnosis: Diagnosis) -> Iterator[Block]:
    """The sentences of a diagnosis, and the contacts and joint rows at their limit with their prices."""
    from .diagnosis import action, gain_text

    yield from (f"- {sentence}" for sentence in diagnosis.sentences)
    yield ""
    rows: list[tuple[Any, ...]] = [(i.name, i.relative_motion) for i in diagnosis.interfaces if i.gives_way]
    yield from _first_rows(["interface", "its first body relative to the other side"], rows, "Interfaces that give way")
    if not diagnosis.has_prices:
        return
    rows = [
        (c.name or str(c.index), action(c), f"{100.0 * c.utilisation:.0f}", gain_text(diagnosis, c))
        for c in diagnosis.limiting
    ]
    yield from _first_rows(["contact", "force", "use [%]", "1 % more strength adds"], rows, "Contacts at their limit")
    rows = [
        (
            f"{j.name or j.index} [{j.unit}]",
            bound(j.lower),
            number(j.value),
            bound(j.upper),
            gain_text(diagnosis, j, "lower"),
            gain_text(diagnosis, j, "upper"),
        )
        for j in diagnosis.joints_at_limit
    ]
    yield from _first_rows(
        ["joint row", "least", "value", "largest", "lower adds", "higher adds"], rows, "Joint rows at a bound"
    )


def _first_rows(columns: list[str], rows: list[tuple[Any, ...]], title: str) -> Iterator[Block]:
    if rows:
        yield TableBlock(columns, rows[:MOST_ROWS], title=title)
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} more"


@with_groups
def limit(
    question: SceneQuestion,
    output: Output,
    direction: Annotated[
        list[str] | None,
        typer.Option(
            "--direction",
            metavar="FX,FY,FZ[,TX,TY,TZ]",
            help="External wrench on the object, torque about the origin; may be repeated.",
        ),
    ] = None,
    weight: WeightOption = None,
    body: BodyOption = None,
    at: AtOption = None,
    explain: ExplainOption = False,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """The largest multiple of a load that the contacts and joints of a scene hold while nothing else acts.

    Each --direction, --load and --wrench is a separate load, and no weight is added to it. Without any of them the
    load is the weight, under --gravity. For a load that grows while the weight acts: holdfast onset --load.
    """
    from ..sharing.description import sharing_data
    from .diagnosis import diagnose
    from .solver import WarmSolver

    scene_ = question.scene_alone()
    asked = _directions(scene_, question, direction or [], weight or [], body, at)
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit)
    warm = WarmSolver(solver)
    assembly = scene_.with_gravity((0.0, 0.0, 0.0)).assembly
    answers = [warm.load_limit(assembly, wrench) for _, wrench in asked]
    diagnoses = [diagnose(answer) for answer in answers] if explain else []
    limits: list[dict[str, Any]] = [
        {"name": name, "direction": wrench} | answer.to_dict() | {"curved": answer.curved}
        for (name, wrench), answer in zip(asked, answers, strict=True)
    ]
    shared = [_shared(assembly, answer) for answer in answers] if explain and not assembly.bodies else []
    for found, diagnosis in zip(limits, diagnoses, strict=False):
        found["explanation"] = diagnosis.to_dict()
    for found, sharing in zip(limits, shared, strict=False):
        found["load_sharing"] = sharing_data(sharing)

    def picture() -> Any:
        from .plots import load_limits

        values = {found["name"]: found["value"] for found in limits}
        return load_limits({scene_.name: values}, unit="multiples of the load", title=scene_.name)

    present(
        "limit",
        {"limits": limits} | modelling(scene_),
        sheet=[*_limit_sheet(scene_.name, limits, diagnoses, answers, shared), *model_lines(scene_)],
        **output.targets,
        rows=lambda: [
            {"load": name} | {key: found[key] for key in ("status", "value", "upper_bound", "gap", "proof_verified")}
            for (name, _), found in zip(asked, limits, strict=True)
        ],
        metadata={"scene": scene_.name, "method": method_name},
        picture=picture,
        code=verdict([found["status"] for found in limits]),
    )


def directed_wrench(text: str, at: str | None) -> Array:
    """(6,) the wrench of --direction, force or force and torque; the force acts at --at, by default the origin."""
    import numpy as np

    wrench = vector("--direction", text, 3, 6)
    point = np.zeros(3) if at is None else vector("--at", at, 3)
    torque = wrench[3:] if len(wrench) == 6 else np.zeros(3)
    return np.concatenate([wrench[:3], torque + np.cross(point, wrench[:3])])


def on_body(scene: Scene, wrench: Array, body: str | None) -> Array:
    """(6 n,) a wrench (6,) on the object, or on one of several bodies."""
    if scene.bodies and body is None:
        fix = f"name which of the {len(scene.bodies)} bodies it acts on: --body {scene.bodies[0].name}"
        raise InputError("is missing", where="--body", fix=fix)
    if not scene.bodies and body is not None:
        raise InputError("the scene has one object", where="--body", fix="leave it out")
    return wrench if body is None else scene.assembly.stacked({scene.body(body).name: wrench})


def _weights(scene: Scene, names: list[str]) -> tuple[str, Array]:
    """(name, load (6 n,)) of the weight of some bodies; "all" for every one."""
    if names == [EVERY_BODY] or not scene.bodies:
        if names != [EVERY_BODY]:
            fix = f"the scene has one object: --weight {EVERY_BODY}"
            raise InputError(f"names the body {names[0]!r}", where="--weight", fix=fix)
        return "weight", scene.gravity_load()
    return f"weight of {', '.join(names)}", scene.gravity_load(bodies=names)


def _directions(
    scene: Scene, question: SceneQuestion, directions: list[str], weights: list[str], body: str | None, at: str | None
) -> list[tuple[str, Array]]:
    """(name, load (6 n,)) of each direction asked about; the weight where none is."""
    asked = [(text, on_body(scene, directed_wrench(text, at), body)) for text in directions]
    asked += [(name, scene.load(name)) for name in question.loads]
    if question.wrench is not None:
        asked.append((question.wrench, on_body(scene, vector("--wrench", question.wrench, 6), body)))
    asked += [_weights(scene, weights)] if weights else []
    if not asked and (question.no_weight or scene.mass is None or not scene.gravity.any()):
        fix = "give --direction FX,FY,FZ, --load NAME or --wrench"
        raise InputError("is missing, and the scene has no weight", where="--direction", fix=fix)
    return asked or [_weights(scene, [EVERY_BODY])]


def _limit_sheet(
    name: str,
    limits: list[dict[str, Any]],
    diagnoses: list[Diagnosis],
    answers: list[LoadLimit],
    shared: list[LoadSharing | str],
) -> Iterator[Block]:
    from ..sharing.description import sharing_line
    from ..solvers.certificates import least_factor

    none = [max(abs(a.value), abs(a.upper_bound)) <= 10.0 * least_factor(a.problem) for a in answers]
    loads = "the weight" if [found["name"] for found in limits] == ["weight"] else "each load, without weight"
    yield heading(f"{name}: largest multiple of {loads}")
    yield TableBlock(
        ["load [N, N m]", "status", "limit", "upper bound", "gap", "proof verified", "time [s]"],
        [
            (
                found["name"],
                found["status"],
                "0" if nothing else number(found["value"], 6),
                "0" if nothing else number(found["upper_bound"], 6),
                "-" if nothing or found["gap"] == math.inf else f"{found['gap']:.1e}",
                yes_no(found["proof_verified"]),
                f"{found['effort']['seconds']:.2g}",
            )
            for found, nothing in zip(limits, none, strict=True)
        ],
    )
    for found, nothing in zip(limits, none, strict=True):
        if found["curved"] is not None and not nothing:
            low, high = (number(value, 6) for value in found["curved"])
            yield f"{found['name']}: with curved limits instead of polygons between {low} and {high}"
    for found, diagnosis, sharing in itertools.zip_longest(limits[: len(diagnoses)], diagnoses, shared):
        yield heading(f"What limits {found['name']}")
        yield from explanation(diagnosis)
        if sharing is not None:
            yield sharing_line(sharing)


@with_groups
def sweep(
    question: SceneQuestion,
    output: Output,
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of directions on the circle.")] = 72,
    plane: Annotated[
        PlaneName, typer.Option("--plane", help="Plane of the circle: xz and yz begin at -z, xy at -y.")
    ] = "xz",
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Journal: results are saved while running; an interrupted sweep resumes from it.",
        ),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Compute verdicts only, no load factors: about twice as fast.")
    ] = False,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    method_name: MethodOption = "exact",
    gap: Gap = None,
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Verdict and load factor of a scene for gravity directions around a circle.

    Loads of --load act in addition to the weight and do not turn. Of --gravity only the magnitude is used.
    """
    import numpy as np

    fix = "for a constant load use holdfast check --wrench; for a load in addition to the weight --load NAME"
    question.refuse("sweep turns the weight", fix, "wrench", "no_weight")
    question.refuse("sweep turns gravity itself", "leave it out; --plane chooses the circle", "tilt")
    loaded = question.scene_alone()
    extra = np.sum([loaded.load(name) for name in question.loads], axis=0) if question.loads else None
    solver = method(method_name, gap=gap, time_limit=time_limit, node_limit=node_limit, floor=1.0)
    began = clock()
    try:
        found = circle_sweep(
            loaded,
            n,
            plane,
            solver,
            factors=not verdicts,
            load=extra,
            journal=save,
            workers=workers,
            cluster=cluster,
        )
    except KeyboardInterrupt:
        if save is None:
            note("interrupted; nothing was saved (--save FILE keeps results)")
        else:
            note(f"interrupted; results so far are in {save}: run the same command again to continue")
        raise typer.Exit(Exit.INTERRUPTED) from None
    results = with_angles(found)

    def picture() -> Any:
        from .plots import sweep_polar

        return sweep_polar(found, title=loaded.name)

    present(
        "sweep",
        found.to_dict() | {"results": results, "seconds": clock() - began} | modelling(loaded),
        sheet=[
            heading(f"{loaded.name}: {_turning('gravity directions in', question, plane)}"),
            *sweep_sheet(found),
            *polygon_lines(loaded.assembly),
            *model_lines(loaded),
        ],
        **output.targets,
        rows=lambda: [flat(row) for row in results],
        metadata={"scene": loaded.name, "method": method_name, "plane": plane, "n": n, "loads": question.loads},
        picture=picture,
        code=verdict([result["status"] for result in results]),
    )


def _turning(how: str, question: SceneQuestion, plane: PlaneName) -> str:
    """What turns, and which loads stay constant."""
    extra = f", with {' + '.join(question.loads)}" if question.loads else ""
    return f"{how} the {plane} plane{extra}"


def circle_sweep(
    scene: Scene,
    n: int,
    plane: PlaneName,
    solver: Method,
    *,
    factors: bool = True,
    journal: Path | None = None,
    **where: Any,
) -> GravitySweep:
    """Verdicts and load factors with gravity along `n` directions of a circle; with progress and notes on damage."""
    from ..assembly.loads import circle_directions
    from .paths import gravity_sweep

    if not 1 <= n <= MOST_DIRECTIONS:
        raise InputError(f"is {n}", where="--n", fix=f"give a whole number from 1 to {MOST_DIRECTIONS}")
    scene.gravity_load()  # a scene without a mass is reported before the sweep begins
    directions = circle_directions(n, *PLANES[plane])
    with notes_of_damage(), progress(f"{scene.name}, {n} directions") as report:
        return gravity_sweep(
            scene, directions, factors=factors, method=solver, journal=journal, progress=report, **where
        )


def with_angles(found: GravitySweep) -> list[dict[str, Any]]:
    """The results of a sweep around a circle, each with its angle [deg] from the first direction."""
    return [{"angle_deg": 360.0 * i / len(found), **result} for i, result in enumerate(found.results)]


@contextmanager
def notes_of_damage() -> Iterator[None]:
    """Report damage to a journal as a note on standard error; other warnings are not changed."""
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


def sweep_sheet(found: GravitySweep) -> Iterable[Block]:
    """The table of a sweep around a circle, and the count below it."""
    rows = [
        (
            number(result["angle_deg"]),
            *(number(round(g, 9), 3) for g in result["gravity"]),
            result["status"],
            load_factor(None if result["load_factor"] is None else float(result["load_factor"])),
        )
        for result in with_angles(found)
    ]
    yield TableBlock(["angle [deg]", "g_x [m/s^2]", "g_y [m/s^2]", "g_z [m/s^2]", "verdict", "load factor"], rows)
    total = found.to_dict()
    unsure = f", {total['undecided']} undecided" if total["undecided"] else ""
    yield heading(f"holds in {total['holding']} of {len(found)} directions{unsure}")


@with_groups
def onset(
    question: SceneQuestion,
    output: Output,
    plane: Annotated[
        PlaneName, typer.Option("--plane", help="Plane gravity turns in: xz and yz begin at -z, xy at -y.")
    ] = "xz",
    start: Annotated[float, typer.Option("--from", metavar="DEG", help="Angle to begin at.")] = 0.0,
    stop: Annotated[
        float, typer.Option("--to", metavar="DEG", help="Angle to end at; negative turns the other way.")
    ] = 180.0,
    step: Annotated[
        float,
        typer.Option("--step", metavar="DEG", help="Angle between two tests; a shorter loss of holding may be missed."),
    ] = 2.0,
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="DEG", help="Accuracy of the onset angle.")] = 0.01,
    weight: WeightOption = None,
    most: Annotated[
        float | None,
        typer.Option("--most", metavar="S", help="With a load that grows: stop at S times the load."),
    ] = None,
    method_name: MethodOption = "exact",
    time_limit: TimeLimit = None,
    node_limit: NodeLimit = None,
) -> None:
    """Where a scene first fails to hold: the slip angle as gravity turns, or the multiple of a growing load.

    The angles after the first loss are tested too: the angle at which it holds again is printed, where there is one.
    With --load, --wrench or --weight gravity does not turn: this load grows in addition to the weight (with --no-weight
    alone). A wrench grows alone. Exit codes: 0 an onset was found, or it holds throughout; 1 does not hold at the
    start; 3 undecided.
    """
    loaded = question.scene_alone()
    solver = method(method_name, time_limit=time_limit, node_limit=node_limit)
    metadata = {"scene": loaded.name, "method": method_name}
    if question.loads or question.wrench is not None or weight:
        if output.plot is not None:
            fix = "leave it out with --load, --wrench and --weight"
            raise InputError("applies only when gravity turns", where="--plot", fix=fix)
        grows, base, ramp = _ramp(loaded, question, weight or [], most, solver)
        title = heading(f"{loaded.name}: {grows} grows in addition to {base}")
        present(
            "onset",
            ramp.to_dict() | modelling(loaded),
            sheet=[title, *_ramp_sheet(ramp), *_uncurved(loaded.assembly, ramp), *model_lines(loaded)],
            **output.targets,
            metadata=metadata | {"load": grows},
            code=_exit(ramp.status.value),
        )
    if most is not None:
        raise InputError("is for --load and --weight", where="--most", fix="leave it out, or give --load NAME")
    question.refuse("gravity turns, and only the weight acts", "also give --load NAME or --wrench", "no_weight")
    question.refuse("gravity turns from --from to --to", "leave it out; --plane and --from set the first angle", "tilt")
    found = _turn(loaded, plane, _angles(start, stop, step, tolerance), solver=solver)
    data = _in_degrees(found) | modelling(loaded)
    title = heading(f"{loaded.name}: gravity turned in the {plane} plane")
    present(
        "onset",
        data,
        sheet=[title, *_onset_sheet(data, found), *_uncurved(loaded.assembly, found), *model_lines(loaded)],
        **output.targets,
        rows=lambda: data["scan"],
        metadata=metadata | {"plane": plane},
        picture=lambda: _onset_picture(found, loaded.name),
        code=_exit(found.status.value),
    )


def _angles(start: float, stop: float, step: float, tolerance: float) -> tuple[float, ...]:
    """From, to, step and tolerance [rad], checked."""
    for name, value in (("--step", step), ("--tolerance", tolerance)):
        if not 0.0 < value < math.inf:
            raise InputError(f"is {value:g}", where=name, fix="give degrees above zero")
    if not (abs(start) <= 360.0 and abs(stop) <= 360.0 and start != stop):
        raise InputError(f"{start:g} to {stop:g} degrees", where="--from, --to", fix="two angles within 360 degrees")
    return tuple(math.radians(value) for value in (start, stop, step, tolerance))


def _turn(scene: Scene, plane: PlaneName, angles: tuple[float, ...], *, solver: Method) -> Onset:
    from .paths import rotating_gravity, slip_onset

    scene.gravity_load()  # a scene without a mass is reported before anything is compiled
    path = rotating_gravity(scene, *PLANES[plane])
    start, stop, step, tolerance = angles
    return slip_onset(path, start, stop, step=step, tolerance=tolerance, whole=True, method=solver)


def _ramp(
    scene: Scene, question: SceneQuestion, weights: list[str], most: float | None, solver: Method
) -> tuple[str, str, LoadRamp]:
    """(what grows, what stays, the ramp): loads and the weights of some bodies, while the other weights stay."""
    import numpy as np

    from ..console.options import load_case
    from .strength import load_ramp

    acts = scene.mass is not None and not question.no_weight and question.wrench is None
    base = scene.gravity_load() if acts else np.zeros(6 * scene.assembly.body_count)
    parts = []
    if question.loads or question.wrench is not None:
        grows = load_case(scene, loads=question.loads, wrench=question.wrench, weight=False)
        parts.append((grows.description, grows.wrench))
    if weights:
        parts.append(_weights(scene, weights))
        base = base - parts[-1][1] if acts else base
    growing = np.sum([part for _, part in parts], axis=0)
    found = load_ramp(scene.assembly, base, growing, stop=most, method=solver)
    stays = f"the {'rest of the ' if weights else ''}weight" if acts else "nothing"
    return " + ".join(name for name, _ in parts), stays, found


def _in_degrees(found: Onset) -> dict[str, Any]:
    """An onset as plain data, with angles in degrees and names that end in _deg."""
    import numpy as np

    data = found.to_dict()
    for name in ("onset", "recovery", "bracket", "step", "tolerance", "undecided_before", "undecided_band"):
        value = data.pop(name)
        data[f"{name}_deg"] = None if value is None else np.degrees(value)
    if data["curved"] is not None:
        for name in ("bracket", "given"):
            data["curved"][f"{name}_deg"] = np.degrees(data["curved"].pop(name))
    for change in data["later_changes"]:
        change["bracket_deg"] = np.degrees(change.pop("bracket"))
    data["scan"] = [{"angle_deg": math.degrees(s["parameter"]), "status": s["status"]} for s in data["scan"]]
    return data


def _onset_sheet(data: dict[str, Any], found: Onset) -> Iterator[Block]:
    yield heading(found.in_words("degrees", math.degrees(1.0)))
    if data["curved"] is not None:
        yield from _curved_lines(data["curved"], data["tolerance_deg"])
    rows = [
        (number(float(angle), 6), data[name]["status"], yes_no(data[name]["proof_verified"]))
        for name, angle in zip(("held", "failed"), data["bracket_deg"], strict=True)
        if data[name] is not None
    ]
    rows += [
        (number(math.degrees(sample.parameter), 6), sample.status.value, yes_no(sample.answer.verify()))
        for change in found.later
        for sample in (change.before, change.after)
    ]
    if rows:
        yield TableBlock(["angle [deg]", "verdict", "proof verified"], rows)
    tests, step = counted(data["tests"], "test"), f"{data['step_deg']:.3g}"
    yield f"{tests}; a loss and recovery of holding between two tests ({step} degrees apart) is not detected"
    for angle in data["undecided_before_deg"]:
        yield Line(f"undecided at {angle:.4g} degrees: it may already fail there", "yellow")
    if data["undecided_band_deg"] is not None:
        first, last = data["undecided_band_deg"]
        yield Line(f"undecided from {first:.6g} to {last:.6g} degrees", "yellow")


def _curved_lines(curved: dict[str, Any], tolerance: float) -> Iterator[Block]:
    """The effect of polygons instead of curved limits."""
    (low, high), given = curved["bracket_deg"], curved["given_deg"]
    polygons = f"polygons of {curved['given_facets']} facets instead of curved limits (round friction cones)"
    if abs(given[1] - given[0]) <= tolerance:
        yield f"{polygons} change this by no more than {number(abs(given[1] - given[0]), 2)} degrees"
        return
    where = f"not before {low:.6g}" if math.isinf(high) else f"between {low:.6g} and {high:.6g}"
    yield f"this is for {polygons}"
    yield heading(f"with the curved limits it slips {where} degrees (polygons of {curved['facets']} facets)")
    if abs(high - low) > tolerance:
        yield Line(
            f"that is wider than the tolerance of {number(tolerance)} degrees: models allow no more facets", "yellow"
        )


def _ramp_sheet(found: LoadRamp) -> Iterator[Block]:
    from .paths import polygon_facets

    yield heading(found.status.value)
    row = (found.value, found.upper_bound, found.largest.value)
    columns = ["holds up to", "does not hold from", "largest that holds", "proof verified"]
    yield TableBlock(columns, [(*(number(value, 6) for value in row), yes_no(found.verify()))])
    if found.curved is not None and found.curved[1] - found.curved[0] < math.inf:
        facets = polygon_facets(found.at_base.assembly)
        yield f"this is for polygons of {facets} facets instead of curved limits (round friction cones)"
        low, high = (number(value, 6) for value in found.curved)
        yield heading(f"with the curved limits it fails between {low} and {high}")
    if found.holds_again:
        begins = found.status.value.startswith("does not hold")
        where = "it holds when the load has grown" if begins else "it holds again beyond the first loss"
        yield f"{where}: the largest multiple that holds is {number(found.largest.value, 6)}"
    if not found.is_convex and found.onset is not None:
        yield f"volumes are unions: scanned by steps of {found.onset.step:.3g}; a narrower gap is not detected"


def _exit(status: str) -> Exit:
    if status.startswith("does not hold"):
        return Exit.DOES_NOT_HOLD
    return Exit.UNDECIDED if status == "undecided" else Exit.HOLDS


def _onset_picture(found: Onset, name: str) -> Any:
    import numpy as np

    from . import plots

    turn = found.parameters % (2.0 * np.pi)
    _, first = np.unique(np.round(turn, 12), return_index=True)
    slips = found.status.value == "slips"
    title = f"{name}: slips at {np.degrees(found.value):.4g}°" if slips else f"{name}: {found.status.value}"
    return plots.gravity_polar(turn[first], [found.statuses[i] for i in first], title=title)
