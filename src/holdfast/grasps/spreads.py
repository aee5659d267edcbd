"""Poses of a hand over three contacts: the spread for which its forces are nearest to the contact normals.

In the frame of the two fingers' contacts (origin midway between them, n away from the thumb, x to the right of n) the
thumb axis h at the spread theta is turned by phi from n towards x, where

    phi = atan2(A, B),  A = Du cos(theta),  B = Dn cos(theta) + L/2 sin(theta),  phi' = -Du L/2 / (A^2 + B^2),

with (Du, Dn) from the thumb's contact to the origin and L between the fingers' contacts. The extensions are

    e1 = (Dn + L/2 tan) / cos(phi) - L cos(phi) / sin(2 theta) + a cot(theta),
    e2, e3 = L cos(theta +/- phi) / sin(2 theta) - a / sin(theta),

and the deviations of the forces from the normals are phi and theta, added up, and wrapped to [-pi, pi]. All local
minima of the sum of their squares are bracketed on a grid and refined; if the lowest of them is out of the
fingers' reach, so are all points at which an extension is at one of its limits.

All grasps are solved at once. The shape of a grasp's contacts is (L, Du, Dn, c1, c2, c3), with the angles c of the
normals; of many grasps it is an array (6, g).
"""

from __future__ import annotations

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

#: Spreads with a smaller relative difference are equal up to rounding.
RESOLUTION = 4.0 * float(np.finfo(np.float64).eps)

#: A Newton step below this fraction of the spread is the last one: its error is squared.
LAST_STEP = 1e-9

#: An extension is at its limit within this fraction of the longest one.
MET = 1e-15

#: Most steps of a refinement.
REFINEMENTS = 80

#: Parts into which an interval of the grid is divided when limits are looked for.
PARTS = 2

#: Steps of a golden-section search, which end within 1e-9 of a part.
SECTIONS = 44

#: Sideways tolerance of parallel fingers at their contacts, as a fraction of the pivots' offset.
PIVOT_PLAY = 0.02

#: Grasps that are solved together.
AT_ONCE = 2048


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


def _axis(sine: Array, cosine: Array, shape: Array) -> tuple[Array, Array, Array]:
    """The thumb axis' angle phi from n at spreads of which sines and cosines are given, and its two derivatives."""
    a, b = _axis_parts(sine, cosine, shape)
    share = 1.0 / (a * a + b * b)
    rate = -0.5 * shape[1] * shape[0] * share
    bend = -2.0 * rate * share * (b * (0.5 * shape[0] * cosine - shape[2] * sine) - a * shape[1] * sine)
    return np.arctan2(a, b), rate, bend


def _turns(theta: Array, phi: Array, shape: Array) -> Array:
    """Whole turns (3, ...) by which the three deviations are wrapped."""
    return np.floor(np.stack([shape[3] - phi, shape[4] - phi + theta, shape[5] - phi - theta]) / TURN + 0.5)


def _slopes_at(theta: Array, axis: tuple[Array, Array, Array], shape: Array, turns: Array) -> tuple[Array, Array]:
    """Half the derivative of the sum of squares, and the derivative of that, with fixed whole turns."""
    phi, rate, bend = axis
    first = shape[3] - phi - TURN * turns[0]
    second = shape[4] - phi + theta - TURN * turns[1]
    third = shape[5] - phi - theta - TURN * turns[2]
    total = first + second + third
    return second - third - rate * total, 2.0 + 3.0 * rate * rate - bend * total


def _slopes(theta: Array, shape: Array, turns: Array) -> tuple[Array, Array]:
    """`_slopes_at` any spreads."""
    return _slopes_at(theta, _axis(np.sin(theta), np.cos(theta), shape), shape, turns)


