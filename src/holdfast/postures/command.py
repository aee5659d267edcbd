"""`holdfast posture` and `holdfast support`: does a body on its hands hold, and where may its centre of mass be?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import (
    PICTURES,
    Exit,
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
    from ..checks import Array, Side
    from .equilibrium import PostureEquilibrium
    from .hands import PostureScene
    from .region import SupportRegion
    from .region_computation import SupportRegionBounds


#: The body only shifts when turning moves its hands by less than this share of what it shifts.
NO_TURN = 1e-6

#: Parts of a wrench, and coordinates, below this share of the largest one of their kind are shown as zero.
DUST = 1e-9

#: What inner and outer bounds say, in words.
CERTAINTY = {
    "certainly": "certainly holds: the inner sets of the hands are enough",
    "certainly not": "certainly does not hold: not even the outer sets of the hands are enough",
    "uncertain": "uncertain: the inner sets of the hands are not enough, the outer sets are",
}

PostureArgument = Annotated[
    str | None, typer.Argument(metavar="POSTURE", help="Posture file, or @name of a ready posture.")
]
InnerOption = Annotated[bool, typer.Option("--inner", help="Of grips with bounds, use only the inner set.")]
OuterOption = Annotated[bool, typer.Option("--outer", help="Of grips with bounds, use only the outer set.")]


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
        from .plots import posture as picture

        save(picture(scene, result=answer), plot)
    raise typer.Exit(verdict([answer.status.value]))


def side_of(inner: bool, outer: bool) -> Side | None:
    """Which set of grips with bounds is wanted; None for both."""
    if inner and outer:
        raise InputError(
            "is given with --inner", where="--outer", fix="give one of the two; without any, both are used"
        )
    return "inner" if inner else "outer" if outer else None


def named_load(scene: PostureScene, name: str) -> Array:
    """A load of the posture by its name."""
    if not scene.loads:
        where, fix = str(scene.path or scene.name), "name some under `loads:` in the file"
        raise InputError(f"there is no load {name!r}, nor any other", where=where, fix=fix)
    return scene.load(name)


def loaded(file: str | None, gravity: str | None, side: Side | None) -> PostureScene:
    """The posture of a command line, under its gravity and with the side of its grips that is wanted."""
    from dataclasses import replace

    from ..grips import GripBounds
    from .files import load_posture

    if file is None:
        fix = "name a posture file, or a ready one of: holdfast posture --list"
        raise InputError("there is none", where="POSTURE", fix=fix)
    scene = load_posture(file, gravity=None if gravity is None else vector("--gravity", gravity, 3))
    if side is None:
        return scene
    chosen = {id(g): getattr(g, side) if isinstance(g, GripBounds) else g for g in scene.grips}
    return replace(scene, grips=tuple(chosen[id(grip)] for grip in scene.grips))


def _about(json: bool, schema: bool) -> None:
    """The schema, or the ready postures."""
    from .files import posture_names, posture_schema, posture_title

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
    about = {"command": "posture", "posture": scene.name, "load": words, "gravity": scene.gravity}
    data = about | answer.to_dict() | {"hands": hand_rows(scene, answer), "margins": _margins(scene, answer, ball)}
    if data["separating"] is not None and answer.certificate is not None:  # how it lets go, about the centre of mass
        data["separating"] |= _motion(-answer.certificate.multipliers, scene.com, answer.hands.length)
    return data | {"hands_without_wrench": hands_without_wrench(scene)}


def hand_rows(scene: PostureScene, answer: PostureEquilibrium) -> list[dict[str, Any]]:
    """One dictionary per hand: name, place, grip, and its wrench on the body, palm frame and world."""
    rows = zip(scene.hands, scene.grip_names, answer.hand_dicts(), strict=True)
    return [{"name": name, "grip": grip} | row for name, grip, row in rows]


def _margins(scene: PostureScene, answer: PostureEquilibrium, ball: bool) -> dict[str, Any]:
    """How much may be added to the load along any axis, and in any direction if that is wanted; {} if it fails."""
    if not answer.holds:
        return {}
    from .margins import ball_margin, cross_polytope_margin

    question = (scene.grips, scene.poses, answer.wrench)
    data = {"cross_polytope": cross_polytope_margin(*question, gravity=scene.gravity).to_dict()}
    return data | ({"ball": ball_margin(*question, gravity=scene.gravity).to_dict()} if ball else {})


def _motion(twist: Array, com: Array, length: float) -> dict[str, Any]:
    """A twist (6,) about the world origin (velocity, angular velocity) as motion of the centre of mass, with words."""
    import numpy as np

    velocity, turn = twist[:3] + np.cross(twist[3:], com), twist[3:]
    words = motion_words(velocity, turn, com, length)
    return {"velocity_of_com": velocity, "angular_velocity": turn, "words": words}


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
        say("additional load along any one axis: no limit")
    else:
        torque = f"{number(cross['newtons'] * cross['torque_length'])} N m"
        weakest = f"weakest along {cross['weakest']}"
        say(f"additional load along any one axis: {number(cross['newtons'])} N or {torque}; {weakest}")
    if "ball" in margins:
        ball = margins["ball"]
        if ball["newtons"] == float("inf"):
            say("additional load in any direction: no limit")
            return
        words = f"{number(ball['newtons'])} N, at most {number(ball['upper_bound'])} N"
        say(f"additional load in any direction: {words} (a torque counts per {number(ball['torque_length'])} m)")


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


# --------------------------------------------------------------------------------------------------
# `holdfast support`: where may the centre of mass of a body on its hands be?
# --------------------------------------------------------------------------------------------------

#: A table names at most this many corners; --json has all.
MOST_CORNERS = 24


KINDS = {
    "polygon": "a polygon",
    "segment": "a segment",
    "point": "a single point",
    "empty": "empty: it holds nowhere",
    "unbounded": "without limit in some directions",
    "plane": "the whole plane: it holds anywhere",
}


def support(
    file: PostureArgument = None,
    load: LoadsOption = None,
    gravity: GravityOption = None,
    tilt: Annotated[
        str | None,
        typer.Option(
            "--tilt",
            metavar="DEG[,TOWARDS]",
            help="Turn gravity by DEG towards the horizontal direction at TOWARDS degrees from x; 0 when left out.",
        ),
    ] = None,
    directions: Annotated[
        int | None,
        typer.Option(
            "--directions", metavar="N", help="Sample N directions as the paper does, instead of the exact region."
        ),
    ] = None,
    inner: InnerOption = False,
    outer: OuterOption = False,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Where the centre of mass may be: kind, area, corners, how far the given one is from the border, what limits it.

    Exit code 0 when the centre of mass of the file is inside, 1 when it is not, 3 when it lies between inner and outer
    bounds.
    """
    import numpy as np

    from .region_computation import Sampling, support_region

    check_target("--plot", plot, PICTURES)
    scene = _tilted(file, gravity, tilt, side_of(inner, outer))
    method = None if directions is None else Sampling(directions)
    beside = sum((named_load(scene, name) for name in load or []), start=np.zeros(6))
    region = support_region(scene.grips, scene.poses, scene.mass, scene.gravity, wrench=beside, method=method)
    if json:
        emit(_support_data(scene, region, load or []))
    else:
        _show_support(scene, region, load or [])
    if plot is not None:
        from ..console.pictures import save
        from .plots import support_region as picture

        palms = [pose.translation for pose in scene.poses]
        save(picture(region, com=scene.com, hands=palms, names=scene.hands, title=scene.name), plot)
    raise typer.Exit(_exit(scene, region))


