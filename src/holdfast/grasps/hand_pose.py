"""Where a hand stands above a grasp: palm, yaw, spread, forces and extensions of its fingers.

Seen from above (mm, y up): the palm centre O, the thumb axis h, s = h turned by -90 deg. The thumb's ray leaves O along
-h and pushes with F1 = h. The fingers pivot about O -/+ a s, left and right of h; their rays are d2 = R(+theta) h and
d3 = R(-theta) h, their forces F2 = -d2 and F3 = -d3. The three lines of force meet in C_C = O - a cot(theta) h, the
real focus. Three contacts leave a one-parameter family of poses in the spread theta; the one with the least sum of
squared deviations of the forces from the contact normals is taken, among those whose extensions are in reach.

A virtual two-finger grasp has theta = 0: the fingers are parallel and 2 a apart, h halves the angle between the normal
at the thumb and those against the fingers, and O stands so that e1 = (e2 + e3) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Array, BoolArray, IntArray
from ..errors import FrameError, InputError
from .hands import Hand, load_hand

if TYPE_CHECKING:
    from pathlib import Path

    from .candidates import Candidates

#: Widest interval in which one minimum over the spread is looked for [rad]; see `solvers.grasps.hand_spread`.
INTERVAL = np.deg2rad(6.0)

#: Towards 0 and 90 deg, where the thumb's axis may turn quickly, an interval is this share of what is left.
SHARE = 0.25

#: A normal counts as of unit length within this.
UNIT_LENGTH = 1e-3


@dataclass(frozen=True, eq=False)
class HandPoses:
    """Poses of a hand over g grasps; fingers in the order of the grasps' contacts, thumb first.

    Rows out of reach hold the pose with the least deviations, reach left aside; rows without a pose hold NaN.

    Attributes:
        spread: theta (g,) [rad], 0 for virtual two-finger grasps.
        palm: palm centre O (g, 2) [mm].
        yaw: direction of h from the x axis (g,) [rad], in [-pi, pi].
        thumb_axis: h (g, 2), unit.
        forces: directions of the forces on the object (g, 3, 2), unit.
        real_focus: C_C (g, 2) [mm], where the lines of force meet; NaN at infinity.
        extensions: from pivot to contact along the ray (g, 3) [mm].
        left: (g,) which contact, 1 or 2 counted from 0, is left of h.
        reachable: (g,) whether the hand can take the pose.
        outcome: (g,) what came of the search, as `solvers.grasps.hand_spread` numbers it; -1 for a kind of grasp that
            the hand does not make.
        virtual: (g,) whether the grasp is a virtual two-finger one.
        hand: the hand.
    """

    spread: Array
    palm: Array
    yaw: Array
    thumb_axis: Array
    forces: Array
    real_focus: Array
    extensions: Array
    left: IntArray
    reachable: BoolArray
    outcome: IntArray
    virtual: BoolArray
    hand: Hand

    def __len__(self) -> int:
        """The number of grasps."""
        return self.spread.shape[0]

    @cached_property
    def reason(self) -> tuple[str, ...]:
        """Why the hand cannot take a pose, in words; "" where it can."""
        words = [""] * len(self)
        for row in np.flatnonzero(~self.reachable):
            words[row] = _reason(self.hand, int(self.outcome[row]), bool(self.virtual[row]), self.extensions[row])
        return tuple(words)

    def pivots(self) -> Array:
        """B1 = O and the pivots of the fingers (g, 3, 2) [mm], each on the side of its own contact."""
        across = np.stack([self.thumb_axis[:, 1], -self.thumb_axis[:, 0]], axis=1)  # s, to the right of h
        result = np.repeat(self.palm[:, None, :], 3, axis=1)
        side = np.where(self.left[:, None] == (1, 2), -self.hand.pivot_offset, self.hand.pivot_offset)
        result[:, 1:] += side[..., None] * across[:, None, :]
        return result


def solve_hand(
    candidates: Candidates | None = None,
    hand: str | Path | Hand = "barrett",
    *,
    contacts: ArrayLike | None = None,
    normals: ArrayLike | None = None,
    virtual: ArrayLike | None = None,
) -> HandPoses:
    """Poses of the hand over all candidates, or over `contacts` with `normals`.

    Args:
        candidates: grasps with contacts, normals and virtual.
        hand: a `Hand`, its name or its file.
        contacts: (g, 3, 2) [mm], thumb first, instead of candidates; (3, 2) for one grasp. Which of the other two is
            left of h is found.
        normals: inward unit normals (g, 3, 2) at the contacts.
        virtual: (g,) whether fingers 2 and 3 are parallel, on one region; none when not given. Their contacts lie a
            left and right of the thumb's line.

    Raises:
        InputError: arrays of wrong shape or with NaN.
        FrameError: normals that are not of unit length.
    """
    from .kernels import hand_poses

    hand = load_hand(hand)
    points, inward, flags = _grasps(candidates, contacts, normals, virtual)
    count = points.shape[0]
    spread, outcome = np.full(count, np.nan), np.zeros(count, dtype=np.int64)
    palm, axis, focus = (np.full((count, 2), np.nan) for _ in range(3))
    forces, reach = np.full((count, 3, 2), np.nan), np.full((count, 3), np.nan)
    able = flags if hand.fingers == 2 else (np.ones(count, dtype=bool) if hand.virtual else ~flags)
    table = _grid(hand.spread_low, hand.spread_high) if hand.fingers == 3 else np.zeros((1, 3))
    rows = np.flatnonzero(able)
    work: list[Array] = [spread, palm, axis, forces, focus, reach, outcome]
    filled = work if able.all() else [array[rows] for array in work]
    hand_poses.solve(
        np.ascontiguousarray(points[rows]) if not able.all() else points,
        np.ascontiguousarray(inward[rows]) if not able.all() else inward,
        flags[rows] if not able.all() else flags,
        float(hand.pivot_offset), float(hand.longest_extension), table, np.empty((6, table.shape[0])), *filled,
    )  # fmt: skip
    if not able.all():
        for array, part in zip(work, filled, strict=True):
            array[rows] = part
    reachable = able & (outcome == hand_poses.REACHED)
    yaw = np.arctan2(axis[:, 1], axis[:, 0])
    outcome[~able] = -1
    to_fingers = points[:, 1:] - points[:, :1]
    left = np.where(to_fingers[:, 0, 0] * to_fingers[:, 1, 1] > to_fingers[:, 0, 1] * to_fingers[:, 1, 0], 2, 1)
    for array in (spread, palm, yaw, axis, forces, focus, reach, left, reachable, outcome):
        array.setflags(write=False)
    return HandPoses(spread, palm, yaw, axis, forces, focus, reach, left, reachable, outcome, flags, hand)


@lru_cache(maxsize=16)
def _grid(low: float, high: float) -> Array:
    """Spreads from the lowest to the highest, both exact, with their sines and cosines (n, 3); finer at the ends."""
    from .kernels.hand_spread import PARTS

    density = np.linspace(low, high, 2049)
    rate = 1.0 / np.minimum(INTERVAL, SHARE * np.minimum(density, np.pi / 2.0 - density))
    passed = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(density))])
    intervals = max(1, int(np.ceil(passed[-1])))
    spreads = np.interp(np.linspace(0.0, passed[-1], PARTS * intervals + 1), passed, density)
    spreads[0], spreads[-1] = low, high
    return np.stack([spreads, np.sin(spreads), np.cos(spreads)], axis=1)


def _grasps(
    candidates: Any, contacts: ArrayLike | None, normals: ArrayLike | None, virtual: ArrayLike | None
) -> tuple[Array, Array, BoolArray]:
    if candidates is not None:
        if contacts is not None or normals is not None or virtual is not None:
            raise InputError("both are given", where="candidates, contacts", fix="give candidates or arrays")
        contacts, normals, virtual = candidates.contacts, candidates.normals, candidates.virtual
    if contacts is None or normals is None:
        raise InputError("missing", where="contacts, normals", fix="give candidates, or contacts and normals")
    points, inward = checks.rows("contacts", contacts, 2), checks.rows("normals", normals, 2)
    if points.ndim == 2 and inward.ndim == 2:
        points, inward = points[None], inward[None]
    for name, value in (("contacts", points), ("normals", inward)):
        if value.ndim != 3 or value.shape[1] != 3 or value.shape[0] != points.shape[0]:
            raise InputError(f"has shape {value.shape}", where=name, fix="give (g, 3, 2), for the same g, thumb first")
    length = np.hypot(inward[..., 0], inward[..., 1])
    wrong = np.abs(length - 1.0) > UNIT_LENGTH
    if wrong.any():
        row, finger = (int(i) for i in np.argwhere(wrong)[0])
        raise FrameError(
            f"has length {length[row, finger]:g}", where=f"normals[{row}, {finger}]", fix="give unit vectors"
        )
    flags = np.zeros(points.shape[0], dtype=np.bool_) if virtual is None else np.atleast_1d(np.asarray(virtual))
    if flags.dtype != np.bool_ or flags.shape != points.shape[:1]:
        raise InputError(f"is {virtual!r}", where="virtual", fix="give one True or False for each grasp")
    return np.ascontiguousarray(points), np.ascontiguousarray(inward), np.ascontiguousarray(flags)


def _reason(hand: Hand, outcome: int, virtual: bool, reach: Array) -> str:
    """Why the hand cannot take a pose, in words."""
    from .kernels import hand_poses

    if outcome < 0 and virtual:
        return f"the hand {hand.name} makes no virtual two-finger grasps"
    if outcome < 0:
        return f"the hand {hand.name} has two fingers and makes virtual two-finger grasps only"
    if outcome == hand_poses.IN_LINE:
        return "the contacts lie in a line"
    if outcome == hand_poses.COINCIDENT:
        return "two contacts lie on one another"
    if outcome == hand_poses.BACK_TO_BACK:
        return "the two regions do not face each other"
    if outcome == hand_poses.OFF_PIVOTS:
        return f"the fingers' contacts are not {2.0 * hand.pivot_offset:g} mm apart about the thumb's line"
    names = ("thumb", "finger 2", "finger 3")
    told = [
        f"{name} would need {value:.0f} mm of {hand.longest_extension:g} mm"
        for name, value in zip(names, reach, strict=True)
        if value > hand.longest_extension
    ] + [f"{name} would stand behind its pivot" for name, value in zip(names, reach, strict=True) if value < 0.0]
    told = "; ".join(told)
    return f"out of reach: {told}" if virtual else f"out of reach at every spread, at the best for the forces: {told}"
