"""Leaning: the largest shift of the centre of mass before a contact or joint reaches its limit, and what fails first.

The posture's contacts and joints do not change while the centre of mass moves, as in a support region: the weight gains
the torque s (direction x m g). At the largest shift, the motion that begins (the multipliers of the exact problem with
every contact in its piece) shows what fails: joints at a torque limit, contacts that slip, lift off or are at their
strength. They are ordered by the gain from 1 % more strength.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tolerances
from ..assembly.assembly import Assembly
from ..checks import Array
from ..errors import InputError
from ..postures import support_region
from ..postures.hands import Hands
from ..postures.region import SupportRegion
from ..public_names import with_advice
from ..results import Result, proof, same
from ..solvers.minkowski import SumStatus
from ..statics.diagnosis import FixedPieces, Prices, is_idle
from ..statics.holding import Method
from ..statics.paths import Onset, OnsetStatus, grid, slip_onset
from ..statics.strength import LoadRamp, RampStatus, build_ramp, load_ramp
from .bodies import DOWN, ContactSite, whole_body
from .planning import GENERAL, MarginSlope, Stand, about, points_reached
from .robot import Robot

if TYPE_CHECKING:
    from .bodies import WholeBody

#: Ways in which a joint or a unit reaches its limit.
#: A unit lifts off if none of its points carries a force; it tips over if only some of them lose their force.
How = Literal["torque limit", "slips", "lifts off", "tips over", "at its strength"]

#: Step of the scan of the shift, as a fraction of its largest value, where volumes are not convex.
STEPS = 64

#: Gains below this fraction of the largest count as zero.
NO_GAIN = 1e-9


@dataclass(frozen=True)
class LimitingElement:
    """A joint or a unit that keeps the robot from leaning further.

    Attributes:
        kind: "joint" or "contact".
        name: name of the joint or of the unit.
        how: the limit that it reaches.
        gain: additional shift [m] per percent growth of its torque limit or force volume; 0 for friction
            cones, which do not change by growth.
    """

    kind: Literal["joint", "contact"]
    name: str
    how: How
    gain: float

    def __str__(self) -> str:
        more = f", {1e3 * self.gain:.3g} mm more for 1 % more strength" if self.gain > 0.0 else ""
        what = {"torque limit": "is at its torque limit", "at its strength": "is at its strength"}
        return f"{self.kind} {self.name!r} {what.get(self.how, self.how)}{more}"


@dataclass(frozen=True, eq=False)
class Leaning(Result):
    """The largest shift of a body in one direction.

    Attributes:
        body: the posture.
        direction: (3,) unit direction of the shift, in the world.
        ramp: the exact result with its proofs.
        limiting: what limits it, the most important first; () if nothing does, or unknown.
    """

    body: WholeBody
    direction: Array
    ramp: LoadRamp
    limiting: tuple[LimitingElement, ...]

    def __repr__(self) -> str:
        return f"Leaning({self.status.value}, {self.reach:.6g} m, first {self.first})"

    def __str__(self) -> str:
        way = np.array2string(self.direction, precision=3, suppress_small=True)
        if self.status is not RampStatus.FOUND:
            return f"Leaning along {way}: {self.status.value}."
        said = [f"The centre of mass may shift {self.reach:.4g} m along {way}."]
        return " ".join(said + [f"Then {found}." for found in self.limiting[:3]])

    @property
    def status(self) -> RampStatus:
        """Found, no limit, holds throughout, does not hold upright, or undecided."""
        return self.ramp.status

    @property
    def reach(self) -> float:
        """The largest shift of the centre of mass [m]; inf without a limit, -inf if the posture does not hold."""
        return self.ramp.value

    @property
    def com(self) -> Array:
        """(3,) the centre of mass at that shift [m]."""
        return self.body.com + self.reach * self.direction

    @property
    def first(self) -> LimitingElement | None:
        """What fails first."""
        return self.limiting[0] if self.limiting else None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        limiting = [{"kind": one.kind, "name": one.name, "how": one.how} for one in self.limiting]
        status = str(self.status.value)
        return {"direction": self.direction, "status": status, "reach": self.reach, "limiting": limiting}

    @proof
    def verify(self) -> bool:
        """Check without the solver that it holds at `reach` and not beyond `ramp.upper_bound`, and what limits it."""
        body, largest, growing = self.body, self.ramp.largest, _increment(self.body, self.direction)
        unit = (
            self.direction.shape == (3,)
            and abs(float(np.linalg.norm(self.direction)) - 1.0) <= tolerances.UNIT_ROUNDING
        )
        asked = (largest.base, largest.increment)
        mine = unit and largest.assembly is body.assembly and same(asked, (body.load, growing))
        return mine and self.ramp.verify() and same(self.limiting, _limiting(body, self.ramp, growing))


@with_advice()
def lean(body: WholeBody, direction: ArrayLike, *, method: Method | None = None) -> Leaning:
    """The largest shift of the centre of mass of a standing robot, and the joint or contact that fails first.

    Args:
        body: the posture; the robot is held.
        direction: (3,) direction of the shift in the world, of any length. Along gravity nothing changes.
        method: how to solve; `Exact()` by default.
    """
    way = checks.direction("direction", direction, 3)
    if body.held != "robot":
        raise InputError("holds an object", where="body", fix="only a standing robot can lean: held='robot'")
    increment = _increment(body, way)
    if np.abs(increment).max() <= 1e-9 * body.robot.mass * float(np.abs(body.gravity).max(initial=0.0)):
        raise InputError("is along gravity", where="direction", fix="give a direction across gravity, and gravity")
    stop = None
    convex = all(len(contact.volume) == 1 for contact in body.assembly.contacts)
    if not convex and body.assembly.layout.has_rays:  # unbounded unions need a limit of the scan
        stop = 100.0 * body.assembly.length
    ramp = load_ramp(body.assembly, body.load, increment, stop=stop, method=method)
    return Leaning(body, way, ramp, _limiting(body, ramp, increment))


def _increment(body: WholeBody, direction: Array) -> Array:
    """(6,) change of the load per metre that the centre of mass shifts along a direction (3,)."""
    return np.concatenate([np.zeros(3), np.cross(direction, body.robot.mass * body.gravity)])


def _limiting(body: WholeBody, ramp: LoadRamp, increment: Array) -> tuple[LimitingElement, ...]:
    """What limits the ramp, from the multipliers with every contact in the piece of its last force."""
    if ramp.status is not RampStatus.FOUND:
        return ()
    held = ramp.onset.held if ramp.onset is not None else None
    pieces = held.pieces if held is not None else ramp.largest.solution.pieces
    if pieces is None:
        return ()
    problem = build_ramp(body.assembly, body.load, increment)
    count = len(body.assembly)
    chosen = np.zeros(problem.contacts, dtype=np.int64)
    chosen[:count] = pieces[:count]
    return _priced(body, FixedPieces(problem, chosen).prices())


def _priced(body: WholeBody, prices: Prices | None) -> tuple[LimitingElement, ...]:
    """What limits a program, the most important first; () if multipliers are unknown."""
    if prices is None:
        return ()
    found = [*_joints(body, prices), *_units(body, prices)]
    largest = max((item.gain for item in found), default=0.0)
    order = {"torque limit": 0, "at its strength": 1, "slips": 2, "lifts off": 3, "tips over": 4}
    return tuple(
        sorted(found, key=lambda item: (-item.gain if item.gain > NO_GAIN * largest else 0.0, order[item.how]))
    )


def _joints(body: WholeBody, prices: Prices) -> list[LimitingElement]:
    """Joints whose torque limit limits the lean; the gain is per percent of that limit, including friction."""
    found = []
    for row, joint in enumerate(body.robot.joints):
        up, down = float(prices.upper[row]), float(prices.lower[row])
        if up > 0.0 or down > 0.0:
            strength = joint.torque_max + joint.friction if up > down else joint.friction - joint.torque_min
            gain = 0.01 * max(up, down) * abs(strength) if np.isfinite(strength) else 0.0
            found.append(LimitingElement("joint", joint.name, "torque limit", gain))
    largest = max((item.gain for item in found), default=0.0)
    return [item for item in found if item.gain > NO_GAIN * largest or not largest]


def _units(body: WholeBody, prices: Prices) -> list[LimitingElement]:
    """Units with a point that must be at its limit."""
    found, touching = [], body.touching
    for number, touch in enumerate(touching.touches):
        own = [int(i) for i in np.nonzero(touching.touch_of == number)[0]]
        points = [i for i in own if prices.binding[i]]
        if not points:
            continue
        gain = float(sum(prices.strength[i] for i in points))
        idle = {i for i in own if is_idle(body.assembly.contacts[i].volume, prices.forces[i])}
        how: How = "slips"
        if gain > 0.0:
            how = "at its strength"
        elif idle.issuperset(points):
            how = "lifts off" if len(idle) == len(own) else "tips over"
        found.append(LimitingElement("contact", touch.name, how, max(gain, 0.0)))
    return found


@dataclass(frozen=True, eq=False)
class LeanPath:
    """A robot that moves through postures until it no longer holds.

    Attributes:
        onset: scan and bisection to the first loss, with its proofs; None if the first posture is not possible.
        at: the last posture that holds, as a `WholeBody`; None if none holds.
        direction: (3,) unit direction in which the centre of mass moves at the loss; None without a loss.
        out_of_reach: first tested parameter without a posture; inf if the whole path has postures.
    """

    onset: Onset | None
    at: WholeBody | None
    direction: Array | None = None
    out_of_reach: float = np.inf

    def __repr__(self) -> str:
        if self.onset is None:
            return "LeanPath(out of reach)"
        ends = f", out of reach at {self.out_of_reach:.6g}" if np.isfinite(self.out_of_reach) else ""
        return f"LeanPath({self.onset.status.value}, {self.onset.bracket[0]:.6g}{ends})"

    @cached_property
    def limiting(self) -> tuple[LimitingElement, ...]:
        """What limits the last posture, the most important first; () without a loss."""
        if self.at is None or self.direction is None:
            return ()
        return lean(self.at, self.direction).limiting


@with_advice()
def lean_along(
    robot: Robot,
    path: Callable[[float], ArrayLike | None],
    touches: Sequence[ContactSite],
    stop: float,
    gravity: ArrayLike = DOWN,
    *,
    step: float | None = None,
    method: Method | None = None,
) -> LeanPath:
    """How far a robot can move along a path of postures, with its joints moving too, and what fails there.

    Args:
        robot: on a floating base.
        path: s to a posture q, or None where there is none; from s = 0. `holding_feet` makes one with fixed
            links.
        touches: the units, which touch on the whole path.
        stop: the last s.
        gravity: (3,) [m/s^2] in the world.
        step: step of the scan; 1/64 of the path by default.
        method: how to solve; `Exact()` by default, with warm starts.
    """
    end = checks.positive("stop", stop)
    width = end / STEPS if step is None else checks.positive("step", step)
    parameters = grid(0.0, end, width)
    possible = [path(float(s)) is not None for s in parameters]
    count = len(possible) if all(possible) else possible.index(False)
    beyond = np.inf if count == len(possible) else float(parameters[count])
    if count < 2:
        return LeanPath(None, None, None, beyond)

    def posed(s: float) -> WholeBody:
        q = path(s)
        if q is None:
            raise InputError(f"has no posture at {s:g}", where="path", fix="make the steps smaller")
        return whole_body(robot, q, touches, gravity)

    def asked(s: float) -> tuple[Assembly, Array]:
        body = posed(s)
        return body.assembly, body.load

    onset = slip_onset(
        asked, 0.0, float(parameters[count - 1]), step=width, tolerance=1e-6 * end, curved=False, method=method
    )
    last, lost = onset.bracket
    body = posed(last) if onset.held is not None and np.isfinite(last) else None
    direction = None
    if body is not None and onset.status is OnsetStatus.SLIPS:
        moved = posed(lost).com - body.com
        moved -= (moved @ body.gravity) * body.gravity / (body.gravity @ body.gravity)
        size = float(np.linalg.norm(moved))
        direction = moved / size if size > 0.0 else None
    return LeanPath(onset, body, direction, beyond)


# Distance of the centre of mass from the border of its support region, and its derivative by the posture.

#: Two edges are equally near, or a border point is a corner, within this fraction of the region's size.
TIED = 1e-9


def lean_margin(
    hands: Hands, stand: Stand, mass: float, gravity: Array, slope: Callable[[Stand, Array, Array], Array] | None
) -> MarginSlope:
    """The signed distance [m] of the centre of mass from the border, positive inside.

    Args:
        hands: the grips, with one side each; their poses are ignored.
        stand: poses of the palms.
        mass: [kg].
        gravity: (3,) [m/s^2].
        slope: (stand, wrenches (k, 6), y (6,) about the centre of mass) to the slope (v,) of y . sum_j T_j w_j; None
            for no slope.
    """
    region: Any = support_region(list(hands.grips), list(stand.matrices), mass, gravity, length=hands.length)
    value = float(region.signed_distance(stand.com))
    if slope is None:
        return MarginSlope(value, np.zeros(0), None, "leaning")
    if str(region.kind) != "polygon":
        nowhere = slope(stand, np.zeros((len(stand.arms), 6)), np.zeros(6)) + np.nan
        return MarginSlope(value, nowhere, False, f"leaning: the region is {region.kind}")
    wrenches, multipliers, alone = _nearest(region, stand)
    y = about(multipliers, stand.com)
    gradient = slope(stand, wrenches, y)
    reached = points_reached(hands.grips, stand.maps, y)
    unique = None if reached is None else reached == GENERAL + len(hands)
    return MarginSlope(value, gradient, unique if alone else False, "leaning")


def _nearest(region: SupportRegion, stand: Stand) -> tuple[Array, Array, bool]:
    """(wrenches (k, 6) at the nearest border point, y (6,) of unit slope there, whether no other edge is as near)."""
    z = region.frame.coordinates(stand.com)
    starts, ends = region.vertices, np.roll(region.vertices, -1, axis=0)
    along = ends - starts
    lengths = np.maximum((along * along).sum(axis=1), np.finfo(float).tiny)
    shares = np.clip(((z - starts) * along).sum(axis=1) / lengths, 0.0, 1.0)
    feet = starts + shares[:, None] * along
    distances = np.linalg.norm(feet - z, axis=1)
    edge = int(np.argmin(distances))
    share, following = float(shares[edge]), (edge + 1) % len(starts)
    held = region.proof.wrenches
    wrenches = (1.0 - share) * held[edge] + share * held[following]
    inside = bool(region.signed_distance(stand.com) >= 0.0)
    near = distances <= distances[edge] + TIED * region.size
    if inside or 0.0 < share < 1.0:
        return wrenches, region.proof.multipliers[edge] / _tilt(region, edge), int(near.sum()) == 1
    # Outside and nearest to a corner: the multipliers of its two edges, combined so that they point at the centre of
    # mass.
    corner = edge if share == 0.0 else following
    before = (corner - 1) % len(starts)
    out = (z - starts[corner]) / distances[edge]
    mix = np.linalg.solve(region.normals[[before, corner]].T, out)
    priced = [region.proof.multipliers[e] / _tilt(region, e) for e in (before, corner)]
    return held[corner], mix[0] * priced[0] + mix[1] * priced[1], bool((mix > TIED).all())


def _tilt(region: SupportRegion, edge: int) -> float:
    """Length of the edge's normal by its multiplier: y . (weight shifted by z) is -a . z, and this is |a|."""
    torque = region.proof.multipliers[edge][3:]
    arms = np.cross(region.frame.axes, region.mass * region.gravity)  # torque of the weight per metre along each axis
    return float(np.linalg.norm(arms @ torque))