def _roots(low: Array, high: Array, shape: Array, turns: Array) -> Array:
    """Spreads between `low` and `high` where the slope increases through zero: Newton steps within a bracket."""
    found = 0.5 * (low + high)
    rows, theta = np.arange(len(low)), found.copy()
    for _ in range(REFINEMENTS):
        slope, rate = _slopes(theta, shape, turns)
        low, high = np.where(slope > 0.0, low, theta), np.where(slope > 0.0, theta, high)
        step = theta - slope / rate
        newton = (low < step) & (step < high)
        step = np.where(slope == 0.0, theta, np.where(newton, step, 0.5 * (low + high)))
        found[rows] = step
        share = np.where(newton, LAST_STEP, RESOLUTION)
        going = np.flatnonzero((np.abs(step - theta) > share * theta) & (low < step) & (step < high))
        if not len(going):
            break
        rows, theta, low, high = rows[going], step[going], low[going], high[going]
        shape, turns = shape[:, going], turns[:, going]
    return found


def _beyond(low: Array, high: Array, shape: Array, turns: Array, sign: Array) -> Array:
    """Spreads between `low` and `high` at which sign times the slope is positive; NaN if its maximum is not.

    The maximum is bracketed by bisection until such a spread is found or none is possible.
    """
    found = np.full(len(low), np.nan)
    rows = np.arange(len(low))
    for _ in range(REFINEMENTS):
        theta = 0.5 * (low + high)
        value, rate = (sign * part for part in _slopes(theta, shape, turns))
        found[rows[value > 0.0]] = theta[value > 0.0]
        going = np.flatnonzero((value <= 0.0) & (-value <= 2.0 * np.abs(rate) * (high - low)))
        if not len(going):
            break
        low, high = np.where(rate > 0.0, theta, low)[going], np.where(rate > 0.0, high, theta)[going]
        rows, shape, turns, sign = rows[going], shape[:, going], turns[:, going], sign[going]
    return found


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


def within(theta: Array, shape: Array, offset: float, longest: float, closest: float = 0.0) -> BoolArray:
    """Whether all extensions are between `closest` and `longest`."""
    reach, slack = extensions(theta, shape, offset), SLACK * longest
    return (reach.min(axis=0) >= closest - slack) & (reach.max(axis=0) <= longest + slack)


def _reaches(sine: Array, cosine: Array, shape: Array, offset: float) -> Array:
    """Extensions (3, ...) of thumb, left and right finger, times sin(2 theta), which are smooth and finite."""
    a, b = _axis_parts(sine, cosine, shape)
    size = np.sqrt(a * a + b * b)
    share, pivots = shape[0] / size, 2.0 * offset * cosine
    reach = np.empty((3, *a.shape))
    reach[0] = 2.0 * sine * size - share * b + pivots * cosine
    reach[1] = share * (cosine * b - sine * a) - pivots
    reach[2] = share * (cosine * b + sine * a) - pivots
    return reach


