"""The spread that brings a three-finger hand's forces nearest to the contact normals, compiled.

In the frame of the two fingers' contacts (origin midway between them, n away from the thumb, x to the right of n) the
thumb axis h at the spread theta is turned by phi from n towards x, where

    phi = atan2(A, B),  A = Du cos(theta),  B = Dn cos(theta) + L/2 sin(theta),  phi' = -Du L/2 / (A^2 + B^2),

with (Du, Dn) from the thumb's contact to the origin and L between the fingers' contacts. The extensions are

    e1 = (Dn + L/2 tan) / cos(phi) - L cos(phi) / sin(2 theta) + a cot(theta),
    e2, e3 = L cos(theta +/- phi) / sin(2 theta) - a / sin(theta),

and the deviations of the forces from the normals are phi and theta, added up, and wrapped to [-pi, pi]. All local
minima of the sum of their squares are bracketed on a grid and refined; where the lowest of them is out of the
fingers' reach, so are all points at which an extension meets one of its limits.

Poses of a hand over many grasps, compiled: the three-finger poses at their best spread, and the parallel ones.
"""

from __future__ import annotations

import numpy as np

from . import kernel

#: What came of it: the constrained optimum; no spread within reach; no three-finger pose at all.
REACHED, OUT_OF_REACH, IN_LINE, COINCIDENT, BACK_TO_BACK, OFF_PIVOTS = range(6)

TURN = 2.0 * np.pi

#: Contacts are in a line, or on one another, when their distance is this share of their extent.
FLAT = 1e-12

#: An extension may miss its limits by this share of the longest one; it is then set to the limit.
SLACK = 1e-9

#: A sum of squares [rad^2] is lower than another when it is by this much more than rounding makes.
LOWER = 1e-13

#: Spreads that differ by less than this share are the same but for rounding.
RESOLUTION = 4.0 * float(np.finfo(np.float64).eps)

#: Steps of a refinement; each at least halves its bracket.
REFINEMENTS = 80

#: Parts into which an interval of the grid is divided when limits are looked for.
PARTS = 2

#: Steps of a golden-section search, which end within 1e-9 of a part.
SECTIONS = 44


@kernel
def wrapped(angle):
    """The angle in [-pi, pi] that differs by whole turns."""
    return angle - TURN * np.floor(angle / TURN + 0.5)


@kernel
def squares(theta, shape):
    """Sum of the squared deviations [rad^2] at a spread; `shape` as `_shape` makes it."""
    sine, cosine = np.sin(theta), np.cos(theta)
    phi = np.arctan2(shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine)
    first = wrapped(shape[3] - phi)
    second = wrapped(shape[4] - phi + theta)
    third = wrapped(shape[5] - phi - theta)
    return first * first + second * second + third * third


@kernel
def _axis(sine, cosine, shape):
    """The thumb axis' angle phi from n at a spread of which sine and cosine are given, and its two derivatives."""
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    share = 1.0 / (a * a + b * b)
    rate = -0.5 * shape[1] * shape[0] * share
    bend = -2.0 * rate * share * (b * (0.5 * shape[0] * cosine - shape[2] * sine) - a * shape[1] * sine)
    return np.arctan2(a, b), rate, bend


@kernel
def _slope_at(theta, axis, shape, turns):
    """Half the derivative of the sum of squares, and the derivative of that, with fixed whole turns."""
    phi, rate, bend = axis
    first = shape[3] - phi - TURN * turns[0]
    second = shape[4] - phi + theta - TURN * turns[1]
    third = shape[5] - phi - theta - TURN * turns[2]
    total = first + second + third
    return second - third - rate * total, 2.0 + 3.0 * rate * rate - bend * total


@kernel
def _slope(theta, shape, turns):
    """`_slope_at` any spread."""
    return _slope_at(theta, _axis(np.sin(theta), np.cos(theta), shape), shape, turns)


@kernel
def _turns(theta, phi, shape):
    """Whole turns that the three deviations are wrapped by."""
    return (
        np.floor((shape[3] - phi) / TURN + 0.5),
        np.floor((shape[4] - phi + theta) / TURN + 0.5),
        np.floor((shape[5] - phi - theta) / TURN + 0.5),
    )