# The same with torque limits of the limbs: the region's border by programs over hands and torques.

#: A point further along an edge's normal than this fraction of the region's size is a new vertex.
FURTHER = 1e-10

#: Largest number of programs of a region.
MOST_EDGES = 2000


def limited_lean(
    ask: Callable[..., Any],
    stand: Stand,
    mass: float,
    gravity: Array,
    slope: Callable[[Stand, Any], tuple[bool | None, Array]] | None,
) -> MarginSlope:
    """`lean_margin` with torque limits of limb joints: min over unit d, normal to gravity, of the support h(d).

    h(d) is the largest shift of the centre of mass along d. Inside it is the distance of the nearest edge; outside,
    minus the distance of the nearest point.

    Args:
        ask: (base (6,), axes (p, 6), objective (p,), judge=) to the optimum at `stand`.
        stand: poses of the palms.
        mass: [kg].
        gravity: (3,) [m/s^2].
        slope: an optimum to (whether it is unique, the slope (v,) of its value); None for no slope.
    """
    across = np.linalg.svd(gravity[None])[2][1:]  # (2, 3)
    base = -np.concatenate([mass * gravity, np.zeros(3)])
    axes = np.concatenate([np.zeros((2, 3)), -np.cross(across, mass * gravity)], axis=1)

    def furthest(d: Array) -> Any:
        found = ask(base, axes, d)
        if found.status is SumStatus.UNBOUNDED:
            fix = "bound the grips (cap=...), or use LoadGrowth() or Pushes()"
            raise InputError("the centre of mass may shift without limit", where="margin: Lean()", fix=fix)
        return found

    corners: list[Array] = []
    for d in np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]):
        found = furthest(d)
        if found.status is not SumStatus.OPTIMAL:
            nowhere = np.zeros(0) if slope is None else slope(stand, found)[1] + np.nan
            return MarginSlope(-np.inf, nowhere, False, "leaning: the region is empty")
        corners.append(found.z)
    corners = _rounded_off(corners, furthest)
    point, way, edge = _nearest_of(np.array(corners))
    value = float(way @ point)
    if slope is None:
        return MarginSlope(value, np.zeros(0), None, "leaning")
    # On an edge the optimum along its normal is not unique: the line through the nearest point gives the right one.
    if edge:
        found = ask(base + point @ axes, way[None] @ axes, np.ones(1), judge=True)
    else:
        found = ask(base, axes, way, judge=True)
    unique, gradient = slope(stand, found)
    tied = edge and value >= 0.0 and _is_tied(np.array(corners), value)
    return MarginSlope(value, gradient, False if tied else unique, "leaning")