def _tilted(file: str | None, gravity: str | None, tilt: str | None, side: Side | None) -> PostureScene:
    """The posture, under the gravity that the options ask for."""
    scene = loaded(file, gravity, side)
    if tilt is None:
        return scene
    import numpy as np

    degrees = np.radians(vector("--tilt", tilt, 1, 2))
    down = scene.gravity / (np.linalg.norm(scene.gravity) or 1.0)
    heading = float(degrees[1]) if len(degrees) == 2 else 0.0
    towards = np.array([np.cos(heading), np.sin(heading), 0.0])
    across = towards - (towards @ down) * down
    if np.linalg.norm(across) < DUST:
        raise InputError("leads along gravity itself", where="--tilt", fix="give another TOWARDS")
    across /= np.linalg.norm(across)
    angle = float(degrees[0])
    turned = np.linalg.norm(scene.gravity) * (np.cos(angle) * down + np.sin(angle) * across)
    return loaded(file, ",".join(repr(float(x)) for x in turned), side)


def _sides(region: Any) -> list[tuple[str, SupportRegion]]:
    """The regions by name: one that is exact, or an inner and an outer one."""
    from .region_computation import SupportRegionBounds

    if isinstance(region, SupportRegionBounds):
        return [("inner", region.inner), ("outer", region.outer)]
    return [("exact", region)]


def _exit(scene: PostureScene, region: Any) -> Exit:
    """Inside, outside, or between the bounds."""
    inside = [bool(part.contains(scene.com)) for _, part in _sides(region)]
    if inside[0]:
        return Exit.HOLDS
    return Exit.UNDECIDED if inside[-1] else Exit.DOES_NOT_HOLD


def _place(scene: PostureScene, region: SupportRegion | SupportRegionBounds) -> str:
    """Where the centre of mass is, in words."""
    words = {Exit.HOLDS: "inside", Exit.DOES_NOT_HOLD: "outside", Exit.UNDECIDED: "between inner and outer"}
    return words[_exit(scene, region)]


