"""`holdfast support`: where may the centre of mass of a body on its hands be?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.options import PICTURES, Exit, GravityOption, JsonOption, LoadsOption, PlotOption, check_target, vector
from ..console.output import colour, counted, emit, number, say, table
from ..errors import InputError
from .command_posture import (
    InnerOption,
    OuterOption,
    PostureArgument,
    hands_without_wrench,
    loaded,
    motion_words,
    named_load,
    show_hands_without_wrench,
    side_of,
)

if TYPE_CHECKING:
    from ..checks import Array
    from .files_posture_scene import PostureScene
    from .support_regions import SupportRegion, SupportRegionBounds

#: A table names at most this many corners; --json has all.
MOST_CORNERS = 24

#: Lengths below this share of the largest coordinate are shown as none.
DUST = 1e-9

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

    from .support_regions import Sampling, support_region

    check_target("--plot", plot, PICTURES)
    scene = _tilted(file, gravity, tilt, side_of(inner, outer))
    method = None if directions is None else Sampling(directions)
    beside = sum((named_load(scene, name) for name in load or []), start=np.zeros(6))
    region = support_region(scene.grips, scene.poses, scene.mass, scene.gravity, wrench=beside, method=method)
    if json:
        emit(_data(scene, region, load or []))
    else:
        _show(scene, region, load or [])
    if plot is not None:
        from ..console.pictures import save
        from .plots_support_regions import support_region as picture

        palms = [pose.translation for pose in scene.poses]
        save(picture(region, com=scene.com, hands=palms, names=scene.hands, title=scene.name), plot)
    raise typer.Exit(_exit(scene, region))


def _tilted(file: str | None, gravity: str | None, tilt: str | None, side: bool | None) -> PostureScene:
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
    from .support_regions import SupportRegionBounds

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


def _data(scene: PostureScene, region: Any, loads: list[str]) -> dict[str, Any]:
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
    return {
        "kind": str(region.kind),
        "method": region.method,
        "area": region.area,
        "vertices": region.vertices,
        "rays": region.rays,
        "signed_distance": float(region.signed_distance(scene.com)),
        "contains_com": bool(region.contains(scene.com)),
        "limit": _limit(scene, region),
        "proof_verified": region.verify(),
        "solves": region.solves,
    }


def _limit(scene: PostureScene, region: SupportRegion) -> dict[str, Any] | None:
    """What limits the centre of mass: the edge it meets first or violates most, and the hands at their limit there."""
    import numpy as np

    active = region.active(scene.com)
    if active is None:
        return None
    velocity, turn = -active.multiplier[:3], -active.multiplier[3:]
    known = bool(np.isfinite(active.multiplier).all()) and bool(active.multiplier.any())
    at_com = velocity + np.cross(turn, scene.com)
    return {
        "direction": active.direction,
        "slack": active.slack,
        "hands": [{"name": scene.hands[hand.hand], "share": hand.share} for hand in active.hands],
        "motion": motion_words(at_com, turn, scene.com, region.hands.length) if known else "",
    }


# -- the answer as text -----------------------------------------------------------------------------


def _show(scene: PostureScene, region: Any, loads: list[str]) -> None:
    say(f"{scene.name}: {counted(len(scene), 'hand')}, {number(scene.mass)} kg", style="bold")
    axes = ", ".join(f"({_numbers(axis)})" for axis in region.frame.axes)
    say(f"gravity ({_numbers(scene.gravity)}) m/s^2; coordinates along {axes}")
    if loads:
        say(f"beside the weight: {', '.join(loads)}")
    place = _place(scene, region)
    status = {"inside": "holds", "outside": "does not hold"}.get(place, "undecided")
    at = _numbers(region.frame.coordinates(scene.com))
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
        say(f"without limit along {', '.join(f'({_numbers(ray)})' for ray in region.rays)}")
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
    say(f"nearest border: towards ({_numbers(limit['direction'])}); at their limit there: {names}")
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


def _numbers(values: Any) -> str:
    import numpy as np

    return ", ".join(number(float(value)) for value in _clean(np.asarray(values)))
