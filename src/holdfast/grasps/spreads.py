"""Poses of a hand over three contacts: the spread for which its forces are nearest to the contact normals.

In the frame of the two fingers' contacts (origin midway between them, n away from the thumb, x to the right of n) the
thumb axis h at the spread theta is turned by phi from n towards x, where

    phi = atan2(A, B),  A = Du cos(theta),  B = Dn cos(theta) + L/2 sin(theta),  phi' = -Du L/2 / (A^2 + B^2),

with (Du, Dn) from the thumb's contact to the origin and L between the fingers' contacts. The extensions are

    e1 = (Dn + L/2 tan) / cos(phi) - L cos(phi) / sin(2 theta) + a cot(theta),
    e2, e3 = L cos(theta +/- phi) / sin(2 theta) - a / sin(theta),

and the deviations of the forces from the normals are phi and theta, added up, and wrapped to [-pi, pi]. The local
minima of the sum of their squares are bracketed on a grid that is finer towards its ends, and found by bisection of the
slope. Where the best of them is out of the fingers' reach, the spreads at which the fingers come into reach are
bracketed too; stretches within reach that are narrower than the grid are found by golden sections.

All grasps are solved at once. The shape of a grasp's contacts is (L, Du, Dn, c1, c2, c3), with the angles c of the
normals; of many grasps it is an array (6, g).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..checks import Array, BoolArray, IntArray

#: Outcomes: the constrained optimum; no spread within reach; no three-finger pose at all.
REACHED, OUT_OF_REACH, IN_LINE, COINCIDENT, BACK_TO_BACK, OFF_PIVOTS = range(6)

TURN = 2.0 * np.pi

#: Contacts are collinear, or coincide, when their distance is below this fraction of their extent.
FLAT = 1e-12

#: Tolerance of the limits of an extension, as a fraction of the longest one; it is then set to the limit.
SLACK = 1e-9

#: Margin beyond rounding by which a sum of squares [rad^2] must be lower than another.
LOWER = 1e-13

#: Spreads of the grid.
POINTS = 257

#: Halvings of an interval of the grid, after which its ends are equal up to rounding.
HALVINGS = 50

#: Golden sections of two intervals of the grid, which end within 1e-10 of them.
SECTIONS = 48

#: Sideways tolerance of parallel fingers at their contacts, as a fraction of the pivots' offset.
PIVOT_PLAY = 0.02

#: Grasps that are solved together.
AT_ONCE = 1024


def wrapped(angle: Array) -> Array:
    """The angles in [-pi, pi] that differ by whole turns."""
    return angle - TURN * np.floor(angle / TURN + 0.5)


def _axis_parts(sine: Array, cosine: Array, shape: Array) -> tuple[Array, Array]:
    """A and B of the thumb axis' angle at spreads of which sines and cosines are given."""
    return shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine


def squares(theta: Array, shape: Array) -> Array:
    """Sums of the squared deviations [rad^2] at spreads."""
    phi = np.arctan2(*_axis_parts(np.sin(theta), np.cos(theta), shape))
    first = wrapped(shape[3] - phi)
    second = wrapped(shape[4] - phi + theta)
    third = wrapped(shape[5] - phi - theta)
    return first * first + second * second + third * third


def _slopes(theta: Array, shape: Array) -> Array:
    """Half the derivatives of the sums of squares [rad] at spreads."""
    a, b = _axis_parts(np.sin(theta), np.cos(theta), shape)
    phi, rate = np.arctan2(a, b), -0.5 * shape[1] * shape[0] / (a * a + b * b)
    second = wrapped(shape[4] - phi + theta)
    third = wrapped(shape[5] - phi - theta)
    return second - third - rate * (wrapped(shape[3] - phi) + second + third)


