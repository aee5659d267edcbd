"""`holdfast posture` and `holdfast support`: whether a body on its hands holds, and its support region."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..console.options import (
    Exit,
    SchemaOption,
    verdict,
)
from ..console.output import counted, emit, number
from ..console.pictures import FeaturePlots
from ..console.questions import Output, SceneQuestion, with_groups
from ..console.sheets import Block, TableBlock, heading, present, triple, yes_no
from ..errors import InputError
from ..results import flat

if TYPE_CHECKING:
    from ..checks import Array, Side
    from .equilibrium import PostureEquilibrium
    from .hands import PostureScene
    from .region import SupportRegion
    from .region_computation import SupportRegionBounds

plots = FeaturePlots(__package__)


#: A motion counts as a pure shift if its rotation moves the hands by less than this fraction of the shift.
NO_TURN = 1e-6

#: Components of a wrench, and coordinates, below this fraction of the largest one of their kind are shown as zero.
DUST = 1e-9

#: Meaning of the verdict of inner and outer bounds.
CERTAINTY = {
    "certainly": "guaranteed to hold: the inner sets of the hands are sufficient",
    "certainly not": "guaranteed not to hold: even the outer sets of the hands are not sufficient",
    "uncertain": "uncertain: the outer sets of the hands are sufficient, the inner sets are not",
}

#: Largest number of vertices in a table; --json has all.
MOST_VERTICES = 24

KINDS = {
    "polygon": "a polygon",
    "segment": "a segment",
    "point": "a single point",
    "empty": "empty: it holds nowhere",
    "unbounded": "without limit in some directions",
    "plane": "the whole plane: it holds anywhere",
}


@dataclass(frozen=True)
class PostureQuestion(SceneQuestion):
    """A question about a posture under a load."""

    kind: ClassVar[str] = "posture"

    scene: Annotated[
        str | None,
        typer.Argument(metavar="POSTURE", help="Posture file, or @name of a ready one (--list).", show_default=False),
    ] = None


InnerOption = Annotated[bool, typer.Option("--inner", help="For grips with bounds, use only the inner set.")]
OuterOption = Annotated[bool, typer.Option("--outer", help="For grips with bounds, use only the outer set.")]


@with_groups
def posture(
    question: PostureQuestion,
    output: Output,
    inner: InnerOption = False,
    outer: OuterOption = False,
    ball: Annotated[
        bool,
        typer.Option("--ball", help="Also compute a guaranteed ball of additional wrenches that are held; slower."),
    ] = False,
    schema: SchemaOption = False,
) -> None:
    """Test whether a body supported by its hands holds: verdict, load scales, wrenches, margins, proof."""
    from .equilibrium import posture_equilibrium
    from .files import posture_schema

    if schema:
        emit(posture_schema())
        return
    scene = _loaded(question, _side(inner, outer))
    case = question.case(scene=scene, gravity=None, tilt=None, own_weight=lambda: scene.wrench)
    answer = posture_equilibrium(scene.grips, scene.poses, case.wrench, gravity=scene.gravity).even()
    found = answer.to_dict() | {"hands": hand_rows(scene, answer), "margins": _margins(scene, answer, ball)}
    if found["separating"] is not None and answer.certificate is not None:  # the separating motion
        found["separating"] |= _motion(-answer.certificate.multipliers, scene.com, answer.hands.length)
    found["hands_without_wrench"] = _hands_without_wrench(scene)
    present(
        "posture",
        found,
        sheet=_posture_sheet(scene, answer, found, case.description),
        **output.targets,
        rows=lambda: [flat(hand) for hand in found["hands"]],
        metadata={"posture": scene.name, "load": case.description, "gravity": scene.gravity},
        picture=lambda: plots.posture(scene, result=answer),
        code=verdict([answer.status.value]),
    )


def _side(inner: bool, outer: bool) -> Side | None:
    """The chosen set of grips with bounds; None for both."""
    if inner and outer:
        raise InputError(
            "is given with --inner", where="--outer", fix="give one of the two; without any, both are used"
        )
    return "inner" if inner else "outer" if outer else None


def _loaded(question: PostureQuestion, side: Side | None) -> PostureScene:
    """The posture of the command line, under its gravity and with the chosen side of its grips."""
    from dataclasses import replace

    from ..grips import GripBounds

    scene = question.read_under_gravity(lambda gravity: question.read(gravity=gravity))
    if side is None:
        return scene
    chosen = {id(g): getattr(g, side) if isinstance(g, GripBounds) else g for g in scene.grips}
    return replace(scene, grips=tuple(chosen[id(grip)] for grip in scene.grips))


def hand_rows(scene: PostureScene, answer: PostureEquilibrium) -> list[dict[str, Any]]:
    """One dictionary per hand: name, place, grip, and its wrench on the body, palm frame and world."""
    rows = zip(scene.hands, scene.grip_names, answer.hand_dicts(), strict=True)
    return [{"name": name, "grip": grip} | row for name, grip, row in rows]


def _margins(scene: PostureScene, answer: PostureEquilibrium, ball: bool) -> dict[str, Any]:
    """Additional load along any axis, and in any direction if `ball`; {} if it does not hold."""
    if not answer.holds:
        return {}
    from .margins import ball_margin, cross_polytope_margin

    question = (scene.grips, scene.poses, answer.wrench)
    data = {"cross_polytope": cross_polytope_margin(*question, gravity=scene.gravity).to_dict()}
    return data | ({"ball": ball_margin(*question, gravity=scene.gravity).to_dict()} if ball else {})


def _hands_without_wrench(scene: PostureScene) -> list[str]:
    """Names of the hands whose half-spaces contradict each other: they can apply no wrench, not even zero."""
    from ..grips import OuterGrip

    empty = {id(grip): isinstance(grip, OuterGrip) and grip.is_empty for grip in set(scene.grips)}
    return [name for name, grip in zip(scene.hands, scene.grips, strict=True) if empty[id(grip)]]


def _motion(twist: Array, com: Array, length: float) -> dict[str, Any]:
    """A twist (6,) about the world origin (velocity, angular velocity) as motion of the centre of mass, with a text."""
    import numpy as np

    velocity, turn = twist[:3] + np.cross(twist[3:], com), twist[3:]
    words = motion_words(velocity, turn, com, length)
    return {"velocity_of_com": velocity, "angular_velocity": turn, "words": words}


def motion_words(velocity: Array, turn: Array, com: Array, length: float) -> str:
    """A motion of the body as text: `velocity` (3,) of its centre of mass `com` (3,) and angular velocity `turn` (3,).

    The rotation moves the hands by about `length` [m] per radian.
    """
    import numpy as np

    speed, rate = float(np.linalg.norm(velocity)), float(np.linalg.norm(turn))
    if rate * length <= NO_TURN * speed:
        return f"the body shifts along ({triple(_clean(velocity / speed, DUST), 3)})"
    axis = turn / rate
    pitch = float(velocity @ axis)
    at = com + np.cross(turn, velocity) / rate**2
    shift = "" if abs(pitch) <= NO_TURN * rate * length else f" and shifts {pitch / rate:.3g} m per radian along it"
    place = triple(_clean(at, DUST * length))
    return f"the body turns about ({triple(_clean(axis, DUST), 3)}) through ({place}) m{shift}"


def _clean(values: Any, least: Any = None) -> Array:
    """Values with magnitudes up to `least` set to zero: by default a small fraction of the largest one, or of 1."""
    import numpy as np

    values = np.asarray(values)
    return np.where(np.abs(values) > (DUST * max(1.0, np.abs(values).max()) if least is None else least), values, 0.0)


def _posture_sheet(
    scene: PostureScene, answer: PostureEquilibrium, found: dict[str, Any], description: str
) -> Iterator[Block]:
    yield heading(f"{scene.name}: {counted(len(scene), 'hand')}, {number(scene.mass)} kg")
    force, torque = answer.wrench[:3], answer.wrench[3:]
    yield f"load: {description} = ({triple(force)}) N, ({triple(torque)}) N m about the origin"
    yield heading(f"verdict: {answer.status.value}", answer.status.value)
    if found["certainty"] is not None:
        yield CERTAINTY[found["certainty"]]
    yield f"multiples of this load that hold: {_interval(found['scale_min'], found['scale_max'])}"
    if answer.hands.has_bounds:
        yield f"possibly: {_interval(found['outer_scale_min'], found['outer_scale_max'])}"
    if answer.wrenches is not None:
        yield _wrench_table(found["hands"])
    if answer.wrenches_unique is False:
        from ..statics.holding import OTHER_FORCES

        yield OTHER_FORCES
    if found["separating"] is not None:
        yield f"separating motion: {found['separating']['words']}"
        yield "in this motion the load does more work than all hands can absorb"
    yield from _without_wrench(found["hands_without_wrench"])
    yield from _margin_lines(found["margins"])
    balance = "" if answer.wrenches is None else f"; balance off by {answer.residual:.1e} of the wrenches"
    yield f"proof verified: {yes_no(found['proof_verified'])}{balance}"


def _without_wrench(names: list[str]) -> Iterator[Block]:
    for name in names:
        yield f"{name} can apply no wrench, not even zero: the half-spaces of its grip contradict each other"


def _wrench_table(rows: list[dict[str, Any]]) -> TableBlock:
    import numpy as np

    wrenches = np.array([row["wrench"] for row in rows])
    shown = _clean(wrenches, DUST * np.repeat([np.abs(wrenches[:, :3]).max(), np.abs(wrenches).max()], 3))
    return TableBlock(
        ["hand", "grip", "f_x [N]", "f_y [N]", "f_z [N]", "t_x [N m]", "t_y [N m]", "t_z [N m]"],
        [(row["name"], row["grip"], *map(number, values)) for row, values in zip(rows, shown.tolist(), strict=True)],
        title="Wrenches on the body, in the palm frames (f_z < 0 pulls it to the terrain)",
    )


def _margin_lines(margins: dict[str, Any]) -> Iterator[Block]:
    """The additional load; torques are divided by a length."""
    for name, margin in margins.items():
        added = f"additional load {'in any direction' if name == 'ball' else 'along any one axis'}: "
        force, length = margin["newtons"], margin["torque_length"]
        if force == math.inf:
            yield f"{added}no limit"
        elif name == "ball":
            most = number(margin["upper_bound"])
            yield f"{added}{number(force)} N, at most {most} N (torques divided by {number(length)} m)"
        else:
            yield f"{added}{number(force)} N or {number(force * length)} N m; weakest along {margin['weakest']}"


def _interval(low: float, high: float) -> str:
    """An interval of load scales as text."""
    if low > high:
        return "none"
    if math.isinf(low) and math.isinf(high):
        return "all"
    if math.isinf(high):
        return f"{number(low)} and more"
    return f"{number(high)} and less" if math.isinf(low) else f"{number(low)} to {number(high)}"


@with_groups
def support(
    question: PostureQuestion,
    output: Output,
    directions: Annotated[
        int | None,
        typer.Option("--directions", metavar="N", help="Sample N directions instead of computing the exact region."),
    ] = None,
    inner: InnerOption = False,
    outer: OuterOption = False,
) -> None:
    """Support region of the centre of mass: kind, area, corners, margin of the given centre of mass, what limits it.

    Loads of --load, or the wrench of --wrench, act in addition to the weight. Exit code 0 when the centre of mass of
    the file is inside, 1 when it is not, 3 when it lies between inner and outer bounds.
    """
    import numpy as np

    from .region_computation import Sampling, support_region

    question.refuse("the region is where the weight may act", "leave it out", "no_weight")
    scene = _loaded(question, _side(inner, outer))
    method = None if directions is None else Sampling(directions)
    loads = question.loads if question.wrench is None else ["the wrench given"]
    beside = question.case(scene=scene, gravity=None, tilt=None, weight=False).wrench if loads else np.zeros(6)
    region = support_region(scene.grips, scene.poses, scene.mass, scene.gravity, wrench=beside, method=method)
    inside = [bool(part.contains(scene.com)) for part in _sides(region).values()]
    code, place = (
        (Exit.HOLDS, "inside")
        if inside[0]
        else (Exit.UNDECIDED, "between inner and outer")
        if inside[-1]
        else (Exit.DOES_NOT_HOLD, "outside")
    )
    present(
        "support",
        {
            "axes": region.frame.axes,
            "com": scene.com,
            "com_coordinates": region.frame.coordinates(scene.com),
            "com_is": place,
            "can_hold": {"inside": True, "outside": False}.get(place),
            "hands_without_wrench": _hands_without_wrench(scene),
            "regions": {name: _region_data(scene, part) for name, part in _sides(region).items()},
        },
        sheet=_support_sheet(scene, region, loads, place),
        **output.targets,
        rows=lambda: [
            {"region": name, "corner": number, "x": float(corner[0]), "y": float(corner[1])}
            for name, part in _sides(region).items()
            for number, corner in enumerate(part.vertices)
        ],
        metadata={"posture": scene.name, "mass": scene.mass, "gravity": scene.gravity, "loads": loads},
        picture=lambda: plots.support_region(
            region,
            com=scene.com,
            hands=[pose.translation for pose in scene.poses],
            names=scene.hands,
            title=scene.name,
        ),
        code=code,
    )


def _sides(region: SupportRegion | SupportRegionBounds) -> dict[str, SupportRegion]:
    """The regions by name: one that is exact, or an inner and an outer one."""
    from .region_computation import SupportRegionBounds

    if isinstance(region, SupportRegionBounds):
        return {"inner": region.inner, "outer": region.outer}
    return {"exact": region}


def _region_data(scene: PostureScene, region: SupportRegion) -> dict[str, Any]:
    return region.to_dict() | {
        "signed_distance": float(region.signed_distance(scene.com)),
        "contains_com": bool(region.contains(scene.com)),
        "limit": _limit(scene, region),
    }


def _limit(scene: PostureScene, region: SupportRegion) -> dict[str, Any] | None:
    """What limits the centre of mass: its nearest or most violated edge, and the hands at their limit there."""
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


def _support_sheet(
    scene: PostureScene, region: SupportRegion | SupportRegionBounds, loads: list[str], place: str
) -> Iterator[Block]:
    yield heading(f"{scene.name}: {counted(len(scene), 'hand')}, {number(scene.mass)} kg")
    axes = ", ".join(f"({triple(_clean(axis))})" for axis in region.frame.axes)
    yield f"gravity ({triple(_clean(scene.gravity))}) m/s^2; coordinates along {axes}"
    if loads:
        yield f"in addition to the weight: {', '.join(loads)}"
    status = {"inside": "holds", "outside": "does not hold"}.get(place, "undecided")
    at = triple(_clean(region.frame.coordinates(scene.com)))
    can = {"holds": "can hold", "does not hold": "cannot hold"}.get(status, "undecided whether it can hold")
    yield heading(f"centre of mass at ({at}) m: {place}; {can}", status)
    yield from _without_wrench(_hands_without_wrench(scene))
    for name, part in _sides(region).items():
        yield ""
        yield from _region_blocks(scene, name, part)


def _region_blocks(scene: PostureScene, name: str, region: SupportRegion) -> Iterator[Block]:
    kind = str(region.kind)
    area = f", area {number(region.area)} m^2" if kind == "polygon" else ""
    yield heading(f"{name} region: {KINDS[kind]}{area}")
    distance = float(region.signed_distance(scene.com))
    if kind not in ("empty", "plane"):
        side = "inside" if distance > 0.0 else "outside"
        yield f"centre of mass: {number(abs(distance))} m {side}" if distance else "centre of mass: on the border"
    limit = _limit(scene, region)
    if limit is not None and limit["hands"] and limit["motion"]:
        names = ", ".join(hand["name"] for hand in limit["hands"])
        if region.is_empty:
            more_work = "for every centre of mass, the weight does more work than all hands can absorb when"
            yield f"{more_work} {limit['motion']} ({names})"
        else:
            direction = triple(_clean(limit["direction"]))
            yield f"nearest border: towards ({direction}); at their limit there: {names}"
            yield f"beyond it {limit['motion']}"
    if len(region.vertices) and kind != "plane":
        shown = region.vertices[:MOST_VERTICES]
        rows = [(index, *map(number, _clean(corner).tolist())) for index, corner in enumerate(shown)]
        yield TableBlock(["corner", "x [m]", "y [m]"], rows)
        if len(region.vertices) > len(shown):
            yield f"and {counted(len(region.vertices) - len(shown), 'corner')} more (--json has all)"
    if len(region.rays) and kind != "plane":
        yield f"without limit along {', '.join(f'({triple(_clean(ray))})' for ray in region.rays)}"
    yield f"proof verified: {yes_no(region.verify())}; {region.method}, {counted(region.solves, 'program')}"