def _rounded_off(corners: list[Array], furthest: Callable[[Array], Any]) -> list[Array]:
    """All corners of the region, counter-clockwise, from some of them."""
    size = max(float(np.ptp(np.array(corners), axis=0).max()), tolerances.SMALLEST_LENGTH)
    kept = [corners[0]]
    for corner in corners[1:]:
        if np.linalg.norm(corner - kept[-1]) > FURTHER * size and np.linalg.norm(corner - kept[0]) > FURTHER * size:
            kept.append(corner)
    at, programs = 0, 0
    while len(kept) > 1 and at < len(kept) and programs < MOST_EDGES:
        first, last = kept[at], kept[(at + 1) % len(kept)]
        along = last - first
        normal = np.array([along[1], -along[0]]) / np.linalg.norm(along)
        found, programs = furthest(normal), programs + 1
        ends = min(np.linalg.norm(found.z - first), np.linalg.norm(found.z - last))
        if normal @ (found.z - first) > FURTHER * size and ends > FURTHER * size:
            kept.insert(at + 1, found.z)
        else:
            at += 1
    return kept


def _nearest_of(corners: Array) -> tuple[Array, Array, bool]:
    """(nearest border point (2,) to the origin, unit d (2,) of smallest support there, whether it is not a corner)."""
    starts, ends = corners, np.roll(corners, -1, axis=0)
    along = ends - starts
    lengths = np.maximum((along * along).sum(axis=1), np.finfo(float).tiny)
    shares = np.clip(-(starts * along).sum(axis=1) / lengths, 0.0, 1.0)
    feet = starts + shares[:, None] * along
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.sqrt(lengths)[:, None]
    levels = (normals * starts).sum(axis=1)
    inside = len(corners) > 2 and bool((levels >= 0.0).all())
    nearest = int(np.argmin(levels if inside else np.linalg.norm(feet, axis=1)))
    distance = float(np.linalg.norm(feet[nearest]))
    if inside or (0.0 < shares[nearest] < 1.0 and levels[nearest] < 0.0):
        return levels[nearest] * normals[nearest], normals[nearest], True
    if distance == 0.0:
        return feet[nearest], normals[nearest], False
    return feet[nearest], -feet[nearest] / distance, False


def _is_tied(corners: Array, value: float) -> bool:
    """Whether another edge is equally near to the origin, which is inside."""
    along = np.roll(corners, -1, axis=0) - corners
    levels = (np.column_stack([along[:, 1], -along[:, 0]]) * corners).sum(axis=1) / np.linalg.norm(along, axis=1)
    size = float(np.abs(corners).max())
    return int((levels <= value + TIED * size).sum()) > 1