def extensions(theta: Array, shape: Array, offset: float) -> Array:
    """Extensions (3, ...) of thumb, left and right finger [mm] at spreads; `offset` is that of the pivots."""
    sine, cosine = np.sin(theta), np.cos(theta)
    a, b = _axis_parts(sine, cosine, shape)
    size = np.sqrt(a * a + b * b)
    double = 2.0 * sine * cosine
    return np.stack(
        [
            size / cosine - shape[0] * b / (size * double) + offset * cosine / sine,
            shape[0] * (cosine * b - sine * a) / (size * double) - offset / sine,
            shape[0] * (cosine * b + sine * a) / (size * double) - offset / sine,
        ]
    )


def _excess(theta: Array, shape: Array, offset: float, longest: float, closest: float) -> Array:
    """How far the worst extension is beyond its limits [mm] at spreads."""
    reach = extensions(theta, shape, offset)
    return np.maximum(reach.max(axis=0) - longest, closest - reach.min(axis=0))


def within(theta: Array, shape: Array, offset: float, longest: float, closest: float = 0.0) -> BoolArray:
    """Whether all extensions are between `closest` and `longest`."""
    reach, slack = extensions(theta, shape, offset), SLACK * longest
    return (reach.min(axis=0) >= closest - slack) & (reach.max(axis=0) <= longest + slack)


def _bisected(inside: Callable[[Array], BoolArray], first: Array, last: Array) -> Array:
    """The last spreads inside, up to rounding, between `first`, which are inside, and `last`, which are not."""
    for _ in range(HALVINGS):
        middle = 0.5 * (first + last)
        kept = inside(middle)
        first, last = np.where(kept, middle, first), np.where(kept, last, middle)
    return first


def _golden(value: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Spreads of the smallest value between `low` and `high`, by golden sections."""
    golden = 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(SECTIONS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        falls = value(left) > value(right)
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return 0.5 * (low + high)


def _lowest(rows: IntArray, theta: Array, value: Array, count: int) -> Array:
    """For each of `count` rows the first of its spreads with the smallest sum of squares up to rounding, or -1."""
    least = np.full(count, np.inf)
    np.minimum.at(least, rows, value)
    near = np.flatnonzero(value <= least[rows] + LOWER * (1.0 + least[rows]))
    first = np.full(count, len(rows))
    np.minimum.at(first, rows[near], near)
    return np.append(theta, -1.0)[first]


def _grid(low: float, high: float) -> Array:
    """Spreads from `low` to `high`, both exact, finer towards the ends, where the thumb's axis may turn quickly."""
    grid = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.linspace(0.0, np.pi, POINTS))
    grid[0], grid[-1] = low, high
    return grid


#: Grasps (k,) with a spread of each (k,), or with one between two others (3, k).
_Spreads = tuple[IntArray, Array]


def _valleys(grid: Array, shape: Array) -> _Spreads:
    """All local minima of the sums of squares, and ends of the range from which a sum rises; in order of the spread."""
    rises = np.pad(_slopes(grid, shape[:, :, None]) > 0.0, ((0, 0), (1, 1)), constant_values=((0, 0), (False, True)))
    row, step = np.nonzero(~rises[:, :-1] & rises[:, 1:])
    low, high = grid[np.maximum(step - 1, 0)], grid[np.minimum(step, POINTS - 1)]
    return row, np.stack([low, _bisected(lambda theta: _slopes(theta, shape[:, row]) <= 0.0, low, high), high])


