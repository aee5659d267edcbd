"""`holdfast posture`: does a body on its hands hold, with which wrenches, and how much of the load would it bear?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import (
    PICTURES,
    GravityOption,
    JsonOption,
    LoadsOption,
    NoWeight,
    PlotOption,
    WrenchOption,
    check_target,
    vector,
    verdict,
)
from ..console.output import colour, counted, emit, number, say, table
from ..errors import InputError

if TYPE_CHECKING:
    from ..checks import Array
    from .equilibrium import PostureEquilibrium
    from .files_posture_scene import PostureScene

#: The body only shifts when turning moves its hands by less than this share of what it shifts.
NO_TURN = 1e-6

#: Parts of a wrench below this share of the largest one of its kind are shown as none.
DUST = 1e-9

#: What inner and outer bounds say, in words.
CERTAINTY = {
    "certainly": "certainly holds: even with what the hands surely give",
    "certainly not": "certainly does not hold: not even with what the hands might give",
    "uncertain": "uncertain: not with what the hands surely give, but perhaps with what they might",
}

PostureArgument = Annotated[
    str | None, typer.Argument(metavar="POSTURE", help="Posture file, or @name of a ready posture.")
]
InnerOption = Annotated[bool, typer.Option("--inner", help="Of grips with bounds, only the set that surely holds.")]
OuterOption = Annotated[
    bool, typer.Option("--outer", help="Of grips with bounds, only the set outside of which nothing holds.")
]


def posture(
    file: PostureArgument = None,
    load: LoadsOption = None,
    gravity: GravityOption = None,
    wrench: WrenchOption = None,
    no_weight: NoWeight = False,
    inner: InnerOption = False,
    outer: OuterOption = False,
    ball: Annotated[
        bool, typer.Option("--ball", help="Also the largest ball of wrenches that is held on top, certified: slower.")
    ] = False,
    json: JsonOption = False,
    plot: PlotOption = None,
    list_: Annotated[bool, typer.Option("--list", help="Name the ready postures.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of posture files.")] = False,
) -> None:
    """Whether a body holds on its hands under its weight and loads: verdict, load scales, wrenches, margins, proof."""
    if list_ or schema:
        _about(json, schema)
        return
    from .equilibrium import posture_equilibrium

    check_target("--plot", plot, PICTURES)
    scene = loaded(file, gravity, side_of(inner, outer))
    asked, words = _load(scene, load or [], wrench, weight=not no_weight)
    answer = posture_equilibrium(scene.grips, scene.poses, asked, gravity=scene.gravity)
    data = _data(scene, answer, words, ball)
    if json:
        emit(data)
    else:
        _show(scene, answer, data)
    if plot is not None:
        from ..console.pictures import save
        from .plots_postures import posture as picture

        save(picture(scene, result=answer), plot)
    raise typer.Exit(verdict([answer.status.value]))


def side_of(inner: bool, outer: bool) -> bool | None:
    """Which set of grips with bounds is wanted: the inner one, the outer one (False), or both (None)."""
    if inner and outer:
        raise InputError(
            "is given with --inner", where="--outer", fix="give one of the two; without any, both are used"
        )
    return inner if inner or outer else None


def named_load(scene: PostureScene, name: str) -> Array:
    """A load of the posture by its name."""
    if not scene.loads:
        where, fix = str(scene.path or scene.name), "name some under `loads:` in the file"
        raise InputError(f"there is no load {name!r}, nor any other", where=where, fix=fix)
    return scene.load(name)


def loaded(file: str | None, gravity: str | None, side: bool | None) -> PostureScene:
    """The posture of a command line, under its gravity and with the side of its grips that is wanted."""
    from dataclasses import replace

    from ..grips import GripBounds
    from .files_posture_reader import load_posture

    if file is None:
        fix = "name a posture file, or a ready one of: holdfast posture --list"
        raise InputError("there is none", where="POSTURE", fix=fix)
    scene = load_posture(file, gravity=None if gravity is None else vector("--gravity", gravity, 3))
    if side is None:
        return scene
    chosen = {id(g): (g.inner if side else g.outer) if isinstance(g, GripBounds) else g for g in scene.grips}
    return replace(scene, grips=tuple(chosen[id(grip)] for grip in scene.grips))


def _about(json: bool, schema: bool) -> None:
    """The schema, or the ready postures."""
    from . import files_posture_schema as posture_schema
    from .files_posture_reader import posture_names, posture_title

    if schema:
        emit(posture_schema())
        return
    entries = [(f"@{name}", posture_title(name)) for name in posture_names()]
    if json:
        emit({"command": "posture", "postures": [{"name": name, "title": title} for name, title in entries]})
    else:
        table(["posture", "what it is"], entries)


def _load(scene: PostureScene, loads: list[str], wrench: str | None, *, weight: bool) -> tuple[Array, str]:
    """The external wrench (6,) that the options ask about, and its name."""
    import numpy as np

    if wrench is not None:
        if loads:
            fix = "--wrench is the whole load: give one of the two"
            raise InputError("is given with --load", where="--wrench", fix=fix)
        return vector("--wrench", wrench, 6), "the wrench given"
    parts = [named_load(scene, name) for name in loads]
    if not weight and not loads:
        raise InputError("nothing is left to ask about", where="--no-weight", fix="give --load NAME or --wrench")
    if weight:
        parts.insert(0, scene.wrench)
    weighs = "weight" if scene.gravity.any() else "no weight (gravity is zero)"
    return np.sum(parts, axis=0), " + ".join(([weighs] if weight else []) + loads)


# -- the answer as data -----------------------------------------------------------------------------


def _data(scene: PostureScene, answer: PostureEquilibrium, words: str, ball: bool) -> dict[str, Any]:
    """Everything that is known, for JSON and for the tables."""
    low, high = answer.scale_interval
    data: dict[str, Any] = {
        "command": "posture",
        "posture": scene.name,
        "load": words,
        "wrench": answer.wrench,
        "gravity": scene.gravity,
        "status": answer.status.value,
        "holds": answer.holds,
        "certainty": str(answer.certainty.value) if answer.hands.has_bounds else None,
        "proof_verified": answer.verify(),
        "residual": answer.residual,
        "scale_min": low,
        "scale_max": high,
        "hands": hand_rows(scene, answer),
        "margins": _margins(scene, answer, ball),
        "separating": _separating(scene, answer),
        "hands_without_wrench": hands_without_wrench(scene),
        "effort": answer.effort._asdict(),
    }
    if answer.hands.has_bounds:
        data["outer_scale_min"], data["outer_scale_max"] = answer.outer_scale.ends
    return data


def hand_rows(scene: PostureScene, answer: PostureEquilibrium) -> list[dict[str, Any]]:
    """One dictionary a hand: name, place, grip, and its wrench on the body, palm frame and world."""
    rows = []
    world = answer.world_wrenches
    for index, (name, grip, pose) in enumerate(zip(scene.hands, scene.grip_names, scene.poses, strict=True)):
        row: dict[str, Any] = {"name": name, "grip": grip, "position": pose.translation, "wrench": None}
        if answer.wrenches is not None and world is not None:
            row |= {"wrench": answer.wrenches[index], "world_wrench": world[index]}
        rows.append(row)
    return rows


def _margins(scene: PostureScene, answer: PostureEquilibrium, ball: bool) -> dict[str, Any]:
    """How much may be added to the load along any axis, and in any direction if that is wanted; {} if it fails."""
    if not answer.holds:
        return {}
    from .margins import cross_polytope_margin

    cross = cross_polytope_margin(scene.grips, scene.poses, answer.wrench, gravity=scene.gravity)
    data: dict[str, Any] = {
        "cross_polytope": {
            "newtons": cross.value,
            "upper_bound": cross.upper_bound,
            "torque_length": cross.length,
            "weakest": cross.weakest,
        }
    }
    if ball:
        from .ball import ball_margin

        found = ball_margin(scene.grips, scene.poses, answer.wrench, gravity=scene.gravity)
        data["ball"] = {"newtons": found.value, "upper_bound": found.upper_bound, "torque_length": found.length}
    return data


def _separating(scene: PostureScene, answer: PostureEquilibrium) -> dict[str, Any] | None:
    """The motion in which it lets go, about the centre of mass; none where a hand has no wrench to give at all."""
    proof = answer.certificate
    if proof is None or not proof.multipliers.any():
        return None
    import numpy as np

    velocity, turn = -proof.multipliers[:3], -proof.multipliers[3:]
    return {
        "wrench": proof.multipliers,
        "margin_newtons": proof.margin,
        "velocity_of_com": velocity + np.cross(turn, scene.com),
        "angular_velocity": turn,
        "words": motion_words(velocity + np.cross(turn, scene.com), turn, scene.com, answer.hands.length),
    }


def hands_without_wrench(scene: PostureScene) -> list[str]:
    """Names of the hands whose half-spaces contradict each other: they can give no wrench, not even zero."""
    from ..grips import OuterGrip

    empty = {id(grip): isinstance(grip, OuterGrip) and grip.is_empty for grip in set(scene.grips)}
    return [name for name, grip in zip(scene.hands, scene.grips, strict=True) if empty[id(grip)]]


def motion_words(velocity: Array, turn: Array, com: Array, length: float) -> str:
    """A motion of the body in words: `velocity` (3,) of its centre of mass `com` (3,) and angular velocity `turn` (3,).

    Turning moves the hands by about `length` [m] a radian.
    """
    import numpy as np

    speed, rate = float(np.linalg.norm(velocity)), float(np.linalg.norm(turn))
    if rate * length <= NO_TURN * speed:
        return f"the body shifts along ({_unit(velocity)})"
    axis = turn / rate
    pitch = float(velocity @ axis)
    at = com + np.cross(turn, velocity) / rate**2
    words = f"the body turns about ({_unit(turn)}) through ({_numbers(at, DUST * length)}) m"
    shift = "" if abs(pitch) <= NO_TURN * rate * length else f" and shifts {pitch / rate:.3g} m a radian along it"
    return words + shift


# -- the answer as text -----------------------------------------------------------------------------


def _show(scene: PostureScene, answer: PostureEquilibrium, data: dict[str, Any]) -> None:
    say(f"{scene.name}: {counted(len(scene), 'hand')}, {number(scene.mass)} kg", style="bold")
    force, torque = answer.wrench[:3], answer.wrench[3:]
    say(f"load: {data['load']} = ({_numbers(force)}) N, ({_numbers(torque)}) N m about the origin")
    say(f"verdict: {answer.status.value}", style=f"bold {colour(answer.status.value)}")
    if data["certainty"] is not None:
        say(CERTAINTY[data["certainty"]])
    say(f"multiples of this load that it bears: {_interval(data['scale_min'], data['scale_max'])}")
    if answer.hands.has_bounds:
        say(f"perhaps: {_interval(data['outer_scale_min'], data['outer_scale_max'])}")
    if answer.wrenches is not None:
        _show_wrenches(data["hands"])
    if data["separating"] is not None:
        say(f"it lets go as {data['separating']['words']}:")
        say("in that motion the load does more work than all hands take up")
    show_hands_without_wrench(data["hands_without_wrench"])
    _show_margins(data["margins"])
    balance = "" if answer.wrenches is None else f"; balance off by {answer.residual:.1e} of the wrenches"
    say(f"proof verified: {'yes' if data['proof_verified'] else 'no'}{balance}")


def show_hands_without_wrench(names: list[str]) -> None:
    """Say which hands can give nothing."""
    for name in names:
        say(f"{name} can give no wrench at all, not even zero: the half-spaces of its grip contradict each other")


def _show_wrenches(rows: list[dict[str, Any]]) -> None:
    import numpy as np

    wrenches = np.array([row["wrench"] for row in rows])
    dust = DUST * np.repeat([np.abs(wrenches[:, :3]).max(), np.abs(wrenches).max()], 3)
    shown = np.where(np.abs(wrenches) > dust, wrenches, 0.0)
    cells = [
        (row["name"], row["grip"], *(number(float(x)) for x in values)) for row, values in zip(rows, shown, strict=True)
    ]
    columns = ["hand", "grip", "f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"]
    table(columns, cells, title="Wrenches on the body, in the palm frames (f_z < 0 pulls it to the terrain)")


def _show_margins(margins: dict[str, Any]) -> None:
    """What may be added to the load; torques are counted in newtons by a length."""
    if not margins:
        return
    cross = margins["cross_polytope"]
    if cross["newtons"] == float("inf"):
        say("bears besides, along any one axis: whatever comes, without limit")
    else:
        torque = f"{number(cross['newtons'] * cross['torque_length'])} N m"
        weakest = f"weakest along {cross['weakest']}"
        say(f"bears besides, along any one axis: {number(cross['newtons'])} N or {torque}; {weakest}")
    if "ball" in margins:
        ball = margins["ball"]
        if ball["newtons"] == float("inf"):
            say("bears besides, in any direction: whatever comes, without limit")
            return
        words = f"{number(ball['newtons'])} N, at most {number(ball['upper_bound'])} N"
        say(f"bears besides, in any direction: {words} (a torque counts per {number(ball['torque_length'])} m)")


def _interval(low: float, high: float) -> str:
    """An interval of load scales in words."""
    import math

    if low > high:
        return "none"
    if math.isinf(low) and math.isinf(high):
        return "all"
    if math.isinf(high):
        return f"{number(low)} and more"
    return f"{number(high)} and less" if math.isinf(low) else f"{number(low)} to {number(high)}"


def _numbers(values: Any, dust: float = 0.0) -> str:
    return ", ".join(number(float(value) if abs(value) > dust else 0.0) for value in values)


def _unit(values: Array) -> str:
    """The direction of a vector, three digits."""
    import numpy as np

    unit = values / np.linalg.norm(values)
    return ", ".join(number(float(x) if abs(x) > DUST else 0.0, 3) for x in unit)