@kernel
def _may_wrap(high, first, last, shape, turns):
    """Whether a deviation may wrap at spreads up to `high`, phi going steadily from `first` to `last`."""
    small, large = min(first, last), max(first, last)
    for finger in range(3):
        base = shape[3 + finger] - TURN * turns[finger]
        rise, fall = (high if finger == 1 else 0.0), (high if finger == 2 else 0.0)
        if base - small + rise >= np.pi or base - large - fall <= -np.pi:
            return True
    return False


@kernel
def _root(low, high, shape, turns, order):
    """Where the slope (order 0) or its derivative (order 1) changes sign between two spreads."""
    rising = _slope(high, shape, turns)[order] > _slope(low, shape, turns)[order]
    theta = 0.5 * (low + high)
    for _ in range(REFINEMENTS):
        pair = _slope(theta, shape, turns)
        value = pair[order]
        if value == 0.0:
            break
        if (value > 0.0) == rising:
            high = theta
        else:
            low = theta
        step = theta - pair[0] / pair[1] if order == 0 else low
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - theta) <= RESOLUTION * theta or not low < step < high:
            theta = step
            break
        theta = step
    return theta


@kernel
def _valley(low, high, left, right, shape, turns):
    """A local minimum of the sum of squares between two spreads with the slopes `left` and `right`, or -1."""
    if left[0] <= 0.0 <= right[0]:
        return _root(low, high, shape, turns, 0)
    if left[0] > 0.0 and right[0] > 0.0 and left[1] < 0.0 < right[1]:
        middle = _root(low, high, shape, turns, 1)
        if _slope(middle, shape, turns)[0] < 0.0:
            return _root(middle, high, shape, turns, 0)
    if left[0] < 0.0 and right[0] < 0.0 and left[1] > 0.0 > right[1]:
        middle = _root(low, high, shape, turns, 1)
        if _slope(middle, shape, turns)[0] > 0.0:
            return _root(low, middle, shape, turns, 0)
    return -1.0


@kernel
def extensions(theta, shape, offset):
    """Extensions (thumb, left, right) [mm] at a spread; `offset` is that of the pivots."""
    sine, cosine = np.sin(theta), np.cos(theta)
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    size = np.sqrt(a * a + b * b)
    double = 2.0 * sine * cosine
    thumb = size / cosine - shape[0] * b / (size * double) + offset * cosine / sine
    left = shape[0] * (cosine * b - sine * a) / (size * double) - offset / sine
    right = shape[0] * (cosine * b + sine * a) / (size * double) - offset / sine
    return thumb, left, right


@kernel
def within(theta, shape, offset, longest):
    """Whether all extensions keep their limits 0 and `longest`."""
    thumb, left, right = extensions(theta, shape, offset)
    slack = SLACK * longest
    return min(thumb, left, right) >= -slack and max(thumb, left, right) <= longest + slack


@kernel
def _rooms(sine, cosine, shape, offset):
    """Extensions (thumb, left, right) and 1, all times sin(2 theta), which keeps them smooth and finite."""
    a, b = shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine
    square = a * a + b * b
    share = shape[0] / np.sqrt(square)
    pivots = 2.0 * offset * cosine
    thumb = 2.0 * sine * square * share / shape[0] - share * b + pivots * cosine
    return (
        thumb,
        share * (cosine * b - sine * a) - pivots,
        share * (cosine * b + sine * a) - pivots,
        2.0 * sine * cosine,
    )


