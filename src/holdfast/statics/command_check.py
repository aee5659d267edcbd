"""`holdfast check`: does it hold, with which forces, and how much of the load would it bear?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from .. import tolerances
from ..console.compiling import prepare
from ..console.options import (
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
    method,
    verdict,
)
from ..console.output import bound, colour, counted, emit, load_factor, number, say, table
from .command_explain import explanation, show_explanation
from .command_questions import Question, ask, effort_data

if TYPE_CHECKING:
    from ..solvers import SolverStats
    from .equilibrium import Equilibrium, LoadLimit


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
    from .diagnosis.forces import contact_forces

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

    from .diagnosis.forces import joint_values

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


def _effort(effort: SolverStats) -> str:
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
    from .diagnosis.forces import contact_forces, joint_values

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