# -- the answer as data -----------------------------------------------------------------------------


def _support_data(scene: PostureScene, region: Any, loads: list[str]) -> dict[str, Any]:
    return {
        "command": "support",
        "posture": scene.name,
        "mass": scene.mass,
        "gravity": scene.gravity,
        "loads": loads,
        "axes": region.frame.axes,
        "com": scene.com,
        "com_coordinates": region.frame.coordinates(scene.com),
        "com_is": _place(scene, region),
        "hands_without_wrench": hands_without_wrench(scene),
        "regions": {name: _region_data(scene, part) for name, part in _sides(region)},
    }


def _region_data(scene: PostureScene, region: SupportRegion) -> dict[str, Any]:
    return region.to_dict() | {
        "signed_distance": float(region.signed_distance(scene.com)),
        "contains_com": bool(region.contains(scene.com)),
        "limit": _limit(scene, region),
    }


def _limit(scene: PostureScene, region: SupportRegion) -> dict[str, Any] | None:
    """What limits the centre of mass: the edge it meets first or violates most, and the hands at their limit there."""
    import numpy as np

    active = region.active(scene.com)
    if active is None:
        return None
    known = bool(np.isfinite(active.multiplier).all()) and bool(active.multiplier.any())
    return {
        "direction": active.direction,
        "slack": active.slack,
        "hands": [{"name": scene.hands[hand.hand], "share": hand.share} for hand in active.hands],
        "motion": _motion(-active.multiplier, scene.com, region.hands.length)["words"] if known else "",
    }


# -- the answer as text -----------------------------------------------------------------------------


def _show_support(scene: PostureScene, region: Any, loads: list[str]) -> None:
    say(f"{scene.name}: {counted(len(scene), 'hand')}, {number(scene.mass)} kg", style="bold")
    axes = ", ".join(f"({_coordinates(axis)})" for axis in region.frame.axes)
    say(f"gravity ({_coordinates(scene.gravity)}) m/s^2; coordinates along {axes}")
    if loads:
        say(f"beside the weight: {', '.join(loads)}")
    place = _place(scene, region)
    status = {"inside": "holds", "outside": "does not hold"}.get(place, "undecided")
    at = _coordinates(region.frame.coordinates(scene.com))
    say(f"centre of mass at ({at}) m: {place}", style=f"bold {colour(status)}")
    show_hands_without_wrench(hands_without_wrench(scene))
    for name, part in _sides(region):
        _show_region(scene, name, part)


def _show_region(scene: PostureScene, name: str, region: SupportRegion) -> None:
    say()
    area = f", area {number(region.area)} m^2" if str(region.kind) == "polygon" else ""
    say(f"{name} region: {KINDS[str(region.kind)]}{area}", style="bold")
    distance = float(region.signed_distance(scene.com))
    if str(region.kind) not in ("empty", "plane"):
        side = "inside" if distance > 0.0 else "outside" if distance < 0.0 else "on the border"
        say(f"centre of mass: {number(abs(distance))} m {side}" if distance else "centre of mass: on the border")
    _show_limit(scene, region)
    if len(region.vertices) and str(region.kind) != "plane":
        _show_corners(region)
    if len(region.rays) and str(region.kind) != "plane":
        say(f"without limit along {', '.join(f'({_coordinates(ray)})' for ray in region.rays)}")
    say(f"proof verified: {'yes' if region.verify() else 'no'}; {region.method}, {counted(region.solves, 'program')}")


def _show_limit(scene: PostureScene, region: SupportRegion) -> None:
    """What limits it, in words."""
    limit = _limit(scene, region)
    if limit is None or not limit["hands"] or not limit["motion"]:
        return
    names = ", ".join(hand["name"] for hand in limit["hands"])
    if region.is_empty:
        say(f"wherever it is, the weight does more work than all hands take up as {limit['motion']} ({names})")
        return
    say(f"nearest border: towards ({_coordinates(limit['direction'])}); at their limit there: {names}")
    say(f"beyond it {limit['motion']}")


def _show_corners(region: SupportRegion) -> None:
    corners = region.vertices[:MOST_CORNERS]
    rows = [(index, *(number(float(x)) for x in _clean(corner))) for index, corner in enumerate(corners)]
    left = len(region.vertices) - len(corners)
    table(["corner", "x [m]", "y [m]"], rows)
    if left > 0:
        say(f"and {counted(left, 'corner')} more (--json has all)")


def _clean(values: Array) -> Array:
    """Without what rounding left of nothing."""
    import numpy as np

    return np.where(np.abs(values) > DUST * max(1.0, float(np.abs(values).max())), values, 0.0)


def _coordinates(values: Any) -> str:
    import numpy as np

    return ", ".join(number(float(value)) for value in _clean(np.asarray(values)))
