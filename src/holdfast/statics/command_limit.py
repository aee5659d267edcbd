"""`holdfast limit`: how much of a load along a direction do the contacts and joints bear?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.output import prepare
from ..console.options import (
    ExplainOption,
    Gap,
    JsonOption,
    MethodOption,
    NodeLimit,
    PlotOption,
    SceneArgument,
    TimeLimit,
    method,
    vector,
    verdict,
)
from ..console.output import emit, number, say, table
from ..errors import InputError
from .command_explain import explanation, show_explanation
from .command_questions import Asker, effort_data


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
        _show(scene_.name, results)
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


def _show(name: str, results: list[dict[str, Any]]) -> None:
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