def _edges(
    grid: Array, left: IntArray, valleys: _Spreads, shape: Array, limits: tuple[float, float, float]
) -> _Spreads:
    """Spreads of the grasps `left` at which the fingers come into reach, or are nearest to it."""
    excess = np.pad(_excess(grid, shape[:, left, None], *limits), ((0, 0), (1, 1)), constant_values=np.inf)
    here = excess[:, 1:-1]
    place, step = np.nonzero((here > 0.0) & (here <= excess[:, :-2]) & (here <= excess[:, 2:]))
    row, low, high = left[place], grid[np.maximum(step - 1, 0)], grid[np.minimum(step + 1, POINTS - 1)]
    near = _golden(lambda theta: _excess(theta, shape[:, row], *limits), low, high)
    place, step = np.nonzero((here[:, 1:] > 0.0) != (here[:, :-1] > 0.0))
    pairs = [(left[place], grid[step], grid[step + 1]), (row, low, near), (row, near, high)]
    pairs += [(valleys[0], valleys[1][0], valleys[1][1]), (valleys[0], valleys[1][1], valleys[1][2])]
    rows, first, last = (np.concatenate(part) for part in zip(*pairs, strict=True))
    out, beyond = (_excess(theta, shape[:, rows], *limits) > 0.0 for theta in (first, last))
    first, last = np.where(out, last, first), np.where(out, first, last)
    rows, first, last = rows[out != beyond], first[out != beyond], last[out != beyond]
    edge = _bisected(lambda theta: _excess(theta, shape[:, rows], *limits) <= 0.0, first, last)
    return np.concatenate([row, rows]), np.concatenate([near, edge])


def best_spreads(
    ends: tuple[float, float], shape: Array, offset: float, longest: float, closest: float = 0.0
) -> tuple[Array, BoolArray]:
    """The spreads (g,) with the smallest sum of squares within reach, and whether there is one; else the best of all.

    `ends` are the smallest and the largest spread.
    """
    count, grid, limits = shape.shape[1], _grid(*ends), (offset, longest, closest)
    row, valley = _valleys(grid, shape)
    free = _lowest(row, valley[1], squares(valley[1], shape[:, row]), count)
    left = ~within(free, shape, *limits)
    some = left[row]
    rows, edges = _edges(grid, np.flatnonzero(left), (row[some], valley[:, some]), shape, limits)
    rows, theta = np.concatenate([row, rows]), np.concatenate([valley[1], edges])
    kept = within(theta, shape[:, rows], *limits)
    rows, theta = rows[kept], theta[kept]
    best = _lowest(rows, theta, squares(theta, shape[:, rows]), count)
    return np.where(best >= 0.0, best, free), best >= 0.0


def _on_limit(value: Array, longest: float, closest: float) -> Array:
    """Extensions; those beyond a limit by rounding are set to the limit."""
    slack = SLACK * longest
    value = np.where((value >= closest - slack) & (value < closest), closest, value)
    return np.where((value > longest) & (value <= longest + slack), longest, value)