@kernel
def _room(theta, shape, offset, longest, limit):
    """How far one extension is from one limit (0: the lower, 1: the upper one of the thumb, ...), inside positive."""
    values = _rooms(np.sin(theta), np.cos(theta), shape, offset)
    value = values[limit // 2]
    return value if limit % 2 == 0 else longest * values[3] - value


@kernel
def _crossing(low, high, shape, offset, longest, limit):
    """Where an extension meets its limit between two spreads at which it is on different sides of it."""
    rising = _room(high, shape, offset, longest, limit) > 0.0
    for _ in range(REFINEMENTS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (_room(middle, shape, offset, longest, limit) > 0.0) == rising:
            high = middle
        else:
            low = middle
    return high if rising else low


@kernel
def _turning(low, high, shape, offset, longest, limit, sign):
    """Where sign times the room is largest between two spreads."""
    golden = 0.6180339887498949
    left, right = high - golden * (high - low), low + golden * (high - low)
    first = sign * _room(left, shape, offset, longest, limit)
    second = sign * _room(right, shape, offset, longest, limit)
    for _ in range(SECTIONS):
        if first < second:
            low, left, first = left, right, second
            right = low + golden * (high - low)
            second = sign * _room(right, shape, offset, longest, limit)
        else:
            high, right, second = right, left, first
            left = high - golden * (high - low)
            first = sign * _room(left, shape, offset, longest, limit)
    return 0.5 * (low + high)


@kernel
def _better(theta, best, lowest, shape):
    value = squares(theta, shape)
    if value < lowest - LOWER * (1.0 + value):
        return theta, value
    return best, lowest


@kernel
def _offer(theta, free, lowest, best, reached, shape, offset, longest):
    """The lowest minimum of all and the lowest one in reach, another one offered."""
    value = squares(theta, shape)
    if value < lowest - LOWER * (1.0 + value):
        free, lowest = theta, value
    if value < reached - LOWER * (1.0 + value) and within(theta, shape, offset, longest):
        best, reached = theta, value
    return free, lowest, best, reached


@kernel
def _at_limit(best, lowest, start, stop, shape, offset, longest, limit):
    """The better one of `best` and the spread between two others at which an extension meets its limit, if in reach."""
    found = _crossing(start, stop, shape, offset, longest, limit)
    if within(found, shape, offset, longest):
        return _better(found, best, lowest, shape)
    return best, lowest


@kernel
def _at_turn(best, lowest, start, stop, sign, shape, offset, longest, limit):
    """As `_at_limit`, where the limit may be crossed there and back; sign is -1 when both ends are inside, else 1."""
    turn = _turning(start, stop, shape, offset, longest, limit, sign)
    if (_room(turn, shape, offset, longest, limit) > 0.0) == (sign < 0.0):
        return best, lowest
    best, lowest = _at_limit(best, lowest, start, turn, shape, offset, longest, limit)
    return _at_limit(best, lowest, turn, stop, shape, offset, longest, limit)


@kernel
def _at_limits(best, lowest, table, rooms, shape, offset, longest):
    """The lowest sum of squares among `best` and the spreads at which an extension meets a limit, all in reach."""
    steps = table.shape[0] - 1
    for step in range(steps + 1):
        thumb, left, right, unit = _rooms(table[step, 1], table[step, 2], shape, offset)
        rooms[0, step], rooms[1, step] = thumb, longest * unit - thumb
        rooms[2, step], rooms[3, step] = left, longest * unit - left
        rooms[4, step], rooms[5, step] = right, longest * unit - right
    for limit in range(6):
        for step in range(steps):
            here, after = rooms[limit, step], rooms[limit, step + 1]
            theta, end = table[step, 0], table[step + 1, 0]
            if (here > 0.0) != (after > 0.0):
                best, lowest = _at_limit(best, lowest, theta, end, shape, offset, longest, limit)
                continue
            # A turn towards the limit between three points of one side may cross it twice; one at an end of the range
            # is looked for in the last interval itself.
            inner = min(max(step, 1), steps - 1)
            bend = abs(rooms[limit, inner - 1] - 2.0 * rooms[limit, inner] + rooms[limit, inner + 1])
            before = rooms[limit, step - 1] if step > 0 else here
            sign = -1.0 if here > 0.0 else 1.0
            if sign * before < sign * here and sign * here > sign * after and (before > 0.0) == (here > 0.0):
                if abs(here) <= bend:
                    start = table[step - 1, 0]
                    best, lowest = _at_turn(best, lowest, start, end, sign, shape, offset, longest, limit)
            elif (step == 0 or step == steps - 1) and min(abs(here), abs(after)) <= bend:
                best, lowest = _at_turn(best, lowest, theta, end, sign, shape, offset, longest, limit)
    return best, lowest


@kernel
def best_spread(table, rooms, shape, offset, longest):
    """The spread with the least sum of squares within reach, and whether there is one; else the least of all.

    `table` (PARTS intervals + 1, 3) has the spreads of the grid with their sines and cosines; `rooms` (6, ...) is used.
    """
    low, high = table[0, 0], table[-1, 0]
    free, lowest, best, reached = low, np.inf, -1.0, np.inf
    axis = _axis(table[0, 1], table[0, 2], shape)
    turns = _turns(low, axis[0], shape)
    wraps = _may_wrap(high, axis[0], _axis(table[-1, 1], table[-1, 2], shape)[0], shape, turns)
    left = _slope_at(low, axis, shape, turns)
    if left[0] >= 0.0:  # an end of the range is a minimum when the sum rises from it
        free, lowest, best, reached = _offer(low, free, lowest, best, reached, shape, offset, longest)
    for step in range(0, table.shape[0] - 1, PARTS):
        theta, end = table[step, 0], table[step + PARTS, 0]
        ahead = _axis(table[step + PARTS, 1], table[step + PARTS, 2], shape)
        after = _turns(end, ahead[0], shape) if wraps else turns
        same = turns[0] == after[0] and turns[1] == after[1] and turns[2] == after[2]
        right = _slope_at(end, ahead, shape, turns)
        # Where a deviation wraps, the sum is the lower of two smooth ones: both are searched.
        for attempt in range(1 if same else 2):
            if attempt == 1:
                left, turns = _slope_at(theta, axis, shape, after), after
                right = _slope_at(end, ahead, shape, after)
            found = _valley(theta, end, left, right, shape, turns)
            if found >= 0.0:
                free, lowest, best, reached = _offer(found, free, lowest, best, reached, shape, offset, longest)
        axis, left = ahead, right
    if left[0] <= 0.0:
        free, lowest, best, reached = _offer(high, free, lowest, best, reached, shape, offset, longest)
    if best >= 0.0 and reached <= lowest + LOWER * (1.0 + lowest):
        return best, True
    for end in (low, high):
        if within(end, shape, offset, longest):
            best, reached = _better(end, best, reached, shape)
    best, reached = _at_limits(best, reached, table, rooms, shape, offset, longest)
    if best >= 0.0:
        return best, True
    return free, False


#: Fingers that stand parallel may miss their contacts by this share of the pivots' offset, sideways.
PIVOT_PLAY = 0.02


@kernel
def _angle(vector):
    return np.arctan2(vector[1], vector[0])


@kernel
def _on_limit(value, longest):
    """An extension that misses a limit by rounding is on it."""
    slack = SLACK * longest
    if -slack <= value < 0.0:
        return 0.0
    if longest < value <= longest + slack:
        return longest
    return value


@kernel
def local_shape(contacts, normals, left, right):
    """(L, Du, Dn, c1, c2, c3), the direction of n and what is wrong: the contacts in the frame of `hand_spread`."""
    mid_x = 0.5 * (contacts[1, 0] + contacts[2, 0])
    mid_y = 0.5 * (contacts[1, 1] + contacts[2, 1])
    across_x, across_y = contacts[right, 0] - contacts[left, 0], contacts[right, 1] - contacts[left, 1]
    length = np.hypot(across_x, across_y)
    from_x, from_y = mid_x - contacts[0, 0], mid_y - contacts[0, 1]
    extent = max(length, np.hypot(from_x, from_y))
    if length <= FLAT * extent or extent == 0.0:
        return (length, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0, COINCIDENT
    right_x, right_y = across_x / length, across_y / length
    away = from_y * right_x - from_x * right_y  # along n = the direction to the right, turned by +90 deg
    if away <= FLAT * extent:
        return (length, 0.0, away, 0.0, 0.0, 0.0), 0.0, IN_LINE
    sideways = from_x * right_x + from_y * right_y
    heading = np.arctan2(right_x, -right_y)
    shape = (
        length,
        sideways,
        away,
        heading - _angle(normals[0]),
        heading + np.pi - _angle(normals[left]),
        heading + np.pi - _angle(normals[right]),
    )
    return shape, heading, REACHED


@kernel
def _fill(row, theta, shape, heading, left, right, offset, longest, contacts, palm, axis, forces, focus, reach):
    """Write the pose at a spread into the row of the arrays."""
    sine, cosine = np.sin(theta), np.cos(theta)
    phi = np.arctan2(shape[1] * cosine, shape[2] * cosine + 0.5 * shape[0] * sine)
    yaw = heading - phi
    hx, hy = np.cos(yaw), np.sin(yaw)
    thumb, first, second = extensions(theta, shape, offset)
    reach[row, 0] = _on_limit(thumb, longest)
    reach[row, left] = _on_limit(first, longest)
    reach[row, right] = _on_limit(second, longest)
    axis[row, 0], axis[row, 1] = hx, hy
    # From the thumb's contact along h: the palm centre one extension away, the real focus a cot(theta) before it.
    palm[row, 0], palm[row, 1] = contacts[0, 0] + thumb * hx, contacts[0, 1] + thumb * hy
    back = thumb - offset * cosine / sine
    focus[row, 0], focus[row, 1] = contacts[0, 0] + back * hx, contacts[0, 1] + back * hy
    forces[row, 0, 0], forces[row, 0, 1] = hx, hy
    forces[row, left, 0], forces[row, left, 1] = -np.cos(yaw + theta), -np.sin(yaw + theta)
    forces[row, right, 0], forces[row, right, 1] = -np.cos(yaw - theta), -np.sin(yaw - theta)


@kernel
def _parallel(row, contacts, normals, offset, longest, palm, axis, forces, reach):
    """Write the pose with parallel fingers into the row of the arrays; what came of it."""
    hx = normals[0, 0] - 0.5 * (normals[1, 0] + normals[2, 0])
    hy = normals[0, 1] - 0.5 * (normals[1, 1] + normals[2, 1])
    size = np.hypot(hx, hy)
    if size <= FLAT:
        return BACK_TO_BACK
    hx, hy = hx / size, hy / size
    axis[row, 0], axis[row, 1] = hx, hy
    ahead = 0.0
    play = 0.0
    for finger in range(1, 3):
        dx, dy = contacts[finger, 0] - contacts[0, 0], contacts[finger, 1] - contacts[0, 1]
        ahead += 0.5 * (dx * hx + dy * hy)
        play = max(play, abs(abs(dx * hy - dy * hx) - offset))
        forces[row, finger, 0], forces[row, finger, 1] = -hx, -hy
    forces[row, 0, 0], forces[row, 0, 1] = hx, hy
    # Midway between the thumb's contact and the fingers': e1 = (e2 + e3) / 2.
    thumb = 0.5 * ahead
    palm[row, 0], palm[row, 1] = contacts[0, 0] + thumb * hx, contacts[0, 1] + thumb * hy
    reach[row, 0] = _on_limit(thumb, longest)
    kept = True
    for finger in range(1, 3):
        value = (contacts[finger, 0] - palm[row, 0]) * hx + (contacts[finger, 1] - palm[row, 1]) * hy
        reach[row, finger] = _on_limit(value, longest)
    for finger in range(3):
        kept = kept and 0.0 <= reach[row, finger] <= longest
    one = (contacts[1, 0] - contacts[0, 0]) * hy - (contacts[1, 1] - contacts[0, 1]) * hx
    other = (contacts[2, 0] - contacts[0, 0]) * hy - (contacts[2, 1] - contacts[0, 1]) * hx
    if play > PIVOT_PLAY * offset or one * other > 0.0:
        return OFF_PIVOTS
    return REACHED if kept else OUT_OF_REACH


@kernel
def solve(
    contacts, normals, virtual, offset, longest, table, rooms,
    spread, palm, axis, forces, focus, reach, outcome,
):  # fmt: skip
    """Fill the arrays of the poses over the grasps (g, 3, 2); rows without a pose are left as they are.

    `table` and `rooms` as `hand_spread.best_spread` has them.
    """
    for row in range(contacts.shape[0]):
        if virtual[row]:
            spread[row] = 0.0
            outcome[row] = _parallel(row, contacts[row], normals[row], offset, longest, palm, axis, forces, reach)
            continue
        left, right = 1, 2
        ax, ay = contacts[row, 1, 0] - contacts[row, 0, 0], contacts[row, 1, 1] - contacts[row, 0, 1]
        bx, by = contacts[row, 2, 0] - contacts[row, 0, 0], contacts[row, 2, 1] - contacts[row, 0, 1]
        if ax * by - ay * bx > 0.0:
            left, right = 2, 1
        shape, heading, outcome[row] = local_shape(contacts[row], normals[row], left, right)
        if outcome[row] != REACHED:
            continue
        theta, reached = best_spread(table, rooms, shape, offset, longest)
        spread[row] = theta
        outcome[row] = REACHED if reached else OUT_OF_REACH
        _fill(row, theta, shape, heading, left, right, offset, longest, contacts[row], palm, axis, forces, focus, reach)
