"""`holdfast onset`: the angle at which a scene lets go as it is turned, or how far a load may grow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..console.output import prepare
from ..console.options import Exit, JsonOption, MethodOption, NodeLimit, PlotOption, SceneArgument, TimeLimit, method
from ..console.output import counted, emit, number, say, table
from ..errors import InputError
from .command_sweep import PLANES

if TYPE_CHECKING:
    from ..scenes import Scene
    from .equilibrium import Equilibrium, Method
    from .moving import LoadRamp, Onset


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
        _draw(turned, plot, loaded.name)
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
    from .moving import slip_onset, turning

    scene.gravity_load()  # a scene without a mass is told so before anything is compiled
    path = turning(scene, *PLANES[plane])
    prepare(solver)
    return slip_onset(path, start, stop, step=step, tolerance=tolerance, whole=whole, method=solver)


def _ramp(scene: Scene, load: str, most: float | None, solver: Method) -> LoadRamp:
    import numpy as np

    from .moving import load_ramp

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


def _draw(found: Onset, path: Path, name: str) -> None:
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