@dataclass(frozen=True, eq=False)
class _Limits:
    """Limits (k,) of extensions, one grasp each: 0 the thumb's lower one, 1 its upper one, and so on."""

    limit: IntArray
    shape: Array
    offset: float
    longest: float
    closest: float

    def room(self, theta: Array) -> Array:
        """Distance of the extensions from these limits at spreads (k,)."""
        sine, cosine = np.sin(theta), np.cos(theta)
        reach = _reaches(sine, cosine, self.shape, self.offset)[self.limit // 2, np.arange(len(theta))]
        double = 2.0 * sine * cosine
        return np.where(self.limit % 2 == 0, reach - self.closest * double, self.longest * double - reach)

    def select(self, chosen: Array) -> _Limits:
        """Those of an index array or mask."""
        return _Limits(self.limit[chosen], self.shape[:, chosen], self.offset, self.longest, self.closest)

    def crossings(self, low: Array, high: Array) -> Array:
        """Spreads at which the extensions are at their limits, between two spreads with opposite signs of the distance.

        By the Illinois method: chords between the two, where the value of an end that is kept for two steps is halved.
        """
        low, high = low.copy(), high.copy()
        below, above = self.room(low), self.room(high)
        found = np.where(np.abs(below) < np.abs(above), low, high)
        rows = np.arange(len(low))
        for step in range(REFINEMENTS):
            if not len(rows):
                break
            a, b, fa, fb = low[rows], high[rows], below[rows], above[rows]
            theta = b - fb * (b - a) / np.where(fb == fa, 1.0, fb - fa)
            halved = ~((a < theta) & (theta < b)) | (step % 8 == 7)
            theta = np.where(halved, 0.5 * (a + b), theta)
            value = self.select(rows).room(theta)
            same = (value > 0.0) == (fb > 0.0)
            # the end on the other side is kept
            high[rows], above[rows] = np.where(same, theta, b), np.where(same, value, 0.5 * fb)
            low[rows], below[rows] = np.where(same, a, theta), np.where(same, 0.5 * fa, value)
            moved = np.abs(theta - found[rows])
            found[rows] = theta
            going = (np.abs(value) > MET * self.longest) & (moved > RESOLUTION * theta)
            rows = rows[going & (a < theta) & (theta < b)]
        return found

    def turnings(self, low: Array, high: Array, sign: Array, bend: Array) -> tuple[IntArray, Array]:
        """Limits that are crossed at the largest sign times distance between two spreads, and a spread beyond each.

        By golden sections, until a spread beyond the limit is found or none is possible: the possible gain decreases
        with the square of the interval, from about `bend` on.
        """
        golden = 0.6180339887498949
        left, right = high - golden * (high - low), low + golden * (high - low)
        first, second = sign * self.room(left), sign * self.room(right)
        rows, limits, gain = np.arange(len(low)), self, 8.0 * bend
        over = [(rows[:0], low[:0])]
        for _ in range(SECTIONS):
            top, at = np.maximum(first, second), np.where(first < second, right, left)
            over.append((rows[top > 0.0], at[top > 0.0]))
            gain = golden * golden * gain
            going = np.flatnonzero((top <= 0.0) & (-top <= gain))
            if not len(going):
                break
            rows, limits, sign, gain = rows[going], limits.select(going), sign[going], gain[going]
            low, left, first, right, second, high = (part[going] for part in (low, left, first, right, second, high))
            up = first < second
            low, high = np.where(up, left, low), np.where(up, high, right)
            fresh = np.where(up, low + golden * (high - low), high - golden * (high - low))
            value = sign * limits.room(fresh)
            left, right = np.where(up, right, fresh), np.where(up, fresh, left)
            first, second = np.where(up, second, value), np.where(up, value, first)
        found = [np.concatenate(part) for part in zip(*over, strict=True)]
        return found[0], found[1]


def _lowest(rows: IntArray, theta: Array, value: Array, count: int) -> tuple[Array, Array]:
    """For each of `count` rows the first of its spreads with the smallest sum of squares up to rounding, and that sum.

    Rows without a spread have -1 and infinity.
    """
    least = np.full(count, np.inf)
    np.minimum.at(least, rows, value)
    near = np.flatnonzero(value <= least[rows] + LOWER * (1.0 + least[rows]))
    first = np.full(count, len(rows))
    np.minimum.at(first, rows[near], near)
    return np.append(theta, -1.0)[first], np.append(value, np.inf)[first]


def _valleys(table: Array, shape: Array) -> tuple[IntArray, Array]:
    """Rows and spreads of all local minima of the sums of squares, and of ends from which a sum rises; in order."""
    spread, sine, cosine = table[::PARTS].T
    column = shape[:, :, None]
    axis = _axis(sine, cosine, column)
    turns = _turns(spread, axis[0], column)  # (3, g, points)
    own = _slopes_at(spread, axis, column, turns)
    same = (turns[:, :, 1:] == turns[:, :, :-1]).all(axis=0)
    left, right = (own[0][:, :-1], own[1][:, :-1]), (own[0][:, 1:], own[1][:, 1:])
    falls, rises = np.flatnonzero(own[0][:, 0] >= 0.0), np.flatnonzero(own[0][:, -1] <= 0.0)
    last = len(spread) - 1
    found = [(falls, np.full(len(falls), -1), np.full(len(falls), spread[0]))]
    row, step = np.nonzero(same & _may_turn(left, right))
    some = [(row, step, turns[:, row, step], *((slope[0][row, step], slope[1][row, step]) for slope in (left, right)))]
    # Where a deviation wraps, the sum is the lower of two smooth ones: both are searched.
    row, step = np.nonzero(~same)
    if len(row):
        for side in (0, 1):
            kept = turns[:, row, step + side]
            ends = [
                _slopes_at(spread[at], (axis[0][row, at], axis[1][row, at], axis[2][row, at]), shape[:, row], kept)
                for at in (step, step + 1)
            ]
            some.append((row, step, kept, *ends))
    for row, step, kept, one, other in some:
        low, high, own_shape = spread[step], spread[step + 1], shape[:, row]
        straight = (one[0] <= 0.0) & (other[0] >= 0.0)
        dips = (one[0] > 0.0) & (other[0] > 0.0) & (one[1] < 0.0) & (other[1] > 0.0)
        humps = (one[0] < 0.0) & (other[0] < 0.0) & (one[1] > 0.0) & (other[1] < 0.0)
        twice = np.flatnonzero(dips | humps)
        if len(twice):
            sign = np.where(dips[twice], -1.0, 1.0)
            middle = _beyond(low[twice], high[twice], own_shape[:, twice], kept[:, twice], sign)
            twice, middle = twice[middle >= 0.0], middle[middle >= 0.0]
            low, high = low.copy(), high.copy()
            low[twice] = np.where(dips[twice], middle, low[twice])
            high[twice] = np.where(humps[twice], middle, high[twice])
            straight[twice] = True
        some_rows = np.flatnonzero(straight)
        inner = _roots(low[some_rows], high[some_rows], own_shape[:, some_rows], kept[:, some_rows])
        found.append((row[some_rows], step[some_rows], inner))
    found.append((rises, np.full(len(rises), last), np.full(len(rises), spread[-1])))
    rows, steps, spreads = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(steps, kind="stable")
    return rows[order], spreads[order]


def _may_turn(left: tuple[Array, Array], right: tuple[Array, Array]) -> BoolArray:
    """Between which ends, with these slopes and their derivatives, a minimum may lie."""
    bends = (left[1] < 0.0) != (right[1] < 0.0)
    return ((left[0] <= 0.0) & (right[0] >= 0.0)) | (((left[0] > 0.0) == (right[0] > 0.0)) & bends)


def _at_limits(table: Array, shape: Array, offset: float, longest: float, closest: float) -> tuple[IntArray, Array]:
    """Rows and spreads at which an extension meets a limit."""
    spread, sine, cosine = table.T
    reach = _reaches(sine, cosine, shape[:, :, None], offset)
    double = 2.0 * sine * cosine
    rooms = np.stack([reach - closest * double, longest * double - reach], axis=1).reshape(6, *reach.shape[1:])
    inside, size = rooms > 0.0, np.abs(rooms)
    passed = inside[:, :, 1:] != inside[:, :, :-1]
    limit, row, step = np.nonzero(passed)
    # If another extension is beyond its limits at both ends, by more than it bends, it is so in between.
    one, other, inner = rooms[:, row, step], rooms[:, row, step + 1], np.clip(step, 1, len(spread) - 2)
    bend = np.abs(rooms[:, row, inner - 1] - 2.0 * rooms[:, row, inner] + rooms[:, row, inner + 1])
    able = (np.maximum(one, other) >= -(bend + SLACK * longest)).all(axis=0)
    limit, row, step = limit[able], row[able], step[able]
    met = [(limit, row, spread[step], spread[step + 1])]
    # An extremum towards the limit between three points of one side may cross it twice; one at an end of the range is
    # searched in the last interval itself.
    here = size[:, :, 1:-1]
    nearest = (here < size[:, :, :-2]) & (here < size[:, :, 2:]) & ~passed[:, :, :-1] & ~passed[:, :, 1:]
    limit, row, step = np.nonzero(nearest)
    step += 1
    bend = np.abs(rooms[limit, row, step - 1] - 2.0 * rooms[limit, row, step] + rooms[limit, row, step + 1])
    close = size[limit, row, step] <= bend
    turned = [(limit[close], row[close], step[close] - 1, step[close] + 1, bend[close])]
    last = len(spread) - 2
    for step, inner in ((0, 1), (last, last)):
        bend = np.abs(rooms[:, :, inner - 1] - 2.0 * rooms[:, :, inner] + rooms[:, :, inner + 1])
        close = ~passed[:, :, step] & (np.minimum(size[:, :, step], size[:, :, step + 1]) <= bend)
        if step > 0:
            close &= ~nearest[:, :, step - 1]
        limit, row = np.nonzero(close)
        turned.append((limit, row, np.full(len(row), step), np.full(len(row), step + 1), bend[close]))
    limit, row, start, stop, bend = (np.concatenate(part) for part in zip(*turned, strict=True))
    if len(row):
        sign = np.where(inside[limit, row, stop], -1.0, 1.0)
        limits = _Limits(limit, shape[:, row], offset, longest, closest)
        over, turn = limits.turnings(spread[start], spread[stop], sign, bend)
        limit, row = limit[over], row[over]
        met += [(limit, row, spread[start[over]], turn), (limit, row, turn, spread[stop[over]])]
    limit, row, low, high = (np.concatenate(part) for part in zip(*met, strict=True))
    return row, _Limits(limit, shape[:, row], offset, longest, closest).crossings(low, high)


def best_spreads(
    table: Array, shape: Array, offset: float, longest: float, closest: float = 0.0
) -> tuple[Array, BoolArray]:
    """The spreads (g,) with the smallest sum of squares within reach, and whether there is one; else the best of all.

    `table` (PARTS intervals + 1, 3) has the spreads of the grid with their sines and cosines.
    """
    count = shape.shape[1]
    rows, theta = _valleys(table, shape)
    value = squares(theta, shape[:, rows])
    free, lowest = _lowest(rows, theta, value, count)
    kept = within(theta, shape[:, rows], offset, longest, closest)
    rows, theta, value = rows[kept], theta[kept], value[kept]
    best, reached = _lowest(rows, theta, value, count)
    left = np.flatnonzero(~((best >= 0.0) & (reached <= lowest + LOWER * (1.0 + lowest))))
    if len(left):
        some = shape[:, left]
        row, theta = _at_limits(table, some, offset, longest, closest)
        ends = np.arange(len(left))
        rows = np.concatenate([ends, ends, row])
        theta = np.concatenate([np.full(len(left), table[0, 0]), np.full(len(left), table[-1, 0]), theta])
        kept = within(theta, some[:, rows], offset, longest, closest)
        rows, theta = rows[kept], theta[kept]
        had = np.flatnonzero(best[left] >= 0.0)
        rows, theta = np.concatenate([had, rows]), np.concatenate([best[left[had]], theta])
        best[left], _ = _lowest(rows, theta, squares(theta, some[:, rows]), len(left))
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
    table: Array,
    able: BoolArray,
    *,
    closest: float = 0.0,
    pads: bool = False,
    pinch: BoolArray | None = None,
) -> Poses:
    """Poses over grasps (g, 3, 2), those of `virtual` (g,) with parallel fingers, of `pinch` (g,) with opposite ones.

    `table` as in `best_spreads`; `offset` of the pivots, `longest` and `closest` extension [mm]; grasps that are
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
        _spread(poses, others[first : first + AT_ONCE], contacts, normals, offset, (closest, longest), table)
    return poses


def _spread(
    poses: Poses,
    rows: IntArray,
    contacts: Array,
    normals: Array,
    offset: float,
    limits: tuple[float, float],
    table: Array,
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
    theta, reached = best_spreads(table, shape, offset, longest, closest)
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
