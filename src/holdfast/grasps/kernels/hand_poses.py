"""Poses of a hand over many grasps, compiled: the three-finger poses at their best spread, and the parallel ones."""

from __future__ import annotations

import numpy as np

from .compiling import kernel
from .hand_spread import (
    BACK_TO_BACK,
    COINCIDENT,
    FLAT,
    IN_LINE,
    OFF_PIVOTS,
    OUT_OF_REACH,
    REACHED,
    SLACK,
    best_spread,
    extensions,
)

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