def local_shapes(contacts: Array, normals: Array, left: IntArray, right: IntArray) -> tuple[Array, Array, IntArray]:
    """(6, g) shapes, (g,) directions of n and (g,) errors: the contacts (g, 3, 2) in the fingers' frame.

    `left` and `right` (g,) are the contacts left and right of the thumb's axis.
    """
    rows = np.arange(len(contacts))
    middle = 0.5 * (contacts[:, 1] + contacts[:, 2])
    across_x, across_y = (contacts[rows, right] - contacts[rows, left]).T
    length = np.hypot(across_x, across_y)
    from_x, from_y = (middle - contacts[:, 0]).T
    extent = np.maximum(length, np.hypot(from_x, from_y))
    coincident = (length <= FLAT * extent) | (extent == 0.0)
    size = np.where(coincident, 1.0, length)
    right_x, right_y = across_x / size, across_y / size
    away = from_y * right_x - from_x * right_y  # along n = the direction to the right, turned by +90 deg
    heading = np.arctan2(right_x, -right_y)
    angle = np.arctan2(normals[..., 1], normals[..., 0])
    shape = np.stack(
        [
            length,
            from_x * right_x + from_y * right_y,
            away,
            heading - angle[:, 0],
            heading + np.pi - angle[rows, left],
            heading + np.pi - angle[rows, right],
        ]
    )
    outcome = np.where(coincident, COINCIDENT, np.where(away <= FLAT * extent, IN_LINE, REACHED))
    return shape, heading, outcome


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses over g grasps; NaN where there is none. See `hands.HandPoses`.

    Attributes:
        spread: (g,) opening angles [rad].
        palm: (g, 2) [mm].
        axis: (g, 2) unit thumb axes h.
        forces: (g, 3, 2) unit directions in which fingers push.
        focus: (g, 2) where the lines of force meet [mm]; NaN for parallel fingers.
        reach: (g, 3) extensions [mm].
        outcome: (g,) outcome.
    """

    spread: Array
    palm: Array
    axis: Array
    forces: Array
    focus: Array
    reach: Array
    outcome: IntArray


def solve(
    contacts: Array,
    normals: Array,
    virtual: BoolArray,
    offset: float,
    longest: float,
    ends: tuple[float, float],
    able: BoolArray,
    *,
    closest: float = 0.0,
    pads: bool = False,
    pinch: BoolArray | None = None,
) -> Poses:
    """Poses over grasps (g, 3, 2), those of `virtual` (g,) with parallel fingers, of `pinch` (g,) with opposite ones.

    `ends` as in `best_spreads`; `offset` of the pivots, `longest` and `closest` extension [mm]; grasps that are
    not `able` (g,) get no pose and the outcome -1. With `pads`, parallel fingers are the ends of the patch that a pad
    touches, which may be narrower than the pad.
    """
    count = len(contacts)
    spread, palm, axis, forces, focus, reach = (
        np.full((count, *shape), np.nan) for shape in ((), (2,), (2,), (3, 2), (2,), (3,))
    )
    poses = Poses(spread, palm, axis, forces, focus, reach, np.full(count, -1))
    pinched = np.zeros(count, dtype=bool) if pinch is None else pinch
    _parallel(poses, np.flatnonzero(virtual & ~pinched & able), contacts, normals, offset, longest, pads)
    _opposite(poses, np.flatnonzero(pinched & able), contacts, normals, offset, (closest, longest))
    others = np.flatnonzero(~virtual & ~pinched & able)
    for first in range(0, len(others), AT_ONCE):
        _spread(poses, others[first : first + AT_ONCE], contacts, normals, offset, (closest, longest), ends)
    return poses


def _spread(
    poses: Poses,
    rows: IntArray,
    contacts: Array,
    normals: Array,
    offset: float,
    limits: tuple[float, float],
    ends: tuple[float, float],
) -> None:
    """Write the poses of three-finger grasps."""
    one, two = (contacts[rows, 1:] - contacts[rows, :1]).swapaxes(0, 1)
    left = np.where(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0] > 0.0, 2, 1)
    shape, heading, outcome = local_shapes(contacts[rows], normals[rows], left, 3 - left)
    poses.outcome[rows] = outcome
    posed = outcome == REACHED
    rows, left, shape, heading = rows[posed], left[posed], shape[:, posed], heading[posed]
    if not len(rows):
        return
    closest, longest = limits
    theta, reached = best_spreads(ends, shape, offset, longest, closest)
    poses.spread[rows], poses.outcome[rows] = theta, np.where(reached, REACHED, OUT_OF_REACH)
    sine, cosine = np.sin(theta), np.cos(theta)
    yaw = heading - np.arctan2(*_axis_parts(sine, cosine, shape))
    axis = np.stack([np.cos(yaw), np.sin(yaw)], axis=1)
    reach = extensions(theta, shape, offset)
    for finger, column in zip((0, left, 3 - left), _on_limit(reach, longest, closest), strict=True):
        poses.reach[rows, finger] = column
    poses.axis[rows] = poses.forces[rows, 0] = axis
    # From the thumb's contact along h: the palm centre one extension away, the real focus a cot(theta) before it.
    poses.palm[rows] = contacts[rows, 0] + reach[0][:, None] * axis
    poses.focus[rows] = contacts[rows, 0] + (reach[0] - offset * cosine / sine)[:, None] * axis
    for finger, turn in ((left, yaw + theta), (3 - left, yaw - theta)):
        poses.forces[rows, finger] = np.stack([-np.cos(turn), -np.sin(turn)], axis=1)


def _parallel(
    poses: Poses,
    rows: IntArray,
    contacts: Array,
    normals: Array,
    offset: float,
    longest: float,
    pads: bool,
) -> None:
    """Write the poses with parallel fingers, which are on the other side of the palm than the thumb."""
    poses.spread[rows] = 0.0
    rows, axis = _closing_axis(poses, rows, normals)
    to = contacts[rows, 1:] - contacts[rows, :1]  # (g, 2, 2)
    h = axis[:, None]
    aside = to[..., 0] * h[..., 1] - to[..., 1] * h[..., 0]
    # Midway between the thumb's contact and the fingers': e1 = (e2 + e3) / 2.
    thumb = 0.5 * (0.5 * (to * h).sum(axis=2)).sum(axis=1)
    palm = contacts[rows, 0] + thumb[:, None] * axis
    ahead = ((contacts[rows, 1:] - palm[:, None]) * h).sum(axis=2)
    reach = _on_limit(np.column_stack([thumb, ahead]), longest, 0.0)
    poses.axis[rows], poses.palm[rows], poses.reach[rows] = axis, palm, reach
    poses.forces[rows] = axis[:, None] * np.array([[1.0], [-1.0], [-1.0]])
    beside = np.abs(aside) - offset if pads else np.abs(np.abs(aside) - offset)
    off = (beside.max(axis=1) > PIVOT_PLAY * offset) | (aside[:, 0] * aside[:, 1] > 0.0)
    kept = ((reach >= 0.0) & (reach <= longest)).all(axis=1)
    poses.outcome[rows] = np.where(off, OFF_PIVOTS, np.where(kept, REACHED, OUT_OF_REACH))


def _closing_axis(poses: Poses, rows: IntArray, normals: Array) -> tuple[IntArray, Array]:
    """The rows whose two regions face each other, and their axes h = normalised(N_A - N_B) (g, 2)."""
    axis = normals[rows, 0] - 0.5 * (normals[rows, 1] + normals[rows, 2])
    size = np.hypot(axis[:, 0], axis[:, 1])
    facing = size > FLAT
    poses.outcome[rows[~facing]] = BACK_TO_BACK
    return rows[facing], axis[facing] / size[facing, None]


def _opposite(
    poses: Poses, rows: IntArray, contacts: Array, normals: Array, offset: float, limits: tuple[float, float]
) -> None:
    """Write the poses of pinches: the spread is 90 deg, fingers 2 and 3 face each other along s, the thumb is open.

    Contact 1 is finger 2's, which stands left of h and pushes along s; contacts 2 and 3 are the ends of the patch under
    finger 3. All extensions are those of the two fingers: half the distance of their contacts minus the pivots' offset.
    """
    poses.spread[rows] = 0.5 * np.pi
    rows, side = _closing_axis(poses, rows, normals)
    far = contacts[rows, 1:].mean(axis=1)
    apart = ((far - contacts[rows, 0]) * side).sum(axis=1)
    closest, longest = limits
    reach = _on_limit(0.5 * apart - offset, longest, closest)
    poses.axis[rows] = np.stack([-side[:, 1], side[:, 0]], axis=1)  # h, s turned by +90 deg
    poses.palm[rows] = 0.5 * (far + contacts[rows, 0])
    poses.reach[rows] = reach[:, None]
    poses.forces[rows] = side[:, None] * np.array([[1.0], [-1.0], [-1.0]])
    kept = (reach >= closest) & (reach <= longest) & (apart > 0.0)
    poses.outcome[rows] = np.where(kept, REACHED, OUT_OF_REACH)
